/** Loudness as ITU-R BS.1770-4 defines it: an oracle for the measurement in `src/transcode`, from the recommendation's tables. */

import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'
import { sine } from './tone.ts'

/** Coefficients of annex 1, for 48 kHz: b0, b1, b2, a1, a2. */
const SHELF = [
  1.535_124_859_586_97, -2.691_696_189_406_38, 1.198_392_810_852_85, -1.690_659_293_182_41,
  0.732_480_774_215_85,
]
const HIGH_PASS = [1, -2, 1, -1.990_047_454_833_98, 0.990_072_250_366_21]

/** Returns the gated loudness of `pcm` at 16 or 48 kHz, mono (LUFS). */
export function integratedLufs(pcm: Int16Array, rate: 16_000 | 48_000 = SAMPLE_RATE): number {
  const at48 = rate === 48_000 ? pcm : createResampler(SAMPLE_RATE, 48_000).process(pcm)
  const weighted = filter(
    filter(
      Float64Array.from(at48, sample => sample / 32_768),
      SHELF,
    ),
    HIGH_PASS,
  )
  // Blocks of 400 ms that overlap by three quarters.
  const powers: number[] = []
  for (let from = 0; from + 19_200 <= weighted.length; from += 4_800)
    powers.push(
      weighted.subarray(from, from + 19_200).reduce((sum, value) => sum + value * value, 0) / 19_200,
    )
  const audible = powers.filter(power => lufs(power) > -70)
  const gate = lufs(mean(audible)) - 10
  return lufs(mean(audible.filter(power => lufs(power) > gate)))
}

function lufs(power: number): number {
  return -0.691 + 10 * Math.log10(power)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function filter(from: Float64Array, [b0, b1, b2, a1, a2]: readonly number[]): Float64Array {
  const to = new Float64Array(from.length)
  for (let n = 0; n < from.length; n++)
    to[n] =
      b0! * from[n]! +
      b1! * (from[n - 1] ?? 0) +
      b2! * (from[n - 2] ?? 0) -
      a1! * (to[n - 1] ?? 0) -
      a2! * (to[n - 2] ?? 0)
  return to
}

const tones = new Map<number, number>()

/** Returns the loudness of a tone (LUFS). */
export function toneLufs(hz: number, peak: number): number {
  const full = tones.get(hz) ?? integratedLufs(sine(hz, 1_000, 30_000))
  tones.set(hz, full)
  return full + 20 * Math.log10(peak / 30_000)
}

/** Returns the gain with which a tone is `distance` LU less loud than `reference` (LUFS). */
export function gainBelow(distance: number, hz: number, peak: number, reference = -20): number {
  return 10 ** ((reference - distance - toneLufs(hz, peak)) / 20)
}
