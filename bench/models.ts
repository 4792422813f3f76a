import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { systemClock } from '../src/common/clock.ts'
import { relayOptions } from '../src/core/model/relay-settings.ts'
import { Relay } from '../src/core/room/relay.ts'
import { EngineSet } from '../src/service/engines/engine-set.ts'
import { FirefoxTranslator } from '../src/service/engines/local/firefox/firefox-translator.ts'
import { FRAME_MS, FRAME_SAMPLES } from '../src/transcode/pcm.ts'
import { BASE, tinyMarian } from '../test/support/engines/tiny-marian.ts'
import { InProcessService } from './interpret/in-process-service.ts'
import { ListeningLeg } from './interpret/listening-leg.ts'
import { mark } from './interpret/marked-audio.ts'
import type { Script, ScriptWord } from './interpret/material.ts'
import { HABITS, ScriptedRecognizer, ScriptedVoice } from './interpret/scripted-engines.ts'
import { speech } from './speech.ts'
import { median } from './stats.ts'
import { table } from './table.ts'

const SPEAKERS = 4
/** A word, the pause after a sentence of 13, and the time for the last translations (ms). */
const WORD_MS = 330
const PAUSE_MS = 1_500
const AFTER_MS = 3_000
const SENTENCE = 'Uno dos tres, dos tres uno, tres dos uno dos tres uno dos.'
/** Words and their translations. */
const WORDS = { uno: 'one', dos: 'two', tres: 'three' }
const RESOLUTION_MS = 1

/**
 * `npm run bench models -- --seconds 60`: what the largest model of Firefox costs the bridge and the service in one process.
 * Four people speak in real time, each in a room with one listener; recognizer and voices are scripted, the translator is the
 * real one with a hand-made model of that size, without the short list that spares a real one most of the vocabulary.
 */
export async function benchModels(argv: string[]): Promise<void> {
  const { values } = parseArgs({ args: argv, options: { seconds: { type: 'string', default: '60' } } })
  const seconds = Number(values.seconds)
  const folder = await mkdtemp(join(tmpdir(), 'bench-models-'))
  try {
    const model = join(folder, 'es-en')
    await mkdir(model)
    for (const [name, content] of Object.entries(tinyMarian(WORDS, BASE)))
      await writeFile(join(model, name), content)
    const translator = await FirefoxTranslator.create(
      { directions: [{ from: 'es', to: 'en', model }] },
      { clock: systemClock },
    )
    const took: number[] = []
    for (let n = 0; n < 20; n++) {
      const at = performance.now()
      await translator.translate(SENTENCE, 'es-es', 'en-us')
      took.push(performance.now() - at)
    }
    const silent = await talk(0, seconds, translator)
    const four = await talk(SPEAKERS, seconds, translator)
    console.log(`A sentence of 13 words: ${median(took).toFixed(0)} ms\n`)
    const head = ['speakers', 'translations', 'event loop p50 ms', 'p99 ms', 'most ms', 'busy %']
    console.log(table(head, [silent, four]))
    await translator.close()
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Lets `speakers` people talk for `seconds`, and returns their row. */
async function talk(speakers: number, seconds: number, translator: FirefoxTranslator): Promise<number[]> {
  const said = script(seconds * 1_000)
  const engines = new EngineSet({
    speechToText: [new ScriptedRecognizer('es-es', said, HABITS[0]!)],
    translators: [translator],
    synthesizers: [new ScriptedVoice(systemClock, 'en-us')],
  })
  const service = new InProcessService(engines, systemClock)
  const relay = new Relay({ translator: service, options: relayOptions(), clock: systemClock })
  await relay.ready()
  let translations = 0
  relay.observer.on('caption', ({ final, translation }) => {
    if (final && translation) translations++
  })
  const now = () => systemClock.now()
  const legs = Array.from({ length: speakers }, (_, n) => {
    const [speaker, listener] = ['speaker', 'listener'].map(
      name => new ListeningLeg(`${name} ${n}`, now, () => {}),
    ) as [ListeningLeg, ListeningLeg]
    relay.admit(speaker, { room: `call ${n}`, speaks: 'es-es', hears: 'es-es', original: 'off' })
    relay.admit(listener, { room: `call ${n}`, speaks: 'en-us', hears: 'en-us', original: 'off' })
    return { speaker, listener }
  })
  const recorded = speech()
  const silence = new Int16Array(FRAME_SAMPLES)
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  const begin = now()
  const used = performance.eventLoopUtilization()
  delays.enable()
  for (let index = 0; index * FRAME_MS < seconds * 1_000 + AFTER_MS; index++) {
    const startMs = index * FRAME_MS
    const loud = said.words.some(({ startMs: from, endMs }) => from < startMs + FRAME_MS && endMs > startMs)
    const at = (index * FRAME_SAMPLES) % (recorded.length - FRAME_SAMPLES)
    for (const { speaker, listener } of legs) {
      speaker.uplink?.write(
        mark(loud ? recorded.slice(at, at + FRAME_SAMPLES) : new Int16Array(FRAME_SAMPLES), index),
      )
      listener.uplink?.write(silence)
      speaker.confirm()
      listener.confirm()
    }
    const due = begin + startMs + FRAME_MS
    await new Promise(resolve => setTimeout(resolve, Math.max(0, due - now())))
  }
  delays.disable()
  const busy = performance.eventLoopUtilization(used).utilization
  await relay.close()
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
  return [
    ...[speakers, translations, late(delays.percentile(50)), late(delays.percentile(99))],
    ...[late(delays.max), busy * 100],
  ]
}

/** The sentence again and again, with a pause after each. */
function script(lengthMs: number): Script {
  const words: ScriptWord[] = []
  const texts = SENTENCE.split(' ')
  let at = 300
  for (let sentence = 0; at + texts.length * WORD_MS < lengthMs; sentence++) {
    for (const text of texts) {
      words.push({ text, startMs: at, endMs: at + WORD_MS, sentence })
      at += WORD_MS
    }
    at += PAUSE_MS
  }
  return { words, lengthMs }
}
