import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dbfs, peak, rms } from '../../../src/transcode/level.ts'
import { concat, FRAME_SAMPLES, SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { TimeStretcher } from '../../../src/transcode/stretch/time-stretch.ts'
import { noise, sine } from '../../support/transcode/signal.ts'
import {
  pitchAt,
  recording,
  recordings,
  sharpness,
  steepest,
  vowel,
} from '../../support/transcode/speech-signal.ts'

const FACTORS = [1.05, 1.1, 1.15, 1.2, 1.25]
/** Its look-ahead, and so the maximum delay of a removal. */
const WINDOW = 480

/** A source that returns `pcm` in pieces of `size`. */
function pieces(pcm: Int16Array, size: () => number = () => FRAME_SAMPLES) {
  let at = 0
  return () => {
    if (at >= pcm.length) return undefined
    const piece = pcm.subarray(at, at + size())
    at += piece.length
    return piece
  }
}

/** All of `pcm` at `factor`, and the source position of every 5 ms of the result. */
function stretched(pcm: Int16Array, factor: number | ((at: number) => number), trimming = false) {
  const stretch = new TimeStretcher(pieces(pcm))
  stretch.trimming = trimming
  const out: Int16Array[] = []
  const from: number[] = []
  const some = new Int16Array(80)
  for (let at = 0; ; at += 80) {
    stretch.factor = typeof factor === 'number' ? factor : factor(at)
    const count = stretch.read(some)
    from.push(stretch.position - count)
    out.push(some.slice(0, count))
    if (count < 80) return { pcm: concat(out), from, stretch }
  }
}

const level = (pcm: Int16Array) => dbfs(rms(pcm))

describe('speech made faster', () => {
  test.each(FACTORS)('by %f is shorter by that factor, to within the analysis window', factor => {
    for (const pcm of [recordings(), vowel(120, 3_000), sine(440, SAMPLE_RATE, 64_000, 8_000)]) {
      const { length } = stretched(pcm, factor).pcm
      expect(Math.abs(length - pcm.length / factor)).toBeLessThanOrEqual(WINDOW)
    }
  })

  test.each([0, 1])('in pieces of the maximum size, with trimming: %i', trim => {
    const pcm = recordings()
    const stretch = new TimeStretcher(pieces(pcm, () => 2_000))
    stretch.factor = 1.25
    stretch.trimming = trim === 1
    const out = new Int16Array(pcm.length)
    const length = stretch.read(out)
    const byFrames = stretched(pcm, 1.25, trim === 1).pcm
    expect(Math.abs(length - byFrames.length)).toBeLessThanOrEqual(pcm.length / 50)
    expect(Math.abs(level(out.subarray(0, length)) - level(byFrames))).toBeLessThan(0.5)
  })

  test.each([80, 97, 110, 155, 210, 300])('a voice of %i Hz keeps its pitch at every factor', hz => {
    const pcm = vowel(hz, 3_000)
    for (const factor of FACTORS) {
      const out = stretched(pcm, factor).pcm
      for (let at = 2_000; at < out.length - 2_000; at += 400)
        expect(Math.abs(pitchAt(out, at)! / hz - 1)).toBeLessThan(0.005)
    }
  })

  test.each([70, 100, 440, 980, 1_734, 3_000])('a tone of %i Hz keeps its pitch and its level', hz => {
    const pcm = sine(hz, SAMPLE_RATE, 64_000, 8_000)
    for (const factor of FACTORS) {
      const out = stretched(pcm, factor).pcm
      expect(Math.abs(tone(out) / hz - 1)).toBeLessThan(0.005)
      expect(Math.abs(level(out) - level(pcm))).toBeLessThan(0.1)
    }
  })

  test.each(FACTORS)('recorded speech at %f keeps its pitch, place by place, and its level', factor => {
    const pcm = recordings()
    const out = stretched(pcm, factor)
    const ratios: number[] = []
    for (let n = 8; n < out.from.length; n += 6) {
      const before = pitchAt(pcm, out.from[n]!)
      const after = pitchAt(out.pcm, n * 80)
      if (before && after) ratios.push(after / before)
    }
    expect(ratios.length).toBeGreaterThan(60)
    ratios.sort((a, b) => a - b)
    expect(Math.abs(ratios[ratios.length >> 1]! - 1)).toBeLessThan(0.005)
    // Octaves apart: the period is ambiguous there. The others can differ by the voice's own glide.
    const near = ratios.filter(ratio => ratio > 0.9 && ratio < 1.1)
    expect(near.length / ratios.length).toBeGreaterThan(0.9)
    expect(Math.abs(near.reduce((sum, ratio) => sum + ratio, 0) / near.length - 1)).toBeLessThan(0.005)
    for (const number of [1, 2, 3, 4, 5])
      expect(
        Math.abs(level(stretched(recording(number), factor).pcm) - level(recording(number))),
      ).toBeLessThan(0.5)
  })

  test('silence stays silence, and noise keeps its level', () => {
    expect(peak(stretched(new Int16Array(64_000), 1.25).pcm)).toBe(0)
    const hiss = Int16Array.from(noise(64_000), byte => (byte - 128) * 40)
    expect(Math.abs(level(stretched(hiss, 1.25).pcm) - level(hiss))).toBeLessThan(0.5)
  })

  test('at 1 is the same to the last bit, without delay', () => {
    const pcm = recording(2)
    const source = pieces(pcm)
    const stretch = new TimeStretcher(source)
    const frame = new Int16Array(FRAME_SAMPLES)
    for (let at = 0; at + FRAME_SAMPLES <= pcm.length; at += FRAME_SAMPLES) {
      expect(stretch.read(frame)).toBe(FRAME_SAMPLES)
      expect(frame).toEqual(pcm.slice(at, at + FRAME_SAMPLES))
      expect(stretch.buffered).toBe(0)
    }
  })

  test.each([0.99, 1.26, 0, Number.NaN, Number.POSITIVE_INFINITY])('rejects a factor of %f', factor => {
    const stretch = new TimeStretcher(() => undefined)
    expect(() => {
      stretch.factor = factor
    }).toThrow(/between 1 and 1.25, got/)
    expect(stretch.factor).toBe(1)
  })
})

describe('is free of clicks', () => {
  /** Removes a fifth at arbitrary positions, which the measurement must detect. */
  const careless = (pcm: Int16Array) => {
    const parts: Int16Array[] = []
    const from: number[] = []
    for (let at = 0; at + 1_000 <= pcm.length; at += 1_000) {
      parts.push(pcm.subarray(at, at + 800))
      for (let n = 0; n < 10; n++) from.push(at + n * 80)
    }
    return { pcm: concat(parts), from }
  }

  test.each([120, 250, 440, 1_000])('in a tone of %i Hz', hz => {
    const pcm = sine(hz, SAMPLE_RATE, 64_000, 8_000)
    const out = stretched(pcm, 1.25)
    expect(sharpness(out.pcm, pcm, out.from)).toBeLessThan(1.5)
    expect(steepest(out.pcm)).toBeLessThan(steepest(pcm) * 1.02)
    const bad = careless(pcm)
    expect(sharpness(bad.pcm, pcm, bad.from)).toBeGreaterThan(4)
  })

  test('in recorded speech, at any factor, with pauses trimmed or not', () => {
    const pcm = recordings()
    for (const factor of [1, ...FACTORS])
      for (const trimming of [false, true]) {
        const out = stretched(pcm, factor, trimming)
        // A pause's own noise, mixed with much earlier samples, is compared with its surroundings.
        expect(sharpness(out.pcm, pcm, out.from)).toBeLessThan(trimming ? 2 : 1.6)
        expect(steepest(out.pcm)).toBeLessThanOrEqual(steepest(pcm) * 1.05)
      }
    const bad = careless(pcm)
    expect(sharpness(bad.pcm, pcm, bad.from)).toBeGreaterThan(5)
  })

  test('when the factor changes at every moment, to 1 and back', () => {
    const random = noise(4_000, 7)
    for (const pcm of [recordings(), sine(440, SAMPLE_RATE, 128_000, 8_000), vowel(130, 4_000)]) {
      const change = (at: number) => {
        const byte = random[Math.floor(at / 400) % random.length]!
        return byte < 100 ? 1 : 1 + (byte / 255) * 0.25
      }
      const out = stretched(pcm, change)
      expect(out.pcm.length).toBeLessThan(pcm.length * 0.97)
      expect(sharpness(out.pcm, pcm, out.from)).toBeLessThan(1.6)
      expect(steepest(out.pcm)).toBeLessThanOrEqual(steepest(pcm) * 1.05)
    }
  })
})

describe('arbitrary input', () => {
  const size = fc.integer({ min: 1, max: 1_900 })

  test('in pieces of any size, at any factors, every sample passes or is removed, and none is invented', () => {
    const speech = recording(3)
    const plan = fc.record({
      from: fc.integer({ min: 0, max: 40_000 }),
      length: fc.integer({ min: 0, max: 12_000 }),
      sizes: fc.array(size, { minLength: 1, maxLength: 20 }),
      outs: fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 20 }),
      factors: fc.array(fc.double({ min: 1, max: 1.25, noNaN: true }), { minLength: 1, maxLength: 20 }),
      trimming: fc.boolean(),
    })
    fc.assert(
      fc.property(plan, ({ from, length, sizes, outs, factors, trimming }) => {
        const pcm = speech.slice(from, from + length)
        let given = 0
        const stretch = new TimeStretcher(pieces(pcm, () => sizes[given++ % sizes.length]!))
        stretch.trimming = trimming
        let samples = 0
        for (let n = 0; ; n++) {
          stretch.factor = factors[n % factors.length]!
          const out = new Int16Array(outs[n % outs.length]!)
          const count = stretch.read(out)
          samples += count
          expect(stretch.position).toBe(samples + stretch.trimmed + stretch.hastened)
          if (count < out.length) break
        }
        expect(stretch.position).toBe(pcm.length)
        expect(stretch.buffered).toBe(0)
        expect(samples).toBeGreaterThanOrEqual(Math.floor((pcm.length - stretch.trimmed) / 1.25))
      }),
      { numRuns: 200, seed: 4 },
    )
  })

  test('never removes more than an intermittent source allows', () => {
    const speech = recordings()
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 10, maxLength: 300 }), arrivals => {
        let at = 0
        let there = 0
        const stretch = new TimeStretcher(() => {
          if (at >= there) return undefined
          at += FRAME_SAMPLES
          return speech.subarray(at - FRAME_SAMPLES, at)
        })
        stretch.factor = 1.25
        stretch.trimming = true
        const out = new Int16Array(FRAME_SAMPLES)
        for (const frames of arrivals) {
          there = Math.min(speech.length - FRAME_SAMPLES, there + frames * FRAME_SAMPLES)
          if (stretch.ready(FRAME_SAMPLES)) expect(stretch.read(out)).toBe(FRAME_SAMPLES)
        }
      }),
      { numRuns: 60, seed: 4 },
    )
  })

  test('drops buffered samples and restarts', () => {
    let next = sine(440, SAMPLE_RATE, 2_000)
    const stretch = new TimeStretcher(() => {
      const pcm = next
      next = new Int16Array(0)
      return pcm.length > 0 ? pcm : undefined
    })
    stretch.factor = 1.25
    stretch.read(new Int16Array(320))
    expect(stretch.buffered).toBeGreaterThan(1_000)
    stretch.clear()
    expect([stretch.buffered, stretch.position]).toEqual([0, 2_000])
    next = sine(1_000, SAMPLE_RATE, 600)
    const out = new Int16Array(320)
    stretch.read(out)
    expect(out).toEqual(sine(1_000, SAMPLE_RATE, 320))
  })
})

/** The frequency of a tone (Hz), from its first and last rising zero crossings. */
function tone(pcm: Int16Array): number {
  const rises: number[] = []
  for (let i = 1; i < pcm.length; i++) {
    const [a, b] = [pcm[i - 1]!, pcm[i]!]
    if (a < 0 && b >= 0) rises.push(i - 1 + a / (a - b))
  }
  return ((rises.length - 1) * SAMPLE_RATE) / (rises.at(-1)! - rises[0]!)
}
