import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { peak } from '../../../src/transcode/level.ts'
import { DamageGuard } from '../../../src/transcode/mp3/damage-guard.ts'
import type { Mp3Pool } from '../../../src/transcode/mp3/decoder-pool.ts'
import { type Mp3Header, mp3HeaderAt } from '../../../src/transcode/mp3/header.ts'
import { Mp3Native } from '../../../src/transcode/mp3/mpg123-native.ts'
import { Mp3Wasm } from '../../../src/transcode/mp3/mpg123-wasm.ts'
import { samplesOf } from '../../../src/transcode/pcm.ts'
import { decodeAll, encodeMp3, frameStarts, openPool } from '../../support/transcode/mp3-fixtures.ts'
import { sine, snr, voice } from '../../support/transcode/signal.ts'

const RATE = 16_000
const SAMPLES = 576
const header = { samples: SAMPLES, rate: RATE } as Mp3Header
/** Frames that last half a second. */
const HALF_SECOND = Math.ceil((RATE * 0.5) / SAMPLES)

/** One frame of a tone with `peak`. */
const frame = (level: number) => sine(500, RATE, SAMPLES, level)

/** A guard that has heard half a second of voice with `level`. */
function knowing(level: number): DamageGuard {
  const guard = new DamageGuard()
  for (let n = 0; n < HALF_SECOND; n++) guard.pass(frame(level), level / 32_768, header)
  return guard
}

const given = (guard: DamageGuard, pcm: Int16Array | undefined, reach = pcm ? peak(pcm) / 32_768 : 0) =>
  guard.pass(pcm, reach, header).slice()

describe('one frame', () => {
  test('that is not a burst stays identical', () => {
    const guard = knowing(5_000)
    for (const level of [0, 100, 4_000, 12_000, 19_900]) {
      const pcm = frame(level)
      expect(guard.pass(pcm, level / 32_768, header)).toBe(pcm)
    }
    expect(guard.changed).toBe(0)
  })

  test('can have any level while the volume is unknown', () => {
    const guard = new DamageGuard()
    for (const level of [300, 32_000, 1_000])
      expect(peak(given(guard, frame(level)))).toBeGreaterThan(level * 0.98)
    expect(guard.changed).toBe(0)
  })

  test('beyond 1.4 × full scale is silence', () => {
    for (const guard of [new DamageGuard(), knowing(20_000)]) {
      expect(peak(given(guard, frame(32_767), 1.5).subarray(64))).toBe(0)
      expect(peak(given(guard, frame(32_767), Infinity))).toBe(0)
      expect(guard.changed).toBe(2)
    }
  })

  test('that cannot be decoded is silence, without a step', () => {
    const guard = knowing(20_000)
    const steps = [frame(20_000).at(-1)!, ...given(guard, undefined)].map(
      (each, i, all) => each - (all[i - 1] ?? each),
    )
    expect(Math.max(...steps.map(Math.abs))).toBeLessThan(20_000 / 60)
  })

  test('12 dB above the voice is limited to its level, with smooth ends', () => {
    const guard = knowing(3_000)
    const before = frame(3_000)
    const burst = given(guard, frame(32_000))
    const after = given(guard, frame(3_000))
    expect(peak(burst)).toBeGreaterThan(11_500)
    expect(peak(burst)).toBeLessThanOrEqual(12_000)
    expect(guard.changed).toBe(1)
    // A tone of 500 Hz at 12 000 moves by 2350 from sample to sample; a step would be more.
    const all = [...before, ...burst, ...after]
    for (let i = 1; i < all.length; i++) expect(Math.abs(all[i]! - all[i - 1]!)).toBeLessThan(3_000)
    expect(given(guard, frame(3_000))).toEqual(frame(3_000))
  })

  test('near damage rises by at most 6 dB', () => {
    const guard = knowing(3_000)
    guard.warn()
    expect(peak(given(guard, frame(32_000)))).toBeLessThanOrEqual(6_000)
    const early = new DamageGuard()
    early.warn()
    expect(peak(given(early, frame(32_000)))).toBeLessThanOrEqual(8_192)
  })
})

test('of a voice that becomes louder passes after half a second', () => {
  const guard = knowing(2_000)
  const heard = Array.from({ length: HALF_SECOND + 10 }, () => peak(given(guard, frame(30_000))))
  for (const each of heard.slice(0, HALF_SECOND - 2)) expect(each).toBeLessThanOrEqual(8_000)
  for (const each of heard.slice(HALF_SECOND + 1)) expect(each).toBeGreaterThan(29_000)
})

test('in an occasional burst does not change the known level', () => {
  const guard = knowing(3_000)
  for (let n = 0; n < 300; n++) {
    const burst = n % 10 === 0
    const heard = given(guard, frame(burst ? 30_000 : 3_000))
    expect(peak(heard)).toBeLessThanOrEqual(12_000)
    if (!burst) expect(peak(heard.subarray(64))).toBeLessThanOrEqual(3_000)
  }
})

test('of a recorded voice stays unchanged, sample by sample', () => {
  for (let number = 1; number <= 5; number++) {
    const file = new URL(`../../../recordings/sense-and-sensibility-${number}.wav`, import.meta.url)
    const pcm = samplesOf(readFileSync(file).subarray(44))
    for (let from = 0; from < pcm.length / 2; from += RATE / 4) {
      const guard = new DamageGuard()
      let same = true
      for (let at = from; at + SAMPLES <= pcm.length; at += SAMPLES) {
        const one = pcm.subarray(at, at + SAMPLES)
        same &&= guard.pass(one, peak(one) / 32_768, header) === one
      }
      expect(same, `${number} from ${from}`).toBe(true)
    }
  }
})

test('of a voice that becomes quieter is still compared with its earlier level', () => {
  const guard = knowing(8_000)
  for (let n = 0; n < 200; n++) given(guard, frame(500))
  expect(given(guard, frame(30_000))).toEqual(frame(30_000))
})

const native = await Mp3Native.open()
const backends = [...(native ? [native] : []), new Mp3Wasm()]

describe('a damaged MP3', () => {
  const LEVEL = 3_000
  const source = voice(RATE, 4)
  const loudest = peak(source)
  const mp3 = encodeMp3(
    source.map(sample => Math.round((sample * LEVEL) / loudest)),
    RATE,
  )
  const starts = frameStarts(mp3)
  /** The first frame to be damaged: half a second of voice precedes it, not counting pauses. */
  const FIRST = Math.ceil((1.6 * RATE) / SAMPLES)

  /** Returns `mp3` with `count` bytes changed after frame headers, except in the first frames. */
  function damaged(seed: number, count: number): Uint8Array {
    let state = seed * 7_919 + 1
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
      return Math.floor((state / 0x80000000) * below)
    }
    const bytes = mp3.slice()
    for (let n = 0; n < count; n++) {
      const at = FIRST + random(starts.length - FIRST - 3)
      bytes[starts[at]! + 4 + random(starts[at + 1]! - starts[at]! - 4)] = random(256)
    }
    return bytes
  }

  /** Level produced by the decoder alone. */
  function unguarded(pool: Mp3Pool, bytes: Uint8Array): number {
    const decoder = pool.borrow()!
    let loudest = 0
    for (const at of starts.slice(0, -1)) {
      decoder.decode(bytes, at, mp3HeaderAt(bytes, at)!)
      loudest = Math.max(loudest, decoder.peak)
    }
    pool.giveBack(decoder)
    return Math.min(1, loudest) * 32_768
  }

  // Number of changed bytes, and the allowed excess over the voice: 13 dB while most frames are whole, otherwise 18.
  const damages = [
    [1, 4.5],
    [10, 4.5],
    [60, 8],
  ] as const
  test.each(backends.flatMap(backend => damages.map(each => [backend.name, ...each, backend] as const)))(
    '%s, %i bytes changed: no sample is %d times as loud as the voice, for any seed',
    async (_name, count, times, backend) => {
      const pool = await openPool(backend)
      const clean = decodeAll(pool, mp3)
      expect(clean.stats).toMatchObject({ mutedFrames: 0, badFrames: 0 })
      const bound = peak(clean.pcm) * times
      const before = FIRST * SAMPLES - 1_105 - SAMPLES
      let bursts = 0
      for (let seed = 1; seed <= 100; seed++) {
        const bytes = damaged(seed, count)
        const { pcm } = decodeAll(pool, bytes)
        expect(pcm.subarray(0, before), `seed ${seed}`).toEqual(clean.pcm.subarray(0, before))
        expect(peak(pcm), `seed ${seed}`).toBeLessThan(bound)
        if (unguarded(pool, bytes) > bound) bursts++
      }
      // Without the guard, the level is exceeded.
      expect(bursts).toBeGreaterThanOrEqual(Math.min(count, 5))
      pool.close()
    },
  )

  test('keeps undamaged frames unchanged', async () => {
    const pool = await openPool()
    const clean = decodeAll(pool, mp3).pcm
    for (let seed = 1; seed <= 40; seed++) {
      const { pcm, stats } = decodeAll(pool, damaged(seed, 1))
      expect(pcm.length).toBe(clean.length)
      expect(stats.mutedFrames).toBeLessThanOrEqual(6)
      let different = 0
      for (let at = 0; at < pcm.length; at += SAMPLES)
        if (snr(clean.subarray(at, at + SAMPLES), pcm.subarray(at, at + SAMPLES)) < 40) different++
      expect(different, `seed ${seed}`).toBeLessThanOrEqual(9)
    }
    pool.close()
  })
})
