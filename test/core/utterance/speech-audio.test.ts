import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SpeechAudio } from '../../../src/core/utterance/speech-audio.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'

/** Samples that differ over a long range, and are never near 0. */
const samples = (length: number) => Int16Array.from({ length }, (_, n) => 1_000 + (n % 30_000))

/** The expected playback of `pcm`: faded over 5 ms at both ends, padded with silence to a whole frame. */
function wanted(pcm: Int16Array): Int16Array {
  const out = new Int16Array(Math.ceil(pcm.length / FRAME_SAMPLES) * FRAME_SAMPLES)
  out.set(pcm)
  const rise = Math.min(80, pcm.length)
  for (let n = 0; n < rise; n++) out[n] = Math.round((out[n]! * n) / 80)
  for (let n = 0; n < rise; n++) out[pcm.length - 1 - n] = Math.round((out[pcm.length - 1 - n]! * n) / rise)
  return out
}

/** `toEqual` compares each number separately, which takes a hundred times as long. */
const same = (a: Int16Array, b: Int16Array) =>
  a.length === b.length && a.every((sample, n) => sample === b[n])

/** A reader that keeps its output, and compares the last frame again before it reads the next. */
function listener(audio: SpeechAudio) {
  const reader = audio.reader()
  const heard: number[] = []
  let lent: Int16Array | undefined
  let copy = new Int16Array(0)
  const take = (count: number) => {
    for (let n = 0; n < count; n++) {
      if (lent) expect(same(lent, copy)).toBe(true)
      lent = reader.next()
      if (!lent) return
      copy = lent.slice()
      heard.push(...copy)
    }
  }
  return { reader, take, heard }
}

/** Reuses all released memory, and overwrites it. */
function scribble(): SpeechAudio {
  const other = new SpeechAudio()
  other.append(new Int16Array(12 * 3_200).fill(-7))
  return other
}

const length = fc.integer({ min: 1, max: 12_000 })
const steps = fc.array(
  fc.record({
    append: fc.integer({ min: 0, max: 2_500 }),
    who: fc.integer({ min: 0, max: 2 }),
    take: fc.integer({ min: 0, max: 14 }),
  }),
  { minLength: 1, maxLength: 40 },
)

describe('the voice of an utterance', () => {
  test('is the same for every reader, with any fragmentation and timing', () => {
    fc.assert(
      fc.property(length, steps, (total, plan) => {
        const pcm = samples(total)
        const audio = new SpeechAudio()
        const listeners = [listener(audio), listener(audio), listener(audio)]
        let at = 0
        for (const { append, who, take } of plan) {
          audio.append(pcm.subarray(at, at + append))
          at = Math.min(total, at + append)
          listeners[who]!.take(take)
          scribble()
        }
        audio.append(pcm.subarray(at))
        audio.finish()
        for (const each of listeners) {
          each.take(1_000)
          expect(same(Int16Array.from(each.heard), wanted(pcm))).toBe(true)
          each.reader.close()
        }
      }),
      { numRuns: 150 },
    )
  })

  test('is a copy, and constant once finished', () => {
    const audio = new SpeechAudio()
    const pcm = samples(640)
    audio.append(pcm)
    pcm.fill(0)
    audio.finish()
    audio.append(samples(640))
    audio.finish()
    const { take, heard } = listener(audio)
    take(10)
    expect(heard).toEqual(Array.from(wanted(samples(640))))
    expect(audio.durationMs).toBe(40)
  })

  test('without samples is empty', () => {
    const audio = new SpeechAudio()
    audio.append(new Int16Array(0))
    audio.finish()
    expect(audio.frames).toBe(0)
    expect(audio.complete).toBe(true)
    expect(audio.reader().next()).toBeUndefined()
  })

  test('holds back samples that possibly need a fade-out, and no more', () => {
    const audio = new SpeechAudio()
    audio.append(samples(399))
    expect(audio.frames).toBe(0)
    audio.append(samples(1))
    expect(audio.frames).toBe(1)
    audio.finish()
    expect(audio.frames).toBe(2)
  })

  test('frees blocks at once when all readers have read them', () => {
    const audio = new SpeechAudio()
    const fast = audio.reader()
    const slow = audio.reader()
    audio.append(samples(3_200 * 3))
    const first = fast.next()
    for (let n = 1; n < 20; n++) fast.next()
    // The slow reader has not started: all blocks remain.
    const same = slow.next()
    expect(same?.buffer).toBe(first?.buffer)
    expect(same?.byteOffset).toBe(first?.byteOffset)
    for (let n = 1; n < 11; n++) slow.next()
    // Both are past the first block, whose memory another utterance now uses.
    const other = new SpeechAudio()
    other.append(samples(400))
    expect(other.reader().next()?.buffer).toBe(first?.buffer)
    expect(() => audio.reader()).toThrow('the start must be kept by a reader')
  })

  test('frees its buffers when the last reader leaves, even in the middle, even before the end', () => {
    for (const leave of ['before', 'after'] as const) {
      const audio = new SpeechAudio()
      const reader = audio.reader()
      audio.append(samples(3_200 * 2))
      const memory = reader.next()?.buffer
      if (leave === 'before') reader.close()
      audio.finish()
      if (leave === 'after') reader.close()
      reader.close()
      const seen = new Set<unknown>()
      const others = [new SpeechAudio(), new SpeechAudio()]
      for (const other of others) {
        other.append(samples(400))
        seen.add(other.reader().next()?.buffer)
      }
      expect(seen).toContain(memory)
    }
  })

  test('keeps a returned frame until the next call, for any other readers', () => {
    const audio = new SpeechAudio()
    const one = audio.reader()
    const two = audio.reader()
    audio.append(samples(3_200 * 2))
    for (let n = 0; n < 9; n++) one.next()
    const lent = one.next()!
    const copy = Array.from(lent)
    for (let n = 0; n < 12; n++) two.next()
    two.close()
    scribble()
    expect(Array.from(lent)).toEqual(copy)
  })

  test('tells when its last reader has left, once', () => {
    let left = 0
    const audio = new SpeechAudio(() => left++)
    const readers = [audio.reader(), audio.reader()]
    audio.append(samples(3_200))
    readers[0]!.close()
    readers[0]!.close()
    expect(left).toBe(0)
    readers[1]!.close()
    expect(left).toBe(1)
  })

  test('can be skipped to its end, and copied from there', () => {
    const audio = new SpeechAudio()
    const reader = audio.reader()
    audio.append(samples(3_200 * 4))
    audio.finish()
    reader.skipTo(30)
    expect(reader.at).toBe(30)
    const end = wanted(samples(3_200 * 4)).subarray(30 * FRAME_SAMPLES)
    expect(same(reader.rest(), end)).toBe(true)
    // The copy has not moved it, and what was skipped is free.
    expect(reader.at).toBe(30)
    scribble()
    expect(same(reader.rest(), end)).toBe(true)
  })
})
