import { saturate } from './pcm.ts'

/**
 * The two ADPCM codings of WAV files, four bits a sample, in blocks that do not depend on each other: IMA (IMA Digital
 * Audio Focus, 1992; format 0x11) and Microsoft's (format 2; "Multiple channel audio data and WAVE files").
 */

/** Step sizes of IMA ADPCM: each is 1.1 times the previous one. */
const IMA_STEPS = [
  7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97,
  107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724,
  796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026,
  4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500,
  20350, 22385, 24623, 27086, 29794, 32767,
]
/** Change of the step index by the three low bits of a code. */
const IMA_CHANGES = [-1, -1, -1, -1, 2, 4, 6, 8]
const IMA_HEAD_BYTES = 4
/** Codes of one channel that follow each other. */
const IMA_GROUP = 8

/** Weights of the two previous samples (256 is 1) by predictor, and adaptation of the step by code. */
const MS_WEIGHTS = [
  [256, 0],
  [512, -256],
  [0, 0],
  [192, 64],
  [240, 0],
  [460, -208],
  [392, -232],
] as const
const MS_CHANGES = [230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230]
const MS_HEAD_BYTES = 7
const MS_LEAST_STEP = 16

/** Samples per channel in a block of IMA ADPCM of `bytes`; 0 if it is too short. */
export function imaSamples(bytes: number, channels: number): number {
  if (bytes < IMA_HEAD_BYTES * channels) return 0
  return Math.floor((bytes / channels - IMA_HEAD_BYTES) / 4) * IMA_GROUP + 1
}

/** Samples per channel in a block of Microsoft ADPCM of `bytes`; 0 if it is too short. */
export function msSamples(bytes: number, channels: number): number {
  if (bytes < MS_HEAD_BYTES * channels) return 0
  return Math.floor(((bytes - MS_HEAD_BYTES * channels) * 2) / channels) + 2
}

/** Decodes the block of `bytes` at `at` into `out` from `to` on, interleaved. */
export function decodeIma(
  view: DataView,
  at: number,
  bytes: number,
  channels: number,
  out: Int16Array,
  to: number,
): void {
  const groups = (imaSamples(bytes, channels) - 1) / IMA_GROUP
  for (let channel = 0; channel < channels; channel++) {
    let sample = view.getInt16(at + channel * IMA_HEAD_BYTES, true)
    let index = Math.min(view.getUint8(at + channel * IMA_HEAD_BYTES + 2), IMA_STEPS.length - 1)
    let next = to + channel
    out[next] = sample
    for (let group = 0; group < groups; group++) {
      const from = at + IMA_HEAD_BYTES * (channels + group * channels + channel)
      for (let n = 0; n < IMA_GROUP; n++) {
        const byte = view.getUint8(from + (n >> 1))
        const code = n % 2 === 0 ? byte & 15 : byte >> 4
        const step = IMA_STEPS[index]!
        const size =
          (step >> 3) + (code & 4 ? step : 0) + (code & 2 ? step >> 1 : 0) + (code & 1 ? step >> 2 : 0)
        sample = saturate(code & 8 ? sample - size : sample + size)
        index = Math.max(0, Math.min(IMA_STEPS.length - 1, index + IMA_CHANGES[code & 7]!))
        next += channels
        out[next] = sample
      }
    }
  }
}

/** Decodes a block of Microsoft ADPCM, as {@link decodeIma} does. */
export function decodeMs(
  view: DataView,
  at: number,
  bytes: number,
  channels: number,
  out: Int16Array,
  to: number,
): void {
  const samples = msSamples(bytes, channels)
  const codes = at + MS_HEAD_BYTES * channels
  for (let channel = 0; channel < channels; channel++) {
    const [first, second] = MS_WEIGHTS[Math.min(view.getUint8(at + channel), MS_WEIGHTS.length - 1)]!
    let step = Math.max(MS_LEAST_STEP, view.getInt16(at + channels + 2 * channel, true))
    let last = view.getInt16(at + 3 * channels + 2 * channel, true)
    let before = view.getInt16(at + 5 * channels + 2 * channel, true)
    out[to + channel] = before
    out[to + channels + channel] = last
    for (let n = 2; n < samples; n++) {
      const place = (n - 2) * channels + channel
      const byte = view.getUint8(codes + (place >> 1))
      const code = place % 2 === 0 ? byte >> 4 : byte & 15
      const signed = code >= 8 ? code - 16 : code
      const guess = Math.trunc((last * first + before * second) / 256)
      before = last
      last = saturate(guess + signed * step)
      step = Math.max(MS_LEAST_STEP, (step * MS_CHANGES[code]!) >> 8)
      out[to + n * channels + channel] = last
    }
  }
}

/** Codes one channel as IMA ADPCM, in blocks that a decoder can start with. */
export class ImaEncoder {
  #sample = 0
  #index = 0

  /**
   * Writes the block of `samples`, a multiple of eight, to `view` from `at` on: `imaBytes(samples.length)` bytes. Its first
   * sample, which blocks hold in full, is the last one of the block before, so that every sample is coded once.
   */
  encode(samples: Int16Array, view: DataView, at: number): void {
    view.setInt16(at, this.#sample, true)
    view.setUint8(at + 2, this.#index)
    view.setUint8(at + 3, 0)
    let [sample, index] = [this.#sample, this.#index]
    for (let n = 0; n < samples.length; n += 2) {
      let byte = 0
      for (let half = 0; half < 2; half++) {
        const step = IMA_STEPS[index]!
        let rest = samples[n + half]! - sample
        const sign = rest < 0 ? 8 : 0
        rest = Math.abs(rest)
        let code = 0
        let size = step >> 3
        for (let bit = 4, part = step; bit > 0; bit >>= 1, part >>= 1)
          if (rest >= part) {
            code |= bit
            rest -= part
            size += part
          }
        sample = saturate(sign ? sample - size : sample + size)
        index = Math.max(0, Math.min(IMA_STEPS.length - 1, index + IMA_CHANGES[code]!))
        byte |= (code | sign) << (4 * half)
      }
      view.setUint8(at + IMA_HEAD_BYTES + (n >> 1), byte)
    }
    this.#sample = sample
    this.#index = index
  }
}

/** Bytes of the block in which `ImaEncoder` codes so many samples. */
export function imaBytes(samples: number): number {
  return IMA_HEAD_BYTES + samples / 2
}
