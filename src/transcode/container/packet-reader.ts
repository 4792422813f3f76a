import type { Transform } from 'node:stream'
import { AudioFileError } from './audio-file-error.ts'

/**
 * Reads packets from a demuxer of prism-media synchronously, one complete piece of a file at a time. Demuxers of that
 * library are streams that produce their output during the write; data still held after a piece would be lost, and is
 * an error.
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

  /** Returns the packets of `piece`, in order. Throws an `AudioFileError`. */
  read(piece: Buffer): Buffer[] {
    const packets: Buffer[] = []
    this.#demuxer.write(piece)
    for (let packet = this.#next(); packet !== null; packet = this.#next())
      // An object stream cannot signal an empty packet.
      if (packet.length > 0) packets.push(packet)
    const error = this.#error ?? this.#demuxer.errored
    if (error)
      throw new AudioFileError('DAMAGED', `the file cannot be read: ${error.message}`, { cause: error })
    return packets
  }

  /** Returns the header received since the last call. */
  takeHead(): Buffer | undefined {
    const head = this.#head
    this.#head = undefined
    return head
  }

  #next(): Buffer | null {
    return this.#demuxer.read() as Buffer | null
  }
}
