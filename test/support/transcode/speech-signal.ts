/** Speech for tests, and measurements of it. */

import { readFileSync } from 'node:fs'
import { concat, SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { mono, readWav } from '../../../src/transcode/wav.ts'

/** A bundled recording, 1 to 5. */
export function recording(number: number): Int16Array {
  const path = new URL(`../../../recordings/sense-and-sensibility-${number}.wav`, import.meta.url)
  return mono(readWav(readFileSync(path)))
}

/** All bundled recordings, one after the other: 25 s. */
export function recordings(): Int16Array {
  return concat([1, 2, 3, 4, 5].map(recording))
}

/** A sustained vowel of exactly `hz`: its harmonics through two formants, swelling four times a second. */
export function vowel(hz: number, ms: number, peak = 9_000): Int16Array {
  const pcm = new Float64Array((ms * SAMPLE_RATE) / 1000)
  for (let harmonic = 1; harmonic * hz < 3_800; harmonic++) {
    const at = harmonic * hz
    const loud = 1 / (1 + ((at - 600) / 250) ** 2) + 0.5 / (1 + ((at - 1_300) / 300) ** 2)
    for (let i = 0; i < pcm.length; i++)
      pcm[i]! += loud * Math.sin((2 * Math.PI * at * i) / SAMPLE_RATE + harmonic ** 2)
  }
  for (let i = 0; i < pcm.length; i++) pcm[i]! *= 1 + 0.3 * Math.sin((2 * Math.PI * 4 * i) / SAMPLE_RATE)
  const highest = pcm.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return Int16Array.from(pcm, value => Math.round((value / highest) * peak))
}

/**
 * Pitch (Hz) of the 60 ms of `pcm` around sample `at`, 70 to 350, by autocorrelation with the peak interpolated;
 * undefined if there is no clear pitch.
 */
export function pitchAt(pcm: Int16Array, at: number): number | undefined {
  const half = 480
  const most = Math.ceil(SAMPLE_RATE / 70)
  if (at < half || at + half + most > pcm.length) return undefined
  const here = 1 + energy(pcm, at - half, at + half)
  if (here < 2 * half * 300 ** 2) return undefined
  const correlation = (lag: number) => {
    let common = 0
    for (let i = at - half; i < at + half; i++) common += pcm[i]! * pcm[i + lag]!
    return common / Math.sqrt(here * (1 + energy(pcm, at - half + lag, at + half + lag)))
  }
  const curve = Array.from({ length: most + 2 }, (_, lag) => (lag < 44 ? 0 : correlation(lag)))
  const best = Math.max(...curve)
  if (best < 0.9) return undefined
  // The first peak nearly as high as the highest: not two periods.
  const lag = curve.findIndex((c, n) => c > 0.95 * best && c >= curve[n - 1]! && c >= curve[n + 1]!)
  if (lag < 46 || lag > most) return undefined
  const [a, b, c] = [curve[lag - 1]!, curve[lag]!, curve[lag + 1]!]
  return SAMPLE_RATE / (lag + (0.5 * (a - c)) / (a - 2 * b + c))
}

function energy(pcm: Int16Array, from: number, to: number): number {
  let sum = 0
  for (let i = from; i < to; i++) sum += pcm[i]! ** 2
  return sum
}

/**
 * Sharpness of the sharpest 5 ms of `pcm` relative to `original` (a factor). Each is compared with its 85 ms source in
 * `original`, around `from[n]` for sample 80 n. Sharpness is measured by fourth differences, which keep all of a click
 * and hardly anything of a voice.
 */
export function sharpness(pcm: Int16Array, original: Int16Array, from: readonly number[]): number {
  const source = sharp(original)
  let worst = 0
  for (const [block, level] of sharp(pcm).entries()) {
    const at = Math.floor((from[block] ?? original.length) / 80)
    worst = Math.max(worst, level / (Math.max(...source.slice(Math.max(0, at - 6), at + 11), 0) + 10))
  }
  return worst
}

/** RMS of the fourth differences, by 5 ms. */
function sharp(pcm: Int16Array): number[] {
  const levels: number[] = []
  for (let from = 0; from + 80 <= pcm.length; from += 80) {
    let sum = 0
    for (let i = Math.max(4, from); i < from + 80; i++)
      sum += (pcm[i]! - 4 * pcm[i - 1]! + 6 * pcm[i - 2]! - 4 * pcm[i - 3]! + pcm[i - 4]!) ** 2
    levels.push(Math.sqrt(sum / 80))
  }
  return levels
}

/** The largest step between two samples. */
export function steepest(pcm: Int16Array): number {
  let most = 0
  for (let i = 1; i < pcm.length; i++) most = Math.max(most, Math.abs(pcm[i]! - pcm[i - 1]!))
  return most
}

/** Level of the speech in `pcm` (dBFS): the frames at most 25 dB below the loudest. */
export function speechDb(pcm: Int16Array): number {
  const powers: number[] = []
  for (let at = 0; at + 320 <= pcm.length; at += 320)
    powers.push(pcm.subarray(at, at + 320).reduce((sum, sample) => sum + sample ** 2, 0) / 320)
  const least = Math.max(...powers) * 10 ** -2.5
  const speech = powers.filter(power => power > least)
  return 10 * Math.log10(speech.reduce((sum, power) => sum + power, 0) / speech.length / 32_768 ** 2)
}

/** Amplifies `pcm` by `db`, clipped at full scale. */
export function louder(pcm: Int16Array, db: number): Int16Array {
  return pcm.map(sample => Math.max(-32_768, Math.min(32_767, Math.round(sample * 10 ** (db / 20)))))
}
