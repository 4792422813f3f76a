import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { SharedVoice } from '../../../src/core/utterance/shared-voice.ts'
import type { UtteranceReader } from '../../../src/core/utterance/speech-audio.ts'
import { Mp3Maker, type Mp3Rate } from '../../../src/simulator/service/scripted-answers.ts'
import { LoudnessNormalizer } from '../../../src/transcode/loudness-normalizer.ts'
import { Mp3Pool } from '../../../src/transcode/mp3/decoder-pool.ts'
import { concat } from '../../../src/transcode/pcm.ts'
import type { VoiceStats } from '../../../src/transcode/voice-stream.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { louder, recording } from '../../support/transcode/speech-signal.ts'

let maker: Mp3Maker
const pool = new Mp3Pool()
beforeAll(async () => {
  maker = await Mp3Maker.create()
  await pool.ready()
})

/** Speech of `ms` at 16 kHz. */
function speech(ms: number): Int16Array {
  const said = concat([recording(1), recording(2), recording(3), recording(4), recording(5)])
  return Int16Array.from({ length: ms * 16 }, (_, n) => said[n % said.length]!)
}

function voice(
  bytes: Uint8Array | readonly Uint8Array[],
  { leveler, ended = true }: { leveler?: LoudnessNormalizer; ended?: boolean } = {},
) {
  const seen: { stats: VoiceStats; whole: boolean }[] = []
  const made = new SharedVoice({
    pool,
    leveler,
    finished: (stats, whole) => seen.push({ stats, whole }),
  })
  for (const each of bytes instanceof Uint8Array ? [bytes] : bytes) made.write(each)
  if (ended) made.end()
  made.decode(4)
  return Object.assign(made, { seen })
}

/** A WAV with a chunk that would be loud noise. */
function titled(pcm: Int16Array): Buffer {
  const noise = Buffer.alloc(60_000, 0x91)
  return Buffer.concat([encodeWav(pcm, 16_000), Buffer.from('id3 \x60\xea\0\0', 'latin1'), noise])
}

/** Decodes as the queue does. */
function ticks(made: SharedVoice, most = 20): void {
  for (let n = 0; n < most && made.due && made.decode(16); n++);
}

/** Reads everything, decoding as needed. A reader without samples possibly has to catch up. */
function readAll(reader: UtteranceReader, made: SharedVoice): Int16Array {
  const frames: Int16Array[] = []
  for (let missing = 0; !reader.done && missing < 100; ) {
    const frame = reader.next()
    if (frame) frames.push(frame.slice())
    else {
      missing++
      ticks(made, 1)
    }
  }
  return concat(frames)
}

/** Returns the samples of `bytes` decoded at once. */
function whole(bytes: Uint8Array): Int16Array {
  const made = voice(bytes)
  const reader = made.reader()
  while (made.decode(1_000));
  const all = readAll(reader, made)
  reader.close()
  return all
}

/** Largest difference of two equally long voices; Infinity if their lengths differ. */
function difference(a: Int16Array, b: Int16Array): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY
  let most = 0
  for (let n = 0; n < a.length; n++) most = Math.max(most, Math.abs(a[n]! - b[n]!))
  return most
}

const mp3 = (pcm: Int16Array, rate: Mp3Rate = 16_000, kbps?: 32 | 48 | 64 | 128 | 320) =>
  maker.encode(pcm, rate, kbps)

describe('a voice decoded while it is played', () => {
  test.each<[string, () => Uint8Array, number]>([
    ['mp3 of 16 kHz', () => mp3(speech(6_000), 16_000, 48), 1],
    ['mp3 of 24 kHz', () => mp3(speech(6_000), 24_000, 32), 1],
    ['mp3 of 44.1 kHz', () => mp3(speech(6_000), 44_100, 128), 1],
    ['WAV', () => encodeWav(speech(6_000), 16_000), 0],
    ['WAV of 24 kHz', () => encodeWav(speech(6_000), 24_000), 0],
  ])('is the same as decoded at once: %s', (_, make, tolerance) => {
    const bytes = make()
    const expected = whole(bytes)
    expect(expected.length).toBeGreaterThan(30_000)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(2), fc.nat(40), fc.nat(2)), { minLength: 5, maxLength: 60 }),
        steps => {
          const made = voice(bytes)
          const readers = [made.reader(), made.reader(), made.reader()]
          const heard: Int16Array[][] = [[], [], []]
          for (const [who, frames, decodes] of steps) {
            ticks(made, decodes)
            for (let n = 0; n < frames; n++) {
              const frame = readers[who]!.next()
              if (frame) heard[who]!.push(frame.slice())
            }
          }
          for (const [n, reader] of readers.entries()) {
            const all = concat([...heard[n]!, readAll(reader, made)])
            expect(reader.done).toBe(true)
            expect(difference(all, expected)).toBeLessThanOrEqual(tolerance)
            reader.close()
          }
        },
      ),
      { numRuns: 15, seed: 7 },
    )
  })

  test('is decoded less than a second ahead, and not kept after it was read', () => {
    const made = voice(mp3(speech(20_000)))
    ticks(made)
    expect(made.frames).toBeLessThanOrEqual(45)
    const reader = made.reader()
    for (let n = 0; n < 500; n++) {
      reader.next()
      if (n % 2 === 0) ticks(made, 1)
      expect(made.frames - reader.at).toBeLessThanOrEqual(45)
      expect(made.frames - reader.at).toBeGreaterThan(5)
    }
    reader.close()
  })

  test('knows its length before it is decoded', () => {
    for (const bytes of [
      mp3(speech(8_000)),
      mp3(speech(8_000), 48_000, 64),
      encodeWav(speech(8_000), 16_000),
    ]) {
      const made = voice(bytes)
      made.decode(4)
      const known = made.durationMs
      const reader = made.reader()
      readAll(reader, made)
      expect(made.complete).toBe(true)
      expect(Math.abs(made.durationMs - known)).toBeLessThan(80)
      expect(Math.abs(made.durationMs - reader.at * 20)).toBeLessThan(20)
      reader.close()
    }
  })

  test('200 voices that wait or play need little memory; all of it is released', () => {
    const bytes = mp3(speech(8_000), 16_000, 48)
    const before = process.memoryUsage().arrayBuffers
    const voices = Array.from({ length: 200 }, () => voice(bytes))
    const readers = voices.map(made => made.reader())
    for (const made of voices) ticks(made)
    for (let n = 0; n < 100; n++)
      for (const [i, reader] of readers.entries()) {
        reader.next()
        ticks(voices[i]!, 1)
      }
    globalThis.gc?.()
    const each = (process.memoryUsage().arrayBuffers - before) / 200 / 1_024
    // All 8 s as samples are 250 KiB.
    expect(each).toBeLessThan(bytes.length / 1_024 + 48)
    for (const reader of readers) reader.close()
    for (const made of voices) expect(made.bytes).toBe(0)
    expect(pool.idle).toBe(pool.size)
  })
})

describe('a voice played again', () => {
  test('from its start, after a break, is the same', () => {
    const made = voice(mp3(louder(speech(5_000), -8)), { leveler: new LoudnessNormalizer(-20) })
    const hold = made.hold()
    const reader = made.reader()
    const heard: Int16Array[] = []
    for (let n = 0; n < 150; n++) {
      ticks(made, 1)
      heard.push(reader.next()!.slice())
    }
    const again = made.reader()
    reader.close()
    ticks(made, 1)
    const repeated: Int16Array[] = []
    while (!again.done) {
      ticks(made, 1)
      const frame = again.next()
      if (frame) repeated.push(frame.slice())
    }
    expect(again.done).toBe(true)
    expect(Math.abs(repeated.length * 20 - 5_000)).toBeLessThan(80)
    expect(difference(concat(heard), concat(repeated.slice(0, 150)))).toBeLessThanOrEqual(1)
    again.close()
    expect(made.bytes).toBeGreaterThan(0)
    hold.close()
    expect(made.bytes).toBe(0)
  })

  test('as a copy, which is decoded soon', () => {
    const bytes = mp3(speech(6_000))
    const expected = whole(bytes)
    const made = voice(bytes)
    const hold = made.hold()
    const reader = made.reader()
    readAll(reader, made)
    hold.keepEnd(1_000)
    expect(hold.whole).toBe(true)
    reader.close()
    const pcm = made.copy(1_000)
    expect(difference(pcm.subarray(0, 8_000), expected.subarray(0, 8_000))).toBeLessThanOrEqual(1)
    // It can be given up meanwhile.
    hold.close()
    ticks(made)
    expect(difference(pcm, expected)).toBeLessThanOrEqual(1)
    expect(made.bytes).toBe(0)
  })

  test.each<[string, () => Uint8Array]>([
    ['mp3', () => mp3(speech(33_000))],
    ['mp3 of 24 kHz', () => mp3(speech(33_000 * 2), 24_000)],
    ['WAV of 24 kHz', () => encodeWav(speech(33_000 * 2), 24_000)],
    ['WAV files with metadata', () => Buffer.concat([titled(speech(10_000)), titled(speech(23_000))])],
  ])('keeps the last 20 s of a long one: %s', (_, make) => {
    const bytes = make()
    const expected = whole(bytes)
    const made = voice(bytes)
    const hold = made.hold()
    const reader = made.reader()
    readAll(reader, made)
    hold.keepEnd(1_000)
    expect(hold.whole).toBe(false)
    expect(made.bytes).toBe(bytes.length)
    reader.close()
    expect(made.bytes).toBeLessThan((bytes.length * 21_500) / ((expected.length / 320) * 20))
    const pcm = made.copy(1_000)
    ticks(made, 200)
    expect(pcm).toHaveLength(320_000)
    const end = expected.subarray(-320_000)
    let best = Number.POSITIVE_INFINITY
    // Positions in mp3 are rounded to frames of 20 ms.
    for (let shift = -480; shift <= 480; shift++) {
      let sum = 0
      for (let n = 100_000; n < 104_000; n++) sum += Math.abs(pcm[n]! - end[n + shift]!)
      best = Math.min(best, sum / 4_000)
    }
    expect(best).toBeLessThan(60)
    hold.close()
    expect(made.bytes).toBe(0)
  })
})

test('a voice stopped in the middle ends with what was decoded', () => {
  const made = voice(mp3(speech(4_000)), { ended: false })
  const reader = made.reader()
  ticks(made)
  reader.next()
  made.close()
  expect(made.complete).toBe(true)
  const rest = readAll(reader, made)
  expect(reader.done).toBe(true)
  expect(rest.length).toBeGreaterThan(5_000)
  expect(rest.length).toBeLessThan(16_000 * 1.5)
  expect(made.seen).toMatchObject([{ whole: false }])
})

test('gives up bytes that are no audio as soon as all of them were examined', () => {
  const made = voice(new Uint8Array(1 << 20).fill(0x55))
  const reader = made.reader()
  ticks(made, 1_000)
  expect(made.complete).toBe(true)
  expect(reader.done).toBe(true)
  expect(made.bytes).toBe(0)
  expect(made.seen).toMatchObject([{ whole: true, stats: { frames: 0, invalidBytes: 1 << 20 } }])
})

test.each<[string, (ms: number) => Uint8Array]>([
  ['WAV', ms => encodeWav(Int16Array.from(speech(ms * 3)), 48_000)],
  ['mp3', ms => mp3(Int16Array.from(speech(ms * 3)), 48_000, 320)],
])('a voice that is too large to be kept is still heard, and its end can be repeated: %s', (format, make) => {
  // 5 MB in 52 s of WAV, or in 125 s of mp3, of which the last 5 s are not kept.
  const bytes = make(format === 'WAV' ? 54_000 : 118_000)
  expect(bytes.length).toBeGreaterThan(4.5e6)
  const expected = whole(bytes.subarray(0, 4 << 20))
  const made = voice(bytes.subarray(0, 100_000), { ended: false })
  const hold = made.hold()
  const reader = made.reader()
  const behind = made.reader()
  behind.next()
  const heard: Int16Array[] = []
  // Arrives faster than it is played.
  for (let at = 100_000; !reader.done && heard.length < 10_000; ) {
    const size = format === 'WAV' ? 2_880 : 1_200
    if (at < bytes.length) made.write(bytes.subarray(at, at + size))
    else made.end()
    at += size
    if (reader.at % 5 === 0) ticks(made, 1)
    const frame = reader.next()
    if (frame) heard.push(frame.slice())
  }
  const all = concat(heard)
  expect(difference(all.subarray(0, 320_000), expected.subarray(0, 320_000))).toBeLessThanOrEqual(1)
  expect(made.bytes).toBeLessThanOrEqual(4 << 20)
  expect(hold.whole).toBe(false)
  // It was left more than a second behind, and its bytes are gone.
  expect(behind.next()).toBeUndefined()
  expect(behind.done).toBe(true)
  const pcm = made.copy(1_000)
  ticks(made, 2_000)
  expect(pcm).toHaveLength(320_000)
  let best = Number.POSITIVE_INFINITY
  for (let shift = -640; shift <= 640; shift++) {
    let sum = 0
    for (let n = 100_000; n < 104_000; n++) sum += Math.abs(pcm[n]! - all[all.length - 320_000 + n + shift]!)
    best = Math.min(best, sum / 4_000)
  }
  expect(best).toBeLessThan(60)
})
