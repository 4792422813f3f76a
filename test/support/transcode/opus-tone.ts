import { rms } from '../../../src/transcode/level.ts'
import type { OpusDecoder, OpusEncoder } from '../../../src/transcode/opus.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { sine } from './tone.ts'

export interface CodedTone {
  /** The input tone (Hz), and the output tone by its zero crossings. */
  readonly hz: number
  readonly heardHz: number
  /** Frames whose level is not that of the tone. */
  readonly spoilt: number
}

/** Encodes and decodes `frames` of a tone of `hz`, frame by frame. */
export function codedTone(encoder: OpusEncoder, decoder: OpusDecoder, hz: number, frames: number): CodedTone {
  const tone = sine(hz, frames * 20)
  let crossings = 0
  let spoilt = 0
  let last = 0
  for (let n = 0; n < frames; n++) {
    const pcm = decoder.decode(encoder.encode(tone.subarray(n * FRAME_SAMPLES, (n + 1) * FRAME_SAMPLES)))
    for (const sample of pcm) {
      if (last < 0 && sample >= 0) crossings++
      last = sample
    }
    if (n > 5 && Math.abs(rms(pcm) - 8_000 / Math.SQRT2) > 600) spoilt++
  }
  return { hz, heardHz: crossings / (frames * 0.02), spoilt }
}
