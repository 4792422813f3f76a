import { encodeMulaw } from '../../transcode/g711.ts'
import { SAMPLE_RATE } from '../../transcode/pcm.ts'
import { createResampler } from '../../transcode/resample/resampler.ts'

const LINE_RATE = 8_000

// Shared by all legs: holds data only while one message is built. Grows to the largest message.
let bytes = Buffer.allocUnsafeSlow(1_600)

/** Encodes audio for the participant: 16 kHz in, base64 µ-law out, ready for a media message. */
export class Downlink {
  readonly #resampler = createResampler(SAMPLE_RATE, LINE_RATE)

  /** Returns `frames` as base64 µ-law, with half as many samples. */
  encode(frames: Int16Array): string {
    const pcm = this.#resampler.process(frames)
    if (pcm.length > bytes.length) bytes = Buffer.allocUnsafeSlow(pcm.length)
    encodeMulaw(pcm, bytes)
    return bytes.toString('base64', 0, pcm.length)
  }
}
