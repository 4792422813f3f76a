import { HEADER_BYTES, writeHeader } from './audio-packet.ts'

/** Samples per millisecond. */
const PER_MS = 16

/** Encodes audio for the participant. Each message carries the time at which a peer without delay would play it. */
export class Downlink {
  #sequence = 0
  #begin: number | undefined
  /** When all audio sent so far would have been played, since the first message (samples). */
  #end = 0

  /** Encodes `frames` as one message at `now` (ms). The socket owns the returned buffer. */
  encode(frames: Int16Array, now: number): Buffer {
    this.#begin ??= now
    const at = Math.max(this.#end, Math.round((now - this.#begin) * PER_MS))
    this.#end = at + frames.length
    const message = Buffer.allocUnsafe(HEADER_BYTES + frames.byteLength)
    writeHeader(new DataView(message.buffer, message.byteOffset, HEADER_BYTES), this.#sequence++, at)
    message.set(new Uint8Array(frames.buffer, frames.byteOffset, frames.byteLength), HEADER_BYTES)
    return message
  }

  /** Discards audio that has not been played. */
  flush(now: number): void {
    if (this.#begin !== undefined) this.#end = Math.round((now - this.#begin) * PER_MS)
  }
}
