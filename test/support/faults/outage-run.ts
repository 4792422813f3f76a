import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { randomFrom } from '../../../simulator/random.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { ContainedFaults } from '../../../src/core/model/contained-faults.ts'
import { RelayCounters } from '../../../src/core/model/relay-counters.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { FailoverTranslator } from '../../../src/core/translation/failover-translator.ts'
import { FragmentPool } from '../../../src/core/translation/fragment-store.ts'
import { Session } from '../../../src/core/translation/session.ts'
import { SessionPlaces } from '../../../src/core/translation/session-places.ts'
import type { ConnectionSink, TranslationResult } from '../../../src/core/translation/translator.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'

/** Behavior of the service during an outage. */
export interface OutageRun {
  /** The connection breaks after this many frames. */
  readonly dropAtFrame: number
  readonly outageMs: number
  /** Time from opening a connection until it accepts audio, and from a fragment until its ack (ms). */
  readonly openMs?: number
  readonly ackMs?: number
  readonly seed?: number
}

/** Result of the run. */
export interface OutageResult {
  /** Frames that were sent on no connection. */
  readonly lost: number
  /** Frames whose translation never ended. */
  readonly unanswered: number
  /** Upper bound of audio that the listener hears twice (ms). */
  readonly repeatedMs: number
  /** From the service's return until it accepted the first fragment (ms). */
  readonly recoveryMs: number
  readonly metrics: RelayCounters
}

/** Speech: sentences of two seconds with pauses of 0.4 s. */
const SENTENCE_FRAMES = 100
const PAUSE_FRAMES = 20
const PERIOD = SENTENCE_FRAMES + PAUSE_FRAMES
/** A sentence is answered this long after its end, with a voice as long as itself, in five pieces. */
const ANSWER_MS = 240
const PIECES = 5
const LOST = new BridgeError('SERVICE_LOST', 'gone', { retryable: true })

const speaks = (frame: number) => frame % PERIOD < SENTENCE_FRAMES

/**
 * Runs one session on a simulated clock, to a service that fails once and returns: records frame by frame what is sent,
 * received and played.
 */
export function runOutage({
  dropAtFrame,
  outageMs,
  openMs = 20,
  ackMs = 20,
  seed = 1,
}: OutageRun): OutageResult {
  const clock = new FakeClock()
  const given = new Set<number>()
  const answered = new Set<number>()
  /** Delivered pieces of voice, by sentence. */
  const pieces = new Map<number, number>()
  let up = true
  let backAt = 0
  let recoveryMs = 0
  let repeatedMs = 0
  let drop: (() => void) | undefined
  const metrics = new RelayCounters()
  const random = randomFrom(seed)

  const open = (_request: unknown, sink: ConnectionSink) => {
    let live = false
    let over = false
    let heard: number[] = []
    let frames = 0
    const end = () => {
      if (over) return
      over = true
      sink.ended({ kind: 'failed', error: LOST })
    }
    const later = (ms: number, task: () => void) => void clock.at(clock.now() + ms, () => over || task())
    later(openMs, () => {
      if (!up) return end()
      live = true
      drop = end
      sink.ready()
    })
    /** The sentence of these frames has ended: its text, then its voice piece by piece, then the end of the voice. */
    const answer = (sentence: readonly number[], endMs: number) => {
      const number = Math.floor(sentence[0]! / PERIOD)
      const result: TranslationResult = {
        utterance: `${number}`,
        final: true,
        text: `sentence ${number}`,
        endMs,
      }
      for (let piece = 0; piece < PIECES; piece++)
        later(ANSWER_MS + piece * 60, () => {
          sink.result(result)
          const before = pieces.get(number) ?? 0
          // A restarted voice is skipped until 200 ms before the interruption (interpreter.test.ts).
          if (piece === 0 && before > 0) repeatedMs += Math.min(200, (before * sentence.length * 20) / PIECES)
          pieces.set(number, Math.max(before, piece + 1))
        })
      later(ANSWER_MS + PIECES * 60, () => {
        sink.endOfSpeech(`${number}`)
        for (const frame of sentence) answered.add(frame)
      })
    }
    return {
      send(bytes: Uint8Array, sequence: number) {
        if (!live || over) return
        if (backAt > 0 && recoveryMs === 0) recoveryMs = clock.now() - backAt
        const pcm = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
        for (let at = 0; at < pcm.length; at += FRAME_SAMPLES) {
          const frame = pcm[at]!
          frames++
          given.add(frame)
          if (speaks(frame)) heard.push(frame)
          else if (heard.length > 0 && !speaks(frame - 10)) {
            answer(heard, frames * 20 - 100)
            heard = []
          }
        }
        later(ackMs, () => sink.acked(sequence, true))
      },
      close: end,
    }
  }

  const session = new Session({
    speaker: 'anna',
    request: { from: 'en-us', to: 'es-es', want: 'speech' },
    settings: relayOptions(),
    services: {
      clock,
      log: noopLogger,
      metrics,
      translator: new FailoverTranslator([{ open, close: async () => {} }], { clock, random }),
      pool: new FragmentPool(),
      places: new SessionPlaces(clock),
      random,
      faults: new ContainedFaults(noopLogger, metrics),
    },
    results: { result() {}, endOfSpeech() {}, interrupted() {} },
    changed() {},
  })
  session.wake(clock.now())

  const total = Math.ceil((dropAtFrame + outageMs / 20 + 3 * PERIOD) / PERIOD) * PERIOD
  const frame = new Int16Array(FRAME_SAMPLES)
  for (let n = 0; n < total + PERIOD; n++) {
    if (n === dropAtFrame) {
      up = outageMs === 0
      clock.at(clock.now() + outageMs, () => {
        up = true
        backAt = clock.now() || 1
      })
      drop?.()
    }
    frame.fill(n)
    session.write(frame, !speaks(n), clock.now())
    if (speaks(n)) session.wake(clock.now())
    clock.advance(20)
    if (n % 5 === 0) session.check(clock.now())
  }
  void session.close({ kind: 'unused' })
  let lost = 0
  let unanswered = 0
  for (let n = 0; n < total; n++) {
    if (!given.has(n)) lost++
    if (speaks(n) && !answered.has(n)) unanswered++
  }
  return { lost, unanswered, repeatedMs, recoveryMs, metrics }
}
