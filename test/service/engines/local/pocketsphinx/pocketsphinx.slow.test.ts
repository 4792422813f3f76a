import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../../../src/common/clock.ts'
import type { Transcript, TranscriptSink } from '../../../../../src/service/engines/engine.ts'
import { EngineError } from '../../../../../src/service/engines/engine.ts'
import { PocketSphinx } from '../../../../../src/service/engines/local/pocketsphinx/pocketsphinx.ts'
import { createResampler } from '../../../../../src/transcode/resample/resampler.ts'
import { SeededRandom } from '../../../../fuzz/random.ts'
import { speechToTextChecks } from '../../../../support/conformance/speech-to-text.ts'
import { conforms } from '../../../../support/conformance/suite.ts'
import { ENGINES } from '../../../../support/engines/engine-settings.ts'
import { joined, pause, recording } from '../../../../support/engines/recordings.ts'
import { sine } from '../../../../support/transcode/tone.ts'
import { until } from '../../../../support/until.ts'

/** Recognition on a busy machine. */
const PATIENCE_MS = 60_000
const options = { ...ENGINES.pocketsphinx, decoders: 2 }
let engine: PocketSphinx

beforeAll(async () => {
  engine = await PocketSphinx.create(options, systemClock)
})
afterAll(() => engine.close())

const pcm = joined(pause(400), recording(2), pause(700), recording(5), pause(1_000))

conforms(
  'PocketSphinx understands speech',
  speechToTextChecks,
  () => ({ engine, pcm, words: ['young', 'amiable'], patienceMs: 60_000 }),
  async () => {},
)

function listen() {
  const finals: Transcript[] = []
  const partials: Transcript[] = []
  const sink: TranscriptSink = {
    partial: transcript => void partials.push(transcript),
    final: transcript => void finals.push(transcript),
    failed: error => {
      throw error
    },
  }
  return { sink, finals, partials }
}

/** Everything recognized in `audio`: at least `count` utterances. */
async function all(audio: Int16Array, slice: number, count: number) {
  const { sink, finals, partials } = listen()
  const stream = await engine.open('en-us', sink)
  for (let at = 0; at < audio.length; at += slice) stream.write(audio.subarray(at, at + slice))
  await until(() => stream.queuedMs === 0 && finals.length >= count, PATIENCE_MS, 'recognition')
  await new Promise(resolve => setTimeout(resolve, 400))
  await stream.close()
  return { finals, partials }
}

test('audio in different fragments gives the same text at almost the same positions', async () => {
  const [small, large] = [await all(pcm, 320, 2), await all(pcm, pcm.length, 2)]
  expect(small.finals.map(({ text }) => text)).toEqual(large.finals.map(({ text }) => text))
  for (const [index, { endMs }] of small.finals.entries())
    expect(Math.abs(endMs - large.finals[index]!.endMs)).toBeLessThanOrEqual(100)
})

test('an utterance ends after its last word and before the next one starts', async () => {
  const { finals } = await all(pcm, 960, 2)
  // The first sentence is over 3390 ms into the audio, the second starts at 4090.
  expect(finals[0]!.endMs).toBeGreaterThan(3_000)
  expect(finals[0]!.endMs).toBeLessThan(4_200)
  expect(finals[1]!.startMs).toBeGreaterThanOrEqual(finals[0]!.endMs)
  expect(finals[1]!.startMs).toBeLessThan(4_500)
})

test('recognizes no words in silence, soft noise or a pause', async () => {
  const random = new SeededRandom(1)
  const noise = Int16Array.from({ length: 48_000 }, () => random.below(2_000) - 1_000)
  for (const audio of [new Int16Array(48_000), pause(3_000), noise]) {
    const { finals } = await all(joined(audio, pause(1_000)), 960, 0)
    expect(finals.map(({ text }) => text).join('')).toBe('')
  }
})

test('cuts speech without a pause, and loses none of it', async () => {
  const { sink, finals } = listen()
  const stream = await engine.open('en-us', sink)
  // Soft noise fills the pauses, so that only the length ends an utterance.
  const random = new SeededRandom(1)
  const sentence = recording(4).map(sample => sample + random.below(1_200) - 600)
  stream.write(joined(...Array.from({ length: 4 }, () => sentence), pause(1_200)))
  await until(() => stream.queuedMs === 0 && finals.length > 1, PATIENCE_MS, 'recognition')
  await stream.close()
  for (const { startMs, endMs } of finals) expect(endMs - startMs).toBeLessThan(16_000)
  for (const [index, { startMs }] of finals.slice(1).entries())
    expect(startMs - finals[index]!.endMs).toBeLessThan(1_000)
})

test('reuses a decoder for the next speaker', async () => {
  for (let n = 0; n < 5; n++) {
    const stream = await engine.open('en-us', listen().sink)
    stream.write(recording(2).subarray(0, 16_000 + n))
    await stream.close()
  }
  expect(engine.idle).toBe(1)
})

test('rejects more speakers than decoders', async () => {
  const streams = [await engine.open('en-us', listen().sink), await engine.open('en-us', listen().sink)]
  await expect(engine.open('en-us', listen().sink)).rejects.toThrow(EngineError)
  await Promise.all(streams.map(stream => stream.close()))
})

test('reports missing models', async () => {
  await expect(PocketSphinx.create({ ...options, models: '/nowhere' }, systemClock)).rejects.toMatchObject({
    name: 'EngineError',
    kind: 'transcription',
  })
})

test('creating decoders while others work does not corrupt the library’s memory', async () => {
  // In a separate process: heap corruption ends it.
  const module = new URL('../../../../../src/service/engines/local/pocketsphinx/library.ts', import.meta.url)
    .href
  const { models } = ENGINES.pocketsphinx
  const files = { '-hmm': 'en-us', '-lm': 'en-us.lm.bin', '-dict': 'cmudict-en-us.dict' }
  const args = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, `${models}/${file}`]))
  const script = `const { loadSphinx } = await import(${JSON.stringify(module)})
    const library = await loadSphinx()
    const hiss = Int16Array.from({ length: 8_000 }, (_, n) => ((n * 7919) % 2_000) - 1_000)
    for (let round = 0; round < 3; round++) {
      await Promise.all([1, 2, 3, 4].map(async () => {
        const decoder = await library.open(${JSON.stringify(args)})
        library.startStream(decoder)
        library.startUtterance(decoder)
        await library.process(decoder, hiss)
        await library.endUtterance(decoder)
        library.free(decoder)
      }))
    }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' })
  const [[code, signal], ...said] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  expect({ code, signal, said }).toEqual({ code: 0, signal: null, said: ['', ''] })
})

test('recognizes no sentence in a tone', async () => {
  const { finals } = await all(joined(pause(500), sine(440, 2_000), pause(1_000)), 960, 0)
  for (const { text } of finals) expect(text.split(' ').length).toBeLessThanOrEqual(1)
})

test('recognizes a first sentence by phone, and then a full-band voice', async () => {
  const byTelephone = (audio: Int16Array) => {
    const narrow = createResampler(16_000, 8_000).process(audio).slice()
    return createResampler(8_000, 16_000).process(narrow).slice()
  }
  const sentence = joined(pause(300), recording(5), pause(800))
  for (let turn = 0; turn < 2; turn++) {
    const [telephone, full] = [await all(byTelephone(sentence), 960, 1), await all(sentence, 960, 1)]
    expect(telephone.finals[0]?.text).toMatch(/he might even have been made/)
    expect(full.finals[0]?.text).toBe('he might even have been made amiable himself')
  }
})
