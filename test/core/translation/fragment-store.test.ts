import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FragmentPool, LINEAR_STORAGE, PHONE_STORAGE } from '../../../src/core/translation/fragment-store.ts'
import { ReplayBuffer } from '../../../src/core/translation/replay-buffer.ts'
import { FRAME_SAMPLES, SAMPLE_RATE } from '../../../src/transcode/pcm.ts'

describe('stored as linear16', () => {
  test('audio comes back unchanged', () => {
    fc.assert(
      fc.property(fc.int16Array({ minLength: FRAME_SAMPLES, maxLength: FRAME_SAMPLES }), pcm => {
        const stored = new Uint8Array(LINEAR_STORAGE.bytesPerFrame)
        const out = new Int16Array(FRAME_SAMPLES)
        LINEAR_STORAGE.store(pcm, stored)
        LINEAR_STORAGE.load(stored, out)
        expect(out).toEqual(pcm)
      }),
    )
  })
})

describe('stored as the phone line carries it', () => {
  test('takes a quarter of the memory', () => {
    expect(PHONE_STORAGE.bytesPerFrame * 4).toBe(LINEAR_STORAGE.bytesPerFrame)
  })

  // The band of the phone network (ITU-T G.712).
  test.each([300, 500, 1_000, 2_000, 2_700, 3_000, 3_400])('a tone of %d Hz keeps level and phase', hz => {
    const { given, got } = throughBuffer(n => 8_000 * Math.sin((2 * Math.PI * hz * n) / SAMPLE_RATE))
    expect(signalToNoiseDb(given, got)).toBeGreaterThan(hz < 3_000 ? 28 : 18)
  })

  test('speech-like sound at any level keeps its level, without clicks at the seams', () => {
    for (const level of [30, 300, 3_000, 30_000]) {
      const partials = [220, 440, 880, 1_320, 2_200]
      const { given, got } = throughBuffer(
        n =>
          (level / 5) * partials.reduce((sum, hz) => sum + Math.sin((2 * Math.PI * hz * n) / SAMPLE_RATE), 0),
      )
      // At 30 of 32 768 the steps of µ-law themselves are the noise.
      expect(signalToNoiseDb(given, got)).toBeGreaterThan(level > 100 ? 25 : 10)
      const seams = [1, 2, 3, 4].map(n => n * 3 * FRAME_SAMPLES)
      for (const at of seams)
        expect(signalToNoiseDb(given.subarray(at - 8, at + 8), got.subarray(at - 8, at + 8))).toBeGreaterThan(
          level > 100 ? 15 : 0,
        )
    }
  })

  test('loud samples are limited, not wrapped around', () => {
    const pcm = Int16Array.from({ length: FRAME_SAMPLES }, (_, n) => (n % 8 < 4 ? 32_767 : -32_768))
    const stored = new Uint8Array(PHONE_STORAGE.bytesPerFrame)
    const out = new Int16Array(FRAME_SAMPLES)
    PHONE_STORAGE.store(pcm, stored)
    PHONE_STORAGE.load(stored, out)
    for (let n = 8; n < FRAME_SAMPLES - 8; n++)
      if (n % 8 === 1 || n % 8 === 2) expect(out[n]).toBeGreaterThan(25_000)
  })
})

describe('the pool', () => {
  test('reuses returned fragments, and never lends one twice', () => {
    const pool = new FragmentPool()
    const first = pool.take(480)
    const second = pool.take(480)
    expect(second).not.toBe(first)
    pool.give(first)
    expect(pool.take(1_440)).not.toBe(first)
    const again = pool.take(480)
    expect(again).toBe(first)
    expect(again.stored).toHaveLength(480)
    expect(pool.lent).toBe(3)
  })

  test('pieces do not overlap, whatever their sizes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 70_000 }), { maxLength: 40 }), sizes => {
        const pool = new FragmentPool()
        const pieces = sizes.map(size => pool.take(size).stored)
        pieces.forEach((piece, n) => void piece.fill(n + 1))
        pieces.forEach((piece, n) => {
          expect(piece.length).toBe(sizes[n])
          expect(piece.every(byte => byte === n + 1)).toBe(true)
        })
      }),
    )
  })
})

/** Five fragments through a buffer of a phone leg, replayed after a lost connection. */
function throughBuffer(sample: (n: number) => number) {
  const buffer = new ReplayBuffer({
    ...{ pool: new FragmentPool(), fragmentMs: 60, capacityMs: 10_000, narrowband: true },
  })
  const given = Int16Array.from({ length: 15 * FRAME_SAMPLES }, (_, n) => Math.round(sample(n)))
  for (let n = 0; n < 15; n++) buffer.write(given.subarray(n * FRAME_SAMPLES, (n + 1) * FRAME_SAMPLES), false)
  const got = new Int16Array(given.length)
  // A frame more, so that the newest fragment is no longer the one being filled.
  buffer.write(new Int16Array(FRAME_SAMPLES), false)
  let at = 0
  for (let fragment = buffer.next(0); fragment; fragment = buffer.next(0)) {
    const bytes = buffer.bytesOf(fragment)
    got.set(new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2), at)
    at += bytes.length / 2
  }
  // The ends have no neighbors.
  return { given: given.subarray(8, -8), got: got.subarray(8, -8) }
}

function signalToNoiseDb(given: Int16Array, got: Int16Array): number {
  let signal = 0
  let noise = 0
  for (let n = 0; n < given.length; n++) {
    signal += given[n]! ** 2
    noise += (given[n]! - got[n]!) ** 2
  }
  return 10 * Math.log10((signal + 1) / (noise + 1))
}
