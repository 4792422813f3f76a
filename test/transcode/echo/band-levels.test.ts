import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BandLevels, LEVELS_BYTES, POWERS_BYTES } from '../../../src/transcode/echo/band-levels.ts'
import { BANDS, echoModule, UNITS_PER_DB } from '../../../src/transcode/echo/echo-module.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'

/** Edges of the bands (Hz), and the lowest level (dB). */
const EDGES = [6, 9, 12, 15, 18, 21, 24, 27, 31, 35, 39, 43, 47, 51, 55, 60, 65, 70, 76, 82, 88, 95, 103, 112]
const SILENCE_DB = -90
const SIZE = 256

/** Powers of the bands by the definition of the Fourier transform: Hann window, 1 is a full-scale sine. */
function powersOf(samples: readonly number[]): number[] {
  const windowed = samples.map((sample, n) => sample * (0.5 - 0.5 * Math.cos((2 * Math.PI * n) / SIZE)))
  const scale = 1 / ((SIZE / 4) * 32_768) ** 2
  return Array.from({ length: BANDS }, (_, band) => {
    let power = 10 ** (SILENCE_DB / 10)
    for (let bin = EDGES[band]!; bin < EDGES[band + 1]!; bin++) {
      let re = 0
      let im = 0
      for (let n = 0; n < SIZE; n++) {
        re += windowed[n]! * Math.cos((2 * Math.PI * bin * n) / SIZE)
        im -= windowed[n]! * Math.sin((2 * Math.PI * bin * n) / SIZE)
      }
      power += (re * re + im * im) * scale
    }
    return power
  })
}

/** Half the rate: means of two neighbors. */
const halved = (frame: Int16Array) =>
  Array.from({ length: frame.length / 2 }, (_, n) => (frame[2 * n]! + frame[2 * n + 1]!) / 2)

const owner = {}
const levelsAt = echoModule().allocate(owner, LEVELS_BYTES)
const powersAt = echoModule().allocate(owner, POWERS_BYTES)
const decibels = () =>
  Array.from({ length: BANDS }, (_, band) => echoModule().i16[levelsAt / 2 + band]! / UNITS_PER_DB)
const powers = () => Array.from({ length: BANDS }, (_, band) => echoModule().f32[powersAt / 4 + band]!)

const tone = (hz: number, amplitude: number, frames = 3) =>
  Array.from({ length: frames }, (_, frame) =>
    Int16Array.from({ length: FRAME_SAMPLES }, (_, n) =>
      Math.round(amplitude * Math.sin((2 * Math.PI * hz * (frame * FRAME_SAMPLES + n)) / 16_000)),
    ),
  )

describe('band levels', () => {
  it('are those of a Fourier transform by its definition, for any frames', () => {
    const sample = fc.integer({ min: -32_768, max: 32_767 })
    const noise = fc.array(sample, { minLength: FRAME_SAMPLES, maxLength: FRAME_SAMPLES })
    fc.assert(
      fc.property(
        fc.array(noise, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 0, max: 14 }),
        (all, quieter) => {
          const frames = all.map(frame => Int16Array.from(frame, one => one >> quieter))
          const bands = new BandLevels()
          for (const frame of frames) bands.measure(frame, levelsAt, powersAt)
          const samples = [...new Array<number>(SIZE).fill(0), ...frames.flatMap(halved)].slice(-SIZE)
          const expected = powersOf(samples)
          const got = powers()
          // Single precision is exact to one part in 10⁵ of the loudest band.
          const tolerance = 1e-5 * Math.max(...expected)
          expected.forEach((power, band) => {
            expect(Math.abs(got[band]! - power)).toBeLessThan(tolerance + 1e-12)
            expect(decibels()[band]).toBeCloseTo(10 * Math.log10(got[band]!), 1)
          })
        },
      ),
      { numRuns: 30, seed: 26 },
    )
  })

  it('of a full-scale tone are 0 dB in its band', () => {
    const bands = new BandLevels()
    for (const frame of tone(1_000, 32_767)) bands.measure(frame, levelsAt)
    const levels = decibels()
    const loudest = levels.indexOf(Math.max(...levels))
    expect(EDGES[loudest]! * 31.25).toBeLessThanOrEqual(1_000)
    expect(EDGES[loudest + 1]! * 31.25).toBeGreaterThan(1_000)
    expect(levels[loudest]!).toBeGreaterThan(-1)
    expect(levels[loudest]!).toBeLessThan(2.5)
  })

  it('of silence are the lowest level, also after sound and a reset', () => {
    const bands = new BandLevels()
    for (const frame of tone(700, 10_000)) bands.measure(frame, levelsAt)
    bands.reset()
    bands.measure(new Int16Array(FRAME_SAMPLES), levelsAt)
    expect(decibels()).toEqual(new Array(BANDS).fill(SILENCE_DB))
  })

  it('of two voices do not depend on each other', () => {
    const [one, other] = [new BandLevels(), new BandLevels()]
    const frames = tone(500, 8_000)
    for (const frame of frames) one.measure(frame, levelsAt)
    const alone = decibels()
    one.reset()
    frames.forEach((frame, n) => {
      other.measure(tone(2_500, 30_000)[n]!, levelsAt)
      one.measure(frame, levelsAt)
    })
    expect(decibels()).toEqual(alone)
  })
})
