import { bytesOf } from '../../transcode/pcm.ts'
import { wavHeader } from '../../transcode/wav.ts'

/** Something said at a moment (clock ms). */
export interface Said {
  readonly atMs: number
  readonly pcm: Int16Array
}

/** What was said, each piece at its time, over `samples` from `startMs` on; `rate` Hz. What is outside is left out. */
export function laidOut(said: readonly Said[], startMs: number, samples: number, rate: number): Int16Array {
  const track = new Int16Array(samples)
  for (const { atMs, pcm } of said) {
    const at = Math.round(((atMs - startMs) * rate) / 1000)
    const from = Math.max(0, -at)
    const length = Math.min(pcm.length, samples - at)
    if (length > from) track.set(pcm.subarray(from, length), at + from)
  }
  return track
}

/** A WAV file with two channels of one length. Throws RangeError when their lengths differ. */
export function stereoWav(left: Int16Array, right: Int16Array, rate: number): Uint8Array {
  if (left.length !== right.length)
    throw new RangeError(`two channels have one length, got ${left.length} and ${right.length} samples`)
  const both = new Int16Array(left.length * 2)
  for (let at = 0; at < left.length; at++) {
    both[at * 2] = left[at] ?? 0
    both[at * 2 + 1] = right[at] ?? 0
  }
  const header = wavHeader(rate, 2, left.length)
  const file = new Uint8Array(header.length + both.byteLength)
  file.set(header)
  file.set(bytesOf(both), header.length)
  return file
}
