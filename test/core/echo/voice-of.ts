import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'

/** Whole frames of `pcm` in a voice that is higher and faster by `factor`. */
export function voiceOf(pcm: Int16Array, factor: number): Int16Array {
  const length = Math.floor(pcm.length / factor / FRAME_SAMPLES) * FRAME_SAMPLES
  return Int16Array.from({ length }, (_, n) => pcm[Math.min(pcm.length - 1, Math.floor(n * factor))]!)
}
