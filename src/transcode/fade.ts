import { SAMPLE_RATE } from './pcm.ts'

/**
 * Length of a fade at 16 kHz (samples: 5 ms). Where audio starts, ends or is cut, it prevents a click, and is not
 * noticed. The fade of originals under a translation is the mixer's (`core/playout/mixer.ts`).
 */
export const FADE_SAMPLES = SAMPLE_RATE / 200

/** Fades in the first 5 ms of `pcm`. */
export function fadeIn(pcm: Int16Array): void {
  for (let n = 0; n < FADE_SAMPLES; n++) pcm[n] = (pcm[n]! * n) / FADE_SAMPLES
}

/** Fades out the first 5 ms of `pcm`; the rest becomes silence. */
export function fadeOut(pcm: Int16Array): void {
  for (let n = 0; n < FADE_SAMPLES; n++) pcm[n] = (pcm[n]! * (FADE_SAMPLES - n)) / FADE_SAMPLES
  pcm.fill(0, FADE_SAMPLES)
}

/** Replaces the first 5 ms of `pcm` by a crossfade from those of `from`. */
export function crossfade(from: Int16Array, pcm: Int16Array): void {
  for (let n = 0; n < FADE_SAMPLES; n++) pcm[n] = (from[n]! * (FADE_SAMPLES - n) + pcm[n]! * n) / FADE_SAMPLES
}
