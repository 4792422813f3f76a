import { FRAME_MS, FRAME_SAMPLES } from '../../src/transcode/pcm.ts'

/** Digits of the number of a frame, base 100, in its first samples: too quiet to matter, and kept by lossless paths. */
const DIGITS = 3
const BASE = 100

/** Writes into `frame` that it is number `index` of its script. */
export function mark(frame: Int16Array, index: number): Int16Array {
  let rest = index
  for (let digit = 0; digit < DIGITS; digit++) {
    frame[digit] = rest % BASE
    rest = Math.floor(rest / BASE)
  }
  return frame
}

/** Returns the end of the last frame of `pcm` in its script (ms). `pcm` is whole frames. */
export function scriptEndMs(pcm: Int16Array): number {
  const from = pcm.length - FRAME_SAMPLES
  let index = 0
  for (let digit = DIGITS - 1; digit >= 0; digit--) index = index * BASE + (pcm[from + digit] ?? 0)
  return (index + 1) * FRAME_MS
}

/** Returns the start of the first frame of `pcm` in its script (ms). */
export function scriptStartMs(pcm: Int16Array): number {
  return scriptEndMs(pcm.subarray(0, FRAME_SAMPLES)) - FRAME_MS
}
