import type { Transform } from 'node:stream'
import { AudioFileError } from './audio-file-error.ts'

/**
 * Reads packets from a demuxer of prism-media, one whole piece of a file at a time, without waiting. Demuxers of that library are
 * streams that answer within the write; what one still holds after a piece would be lost, and is an error.
 */
export class PacketReader {
  readonly #demuxer: Transform
  #head: Buffer | undefined
  #error: Error | undefined

  constructor(demuxer: Transform) {
    this.#demuxer = demuxer
    demuxer.on('head', (head: Buffer) => {
      this.#head = head
    })
    demuxer.on('error', error => {
      this.#error = error
    })
  }

  /** The packets of `piece`, in order. Throws an `AudioFileError`. */
  read(piece: Buffer): Buffer[] {
    const packets: Buffer[] = []
    this.#demuxer.write(piece)
    for (let packet = this.#next(); packet !== null; packet = this.#next())
      // A stream of objects says nothing of an empty one.
      if (packet.length > 0) packets.push(packet)
    const error = this.#error ?? this.#demuxer.errored
    if (error)
      throw new AudioFileError('DAMAGED', `the file cannot be read: ${error.message}`, { cause: error })
    return packets
  }

  /** The head that came since this was asked last. */
  takeHead(): Buffer | undefined {
    const head = this.#head
    this.#head = undefined
    return head
  }

  #next(): Buffer | null {
    return this.#demuxer.read() as Buffer | null
  }
}
