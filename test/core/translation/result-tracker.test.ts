import { describe, expect, test } from 'vitest'
import { FragmentPool } from '../../../src/core/translation/fragment-store.ts'
import { ReplayBuffer, ResultTracker } from '../../../src/core/translation/replay-buffer.ts'
import type { TranslationResult } from '../../../src/core/translation/translator.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'

const VOICE_WAIT_MS = 10_000

/** A tracker for a buffer with fragments of 60 ms; `voiced` as in `ResultTracker`. */
function setUp({ voiced = true, fragments = 10, quiet = [] as number[] } = {}) {
  const buffer = new ReplayBuffer({ pool: new FragmentPool(), fragmentMs: 60, capacityMs: 30_000 })
  const tracker = new ResultTracker(buffer, voiced)
  const frame = new Int16Array(FRAME_SAMPLES)
  const speak = (count: number, quietOnes: readonly number[] = []) => {
    for (let n = 0; n < count; n++) for (let f = 0; f < 3; f++) buffer.write(frame, quietOnes.includes(n))
  }
  const sendAll = () => {
    for (let sent = buffer.next(0); sent; sent = buffer.next(0)) buffer.ack(sent.sequence, true)
  }
  speak(fragments, quiet)
  sendAll()
  const result = (fields: Partial<TranslationResult>, now = 0) =>
    tracker.result({ utterance: 'a', final: true, text: 'hello', ...fields }, now)
  return { buffer, tracker, speak, sendAll, result }
}

describe('the result tracker', () => {
  test('releases covered audio once the voice of the result is complete', () => {
    const { buffer, tracker, result } = setUp()
    result({ endMs: 240 })
    expect(tracker.open).toBe(true)
    expect(buffer.oldest).toBe(0)
    tracker.complete('b')
    expect([tracker.open, buffer.oldest]).toEqual([true, 0])
    tracker.complete('a')
    expect([tracker.open, buffer.oldest]).toEqual([false, 4])
    // Nothing is open: has no effect.
    tracker.complete()
    tracker.complete('a')
    expect([tracker.open, buffer.oldest]).toEqual([false, 4])
  })

  test('releases it at once if results have no voice', () => {
    const { buffer, tracker, result } = setUp({ voiced: false })
    result({ endMs: 240 })
    expect([tracker.open, buffer.oldest]).toEqual([false, 4])
  })

  test('completes the voice of an utterance when the next one begins, not with its own results', () => {
    const { buffer, tracker, result } = setUp()
    result({ endMs: 240 })
    result({ endMs: 480 })
    expect(buffer.oldest).toBe(0)
    result({ utterance: 'b', endMs: 480 })
    expect([tracker.open, buffer.oldest]).toEqual([true, 4])
    tracker.complete('b')
    expect(buffer.oldest).toBe(8)
  })

  test.each<[string, Partial<TranslationResult>, boolean]>([
    ['a text', { text: 'hello' }, true],
    ['an empty text', { text: '' }, true],
    ['a translation', { text: undefined, translation: 'hola' }, true],
    ['a voice', { text: undefined, audio: new Uint8Array(1) }, true],
    ['nothing', { text: undefined }, false],
    ['an interim text', { final: false }, false],
    ['an interim voice', { final: false, text: undefined, audio: new Uint8Array(1) }, false],
  ])('counts %s as an answer: %o', (_, fields, counts) => {
    const { tracker, result } = setUp()
    result({ endMs: 240, ...fields })
    expect(tracker.open).toBe(counts)
  })

  test('takes the latest pause as the end of a result without a time, or with one beyond the audio sent', () => {
    for (const endMs of [undefined, 60_000]) {
      const { buffer, tracker, result } = setUp({ quiet: [5, 6, 7] })
      result({ endMs })
      tracker.complete()
      expect(buffer.oldest, String(endMs)).toBe(5)
    }
    const { tracker, result } = setUp()
    result({})
    expect(tracker.open).toBe(false)
  })

  test('accepts an end at the last audio sent, and none beyond it', () => {
    const { buffer, tracker, speak, result } = setUp({ quiet: [5, 6, 7] })
    speak(5)
    expect(buffer.unsent).toBe(10)
    result({ endMs: 600 })
    tracker.complete()
    expect(buffer.oldest).toBe(10)
    const other = setUp({ quiet: [5, 6, 7] })
    other.speak(5)
    other.result({ endMs: 660 })
    other.tracker.complete()
    expect(other.buffer.oldest).toBe(5)
  })

  test('counts times from the oldest audio held when a connection began', () => {
    const { buffer, tracker, sendAll, result } = setUp()
    result({ endMs: 240 })
    tracker.complete()
    result({ utterance: 'b', endMs: 480 })
    expect(buffer.oldestFrame).toBe(12)
    buffer.rewind()
    tracker.begin()
    expect(tracker.open).toBe(false)
    sendAll()
    result({ utterance: 'c', endMs: 120 })
    tracker.complete()
    expect(buffer.oldest).toBe(6)
  })

  test('gives up a voice that stays away for 10 s since its latest result', () => {
    const { buffer, tracker, result } = setUp()
    expect(tracker.gaveUp(VOICE_WAIT_MS * 2)).toBe(false)
    result({ endMs: 240 }, 1_000)
    result({ final: false, text: undefined, audio: new Uint8Array(1) }, 3_000)
    expect(tracker.gaveUp(3_000 + VOICE_WAIT_MS)).toBe(false)
    expect([tracker.open, buffer.oldest]).toEqual([true, 0])
    expect(tracker.gaveUp(3_001 + VOICE_WAIT_MS)).toBe(true)
    expect([tracker.open, buffer.oldest]).toEqual([false, 4])
  })
})

/** Characters of a part, which do not matter here. */
const PART = { text: 5, translation: 4 }

describe('the part that is being spoken', () => {
  test('releases the audio before it at once, if that was sent', () => {
    const { buffer, tracker, result, speak } = setUp()
    result({ final: false, spoken: { ...PART, endMs: 240, speakingMs: 120 } })
    expect([tracker.open, buffer.oldest]).toEqual([false, 4])
    // Of a new connection, whose time begins at the oldest audio.
    tracker.begin()
    speak(2)
    result({ final: false, spoken: { ...PART, endMs: 480 } })
    expect(buffer.oldest).toBe(4)
    result({ final: false, spoken: { ...PART, endMs: 360 } })
    expect(buffer.oldest).toBe(10)
  })

  test('was said at the middle of its words', () => {
    const { tracker, buffer } = setUp()
    const saidAt = (spoken?: TranslationResult['spoken']) =>
      tracker.saidAt({ utterance: 'a', final: false, spoken }, 5_000)
    expect([saidAt(), saidAt({ ...PART, endMs: 400 })]).toEqual([undefined, undefined])
    // 600 ms were spoken until now.
    expect(saidAt({ ...PART, endMs: 400, speakingMs: 200 })).toBe(4_700)
    buffer.discharge(5)
    tracker.begin()
    expect(saidAt({ ...PART, endMs: 200, speakingMs: 100 })).toBe(4_850)
  })
})
