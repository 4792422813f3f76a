/** Splits PCM of any length into frames of a fixed length. */
export class Framer {
  readonly samplesPerFrame: number
  #emit: (frame: Int16Array) => void
  /** Created with the first part of a frame: most sources write whole frames. */
  #frame: Int16Array | undefined
  #filled = 0

  /**
   * `emit` receives each complete frame of `samplesPerFrame` samples, in order, during the `write` that completed it.
   * The frame is borrowed for that call only: copy it to keep it, never write into it. Throws RangeError unless
   * `samplesPerFrame` is a positive integer.
   */
  constructor(samplesPerFrame: number, emit: (frame: Int16Array) => void) {
    if (!Number.isInteger(samplesPerFrame) || samplesPerFrame < 1)
      throw new RangeError(`a frame is a whole number of samples above 0, got ${samplesPerFrame}`)
    this.samplesPerFrame = samplesPerFrame
    this.#emit = emit
  }

  /** Accepts any number of samples; `pcm` is not kept. Complete frames inside `pcm` are passed on without a copy. */
  write(pcm: Int16Array): void {
    const size = this.samplesPerFrame
    let at = 0
    if (this.#frame && this.#filled > 0) {
      at = Math.min(size - this.#filled, pcm.length)
      this.#frame.set(at === pcm.length ? pcm : pcm.subarray(0, at), this.#filled)
      this.#filled += at
      if (this.#filled < size) return
      this.#filled = 0
      this.#emit(this.#frame)
    }
    for (; at + size <= pcm.length; at += size)
      this.#emit(pcm.length === size ? pcm : pcm.subarray(at, at + size))
    if (at < pcm.length) {
      this.#frame ??= new Int16Array(size)
      this.#frame.set(pcm.subarray(at))
      this.#filled = pcm.length - at
    }
  }

  /** Emits the incomplete frame, padded with silence. Idempotent. */
  end(): void {
    if (!this.#frame || this.#filled === 0) return
    this.#frame.fill(0, this.#filled)
    this.#filled = 0
    this.#emit(this.#frame)
  }

  /** Drops the incomplete frame. */
  reset(): void {
    this.#filled = 0
  }
}

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
export function concat(pieces: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/**
 * Rounds `value` to the nearest 16-bit sample, halves upwards, and clamps it. The truncating form is an addition and
 * two comparisons: `Math.round` and `Math.min` cost three times as much.
 */
export function saturate(value: number): number {
  if (value >= 32_767) return 32_767
  if (value <= -32_768) return -32_768
  return ((value + 32_768.5) | 0) - 32_768
}

/**
 * Adds `source` to `target`, sample by sample, saturating at 16 bits. The gain (linear, 1 = unchanged) changes linearly
 * from `gainFrom` at the first sample to `gainTo`, the gain of the sample *after* the last one: consecutive blocks have
 * no gain step, so no click. `source` is not kept. Throws RangeError if the lengths differ or a gain is not finite.
 */
export function mixInto(target: Int16Array, source: Int16Array, gainFrom: number, gainTo: number): void {
  const length = target.length
  if (source.length !== length)
    throw new RangeError(`both blocks need one length, got ${source.length} samples into ${length}`)
  assertGains(gainFrom, gainTo)
  const step = (gainTo - gainFrom) / length
  if (step === 0 && gainFrom === 1) {
    for (let i = 0; i < length; i++) target[i] = saturate(target[i]! + source[i]!)
    return
  }
  for (let i = 0; i < length; i++) target[i] = saturate(target[i]! + source[i]! * (gainFrom + step * i))
}

/**
 * Multiplies `target` in place by a gain that changes as in {@link mixInto}. Throws RangeError for a gain that is not
 * finite.
 */
export function scale(target: Int16Array, gainFrom: number, gainTo: number): void {
  assertGains(gainFrom, gainTo)
  const length = target.length
  const step = (gainTo - gainFrom) / length
  if (step === 0 && gainFrom === 1) return
  if (gainFrom === 0 && gainTo === 0) {
    target.fill(0)
    return
  }
  for (let i = 0; i < length; i++) target[i] = saturate(target[i]! * (gainFrom + step * i))
}

function assertGains(from: number, to: number): void {
  if (!Number.isFinite(from) || !Number.isFinite(to))
    throw new RangeError(`a gain is a finite number, got ${from} to ${to}`)
}
