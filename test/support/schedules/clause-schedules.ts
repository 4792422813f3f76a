import fc from 'fast-check'
import { mark } from '../../../bench/interpret/marked-audio.ts'
import type { Script, ScriptWord } from '../../../bench/interpret/material.ts'
import { HABITS, type Habit, ScriptedRecognizer } from '../../../bench/interpret/scripted-engines.ts'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { pause } from '../../../src/common/clock.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { ContainedFaults } from '../../../src/core/model/contained-faults.ts'
import { RelayCounters } from '../../../src/core/model/relay-counters.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { FailoverTranslator } from '../../../src/core/translation/failover-translator.ts'
import { FragmentPool } from '../../../src/core/translation/fragment-store.ts'
import { Session } from '../../../src/core/translation/session.ts'
import { SessionPlaces } from '../../../src/core/translation/session-places.ts'
import type {
  Connection,
  ConnectionSink,
  TranslationRequest,
  Translator,
} from '../../../src/core/translation/translator.ts'
import { DecodeQueue } from '../../../src/core/utterance/decode-queue.ts'
import { ResultAssembler } from '../../../src/core/utterance/result-assembler.ts'
import type { SpeechReader } from '../../../src/core/utterance/speech-audio.ts'
import { readResult } from '../../../src/service/client/result-reader.ts'
import { EVENT } from '../../../src/service/contract.ts'
import type { SpeechStream, Synthesizer, TextTranslator } from '../../../src/service/engines/engine.ts'
import { Cascade } from '../../../src/service/engines/interpret/cascade.ts'
import type { CommitMode } from '../../../src/service/engines/interpret/clause-committer.ts'
import { InterpretationFigures } from '../../../src/service/engines/interpret/interpretation-figures.ts'
import { SpeechEnds } from '../../../src/service/server/session/audio-intake.ts'
import { InterpretedSpeech } from '../../../src/service/server/session/interpreted-speech.ts'
import type { StsParameters } from '../../../src/service/server/session/parameters.ts'
import { finish, type SpokenOutput } from '../../../src/service/server/session/voice-output.ts'
import { LoudnessNormalizer } from '../../../src/transcode/loudness-normalizer.ts'
import { bytesOf, FRAME_MS, FRAME_SAMPLES, samplesOf } from '../../../src/transcode/pcm.ts'
import { wavHeader } from '../../../src/transcode/wav.ts'
import { must } from '../../fuzz/target.ts'
import type { Schedule } from './schedule.ts'

/** Length of a word, in the speech and in the voice (ms). */
const WORD_MS = 360
const VOICE_MS = 200
/** Sample value of the first word in the voice, and difference between two words. */
const FIRST = 2_000
const STEP = 100
/** Time for the last translations after the speech, and after a mishap (ms). */
const AFTER_MS = 9_000
const REPAIR_MS = 12_000

/** What is pending settles at these steps. */
const STEP_FRAMES = 5

interface Delays {
  readonly translationMs: number
  readonly firstMs: number
  readonly pieceMs: number
}

/** What happens to the connection, and when (ms). */
interface Mishap {
  readonly atMs: number
  /** `drop`: the connection breaks. `renew`: another one replaces it. `fail`: the service is away for a while. */
  readonly what: 'drop' | 'renew' | 'fail'
}

const wordShape = fc.record({
  gapMs: fc.constantFrom(0, 0, 0, 0, 60, 140, 500, 1_000),
  mark: fc.constantFrom('', '', '', '', '', ',', '.'),
})

/** A service in memory, with audio in the results as WAV: each word is heard as its own level. */
class ClauseService implements Translator {
  away = false
  readonly #clock: FakeClock
  readonly #script: Script
  readonly #habit: Habit
  readonly #mode: CommitMode
  readonly #delays: Delays
  connection: ClauseConnection | undefined

  constructor(clock: FakeClock, script: Script, habit: Habit, mode: CommitMode, delays: Delays) {
    this.#clock = clock
    this.#script = script
    this.#habit = habit
    this.#mode = mode
    this.#delays = delays
  }

  open(_request: TranslationRequest, sink: ConnectionSink): Connection {
    const [clock, delays] = [this.#clock, this.#delays]
    const translator: TextTranslator = {
      name: 'same',
      targets: () => ['es-es'],
      prepare() {},
      async translate(text) {
        await pause(clock, delays.translationMs)
        return text
      },
      async close() {},
    }
    const voice: Synthesizer = {
      name: 'levels',
      voices: [],
      async speak(text) {
        await pause(clock, delays.firstMs)
        return { rate: 16_000, pieces: spokenWords(text, clock, delays.pieceMs) }
      },
      async close() {},
    }
    const cascade = new Cascade({
      ...{ from: 'en-us', to: 'es-es', translator, mode: this.#mode, clock },
      recognizer: new ScriptedRecognizer('en-us', this.#script, this.#habit),
      voice: { engine: voice, entry: { voiceId: 'one' } as never },
      figures: new InterpretationFigures(),
    })
    this.connection = new ClauseConnection(sink, cascade, clock, this.away)
    return this.connection
  }

  async close(): Promise<void> {}
}

class ClauseConnection implements Connection {
  readonly sink: ConnectionSink
  readonly #work: InterpretedSpeech
  #stream: SpeechStream | undefined
  #over = false

  constructor(sink: ConnectionSink, cascade: Cascade, clock: FakeClock, away: boolean) {
    this.sink = sink
    const outlet = {
      emit: (event: string, payload: unknown) => {
        if (this.#over) return
        if (event === EVENT.result) sink.result(readResult(payload, '0'))
        else if (event === EVENT.endSynth) sink.endOfSpeech((payload as { id: string }).id)
      },
      fault: (error: Error) => must(false, `no fault: ${error.message}, ${(error.cause as Error)?.message}`),
      room: async () => {},
    }
    const closed = new AbortController()
    const output: SpokenOutput = {
      held: false,
      open: async () => true,
      async say(result, speak) {
        const { pieces } = await speak(closed.signal)
        let [first, finalSent] = [true, false]
        for await (const pcm of pieces) {
          if (closed.signal.aborted) return
          const told = result()
          const data = Buffer.concat([first ? wavHeader(16_000, 1, Infinity) : Buffer.alloc(0), bytesOf(pcm)])
          first = false
          finalSent = told.final
          outlet.emit(EVENT.result, { ...told, file: { data, codec: 'mp3', sampleRate: 16_000 } })
        }
        if (finalSent) outlet.emit(EVENT.endSynth, { id: result().id })
        else finish(outlet, result())
      },
      close: () => closed.abort(),
    }
    const parameters = {
      ...{ languageIdSource: 'en-us', languageIdTarget: 'es-es', partials: true },
    } as unknown as StsParameters
    this.#work = new InterpretedSpeech({
      ...{ outlet, parameters, interpreters: [cascade], cascade, output, log: noopLogger },
      usage: { served() {}, replaced() {} },
    })
    if (away) queueMicrotask(() => this.drop())
    else void this.#open(clock)
  }

  async #open(clock: FakeClock): Promise<void> {
    const { stream } = await this.#work.open(new SpeechEnds(clock))
    this.#stream = stream
    if (!this.#over) this.sink.ready()
  }

  send(fragment: Uint8Array, sequence: number): void {
    if (this.#over) return
    this.#stream?.write(samplesOf(Uint8Array.from(fragment)))
    queueMicrotask(() => {
      if (!this.#over) this.sink.acked(sequence, true)
    })
  }

  drop(): void {
    this.#end({ kind: 'failed', error: new BridgeError('SERVICE_LOST', 'gone', { retryable: true }) })
  }

  close(): void {
    this.#end({ kind: 'hangup', by: 'local' })
  }

  #end(reason: EndReason): void {
    if (this.#over) return
    this.#over = true
    this.#work.close()
    void this.#stream?.close()
    this.sink.ended(reason)
  }
}

async function* spokenWords(text: string, clock: FakeClock, pieceMs: number): AsyncGenerator<Int16Array> {
  for (const [, number] of text.matchAll(/w(\d+)/gi)) {
    yield new Int16Array(VOICE_MS * 16).fill(FIRST + STEP * Number(number))
    if (pieceMs > 0) await pause(clock, pieceMs)
  }
}

const clauses: Schedule = {
  name: 'clauses over reconnections: all speech is translated once and in order',
  runs: 500,
  property: fc.asyncProperty(
    fc.array(wordShape, { minLength: 4, maxLength: 24, size: 'max' }),
    fc.constantFrom(...HABITS),
    fc.constantFrom<CommitMode>('clause', 'clause', 'sentence'),
    fc.record({
      translationMs: fc.constantFrom(0, 150, 700),
      firstMs: fc.constantFrom(0, 200),
      pieceMs: fc.constantFrom(0, 40, 150),
    }),
    fc.array(
      fc.record({
        atMs: fc.nat(12_000),
        what: fc.constantFrom('drop', 'renew', 'fail'),
      }) as fc.Arbitrary<Mishap>,
      { maxLength: 3 },
    ),
    async (shapes, habit, mode, delays, mishaps) => {
      const words: ScriptWord[] = []
      let at = 600
      for (const [n, { gapMs, mark }] of shapes.entries()) {
        words.push({ text: `w${n}${mark}`, startMs: at, endMs: at + WORD_MS, sentence: 0 })
        at += WORD_MS + gapMs
      }
      const heard = await listen({ words, lengthMs: at }, habit, mode, delays, mishaps)
      judge(heard, words.length, mishaps.length)
    },
  ),
}

const LOUD = new Int16Array(FRAME_SAMPLES).fill(3_000)
const QUIET = new Int16Array(FRAME_SAMPLES)

/** Returns the word of each frame that a listener hears, in order. */
async function listen(
  script: Script,
  habit: Habit,
  mode: CommitMode,
  delays: Delays,
  mishaps: readonly Mishap[],
): Promise<number[]> {
  const clock = new FakeClock()
  const since = clock.now()
  const services = [0, 1].map(() => new ClauseService(clock, script, habit, mode, delays))
  const [first, second] = services as [ClauseService, ClauseService]
  const translator = new FailoverTranslator(services, { clock, random: () => 0.5 })
  const metrics = new RelayCounters()
  const readers: SpeechReader[] = []
  const results = new ResultAssembler({
    name: 'anna',
    ...{ clock, metrics, decoding: new DecodeQueue({ now: () => 0, defer: queueMicrotask }) },
    leveler: new LoudnessNormalizer(-20, 0),
    events: {
      caption() {},
      utterance: utterance => void readers.push(utterance.audio.reader()),
      notMp3: () => must(false, 'the voice is audio'),
      speechEndedAt: now => now,
      processed() {},
      failed: error => {
        throw error
      },
    },
  })
  const session = new Session({
    speaker: 'anna',
    request: { from: 'en-us', to: 'es-es', want: 'speech' },
    settings: relayOptions({ fragmentMs: 100 }),
    services: {
      ...{ clock, log: noopLogger, metrics, translator, random: () => 0.5 },
      faults: new ContainedFaults(noopLogger, metrics),
      ...{ pool: new FragmentPool(), places: new SessionPlaces(clock) },
    },
    results,
    changed() {},
  })
  const pending = mishaps.toSorted((a, b) => a.atMs - b.atMs)
  let backAt = Number.POSITIVE_INFINITY
  let word = 0
  const endMs = Math.max(script.lengthMs + AFTER_MS, ...mishaps.map(({ atMs }) => atMs + REPAIR_MS))
  for (let index = 0; index * FRAME_MS < endMs; index++) {
    const startMs = index * FRAME_MS
    while (script.words[word] && script.words[word]!.endMs <= startMs) word++
    const loud = (script.words[word]?.startMs ?? Number.POSITIVE_INFINITY) < startMs + FRAME_MS
    const now = clock.now()
    if (loud) session.wake(now)
    session.write(mark(loud ? LOUD : QUIET, index), !loud, now)
    if (index % 5 === 0) session.check(now)
    if (clock.now() - since >= backAt) first.away = false
    while (pending[0] && pending[0].atMs <= startMs) {
      const { what } = pending.shift()!
      if (what === 'fail') {
        first.away = true
        backAt = clock.now() - since + 4_000
      }
      if (what === 'renew') (first.away ? second : first).connection?.sink.renew?.(2_000)
      else for (const { connection } of services) connection?.drop()
    }
    clock.advance(FRAME_MS)
    for (let turn = 0; turn < (index % STEP_FRAMES === 0 ? 24 : 0); turn++) await undefined
  }
  await session.close({ kind: 'hangup', by: 'local' })
  await translator.close()
  return readers.flatMap(heardWords)
}

function heardWords(reader: SpeechReader): number[] {
  const found: number[] = []
  for (let frame = reader.next(); frame; frame = reader.next()) {
    const level = frame[FRAME_SAMPLES / 2]!
    if (level >= FIRST) found.push(Math.round((level - FIRST) / STEP))
  }
  return found
}

/** Frames of a word that an overlap can repeat: 0.4 s of it, and the frames at its edges. */
const REPEATED_FRAMES = 400 / FRAME_MS + 3
const WORD_FRAMES = VOICE_MS / FRAME_MS

function judge(heard: readonly number[], words: number, mishaps: number): void {
  const counts = new Array<number>(words).fill(0)
  for (const word of heard) counts[word]!++
  for (const [word, count] of counts.entries())
    if (count < WORD_FRAMES - 2)
      must(false, `word ${word} of ${words} is heard: ${count} frames of ${WORD_FRAMES}, ${heard}`)
  const extra = heard.length - words * WORD_FRAMES
  if (extra > mishaps * REPEATED_FRAMES)
    must(false, `${extra} frames are repeated over ${mishaps} mishaps: ${heard}`)
  for (let n = 1; n < heard.length; n++)
    if (heard[n]! - heard[n - 1]! > 1) must(false, `no word is overtaken: ${heard}`)
}

export const CLAUSE_SCHEDULES: readonly Schedule[] = [clauses]
