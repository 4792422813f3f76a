import { HEADER_BYTES, writeHeader } from './packet.ts'

/** Samples a millisecond. */
const PER_MS = 16

/** What the party hears, as messages of audio: each says when it would be played by a far side without delay. */
export class Downlink {
  #sequence = 0
  #begin: number | undefined
  /** When all that was sent would have been played, since the first (samples). */
  #end = 0

  /** One message of `frames` at `now` (ms). It is the socket's from then on. */
  encode(frames: Int16Array, now: number): Buffer {
    this.#begin ??= now
    const at = Math.max(this.#end, Math.round((now - this.#begin) * PER_MS))
    this.#end = at + frames.length
    const message = Buffer.allocUnsafe(HEADER_BYTES + frames.byteLength)
    writeHeader(new DataView(message.buffer, message.byteOffset, HEADER_BYTES), this.#sequence++, at)
    message.set(new Uint8Array(frames.buffer, frames.byteOffset, frames.byteLength), HEADER_BYTES)
    return message
  }

  /** What was sent is not played any more. */
  flush(now: number): void {
    if (this.#begin !== undefined) this.#end = Math.round((now - this.#begin) * PER_MS)
  }
}
