/** The internal audio format: linear16, 16 kHz, mono, in frames of 20 ms. Channels convert only at their edge. */

/** Internal sample rate (Hz). */
export const SAMPLE_RATE = 16_000
/** Length of a frame in milliseconds. */
export const FRAME_MS = 20
/** Samples in one frame: 320. */
export const FRAME_SAMPLES = (SAMPLE_RATE * FRAME_MS) / 1000
/** Bytes in one frame: 640. */
export const FRAME_BYTES = FRAME_SAMPLES * 2

/** One frame of silence; shared, so never write into it. */
export const SILENT_FRAME: Int16Array = new Int16Array(FRAME_SAMPLES)

/** Throws unless `pcm` holds complete frames. */
export function assertFrames(pcm: Int16Array): void {
  if (pcm.length === 0 || pcm.length % FRAME_SAMPLES !== 0)
    throw new RangeError(`audio must be whole frames of ${FRAME_SAMPLES} samples, got ${pcm.length}`)
}

/** Returns the bytes of `pcm` as linear16 little-endian: a view, no copy. */
export function bytesOf(pcm: Int16Array): Uint8Array {
  return new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength)
}

/**
 * Returns `bytes` (linear16 little-endian, any alignment, an odd last byte is ignored) as samples; copies only if
 * necessary.
 */
export function samplesOf(bytes: Uint8Array): Int16Array {
  const length = bytes.byteLength >> 1
  if (bytes.byteOffset % 2 === 0) return new Int16Array(bytes.buffer, bytes.byteOffset, length)
  const copy = new Int16Array(length)
  bytesOf(copy).set(bytes.subarray(0, length * 2))
  return copy
}

/** Returns the duration of `samples` at `rate` Hz (ms). */
export function durationMs(samples: number, rate: number = SAMPLE_RATE): number {
  return (samples * 1000) / rate
}

/** Concatenates `pieces` into a new array. */
export function joined(pieces: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
