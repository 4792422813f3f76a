import type { Transform } from 'node:stream'
import { AudioFileError } from './audio-file-error.ts'

/** A part of a file: an Ogg page or a WebM element, also without audio, so that the reader can pause after each. */
export interface OpusTrackPart {
  readonly packets: readonly Buffer[]
  /** Work that it took to read (units of `TurnBudget`). */
  readonly work: number
  /** A stream starts with this part. */
  readonly head?: Buffer
  /** Number of damaged pieces omitted from the part. */
  readonly damaged?: number
  /** Samples at 48 kHz to discard after the last packet. */
  readonly discard?: number
}

/** Decoding parameters of an Opus stream (RFC 7845 §5.1). */
export interface OpusHead {
  readonly channels: number
  /** Samples at 48 kHz before the audio. */
  readonly preSkip: number
  /** Gain factor of the output. */
  readonly gain: number
  readonly streamCount: number
  readonly coupledStreamCount: number
  /** Decoded channel for each output channel. */
  readonly channelMappingTable: number[]
}

const MAX_CHANNELS = 8
const SILENT = 255

/**
 * Reads `OpusHead`, from Ogg or from `CodecPrivate` of WebM. Throws an `AudioFileError` if it is invalid or
 * unsupported.
 */
export function readOpusHead(head: Buffer): OpusHead {
  if (head.length < 19 || head.toString('latin1', 0, 8) !== 'OpusHead')
    throw new AudioFileError('DAMAGED', 'the head of the Opus stream is damaged')
  const channels = head[9]!
  const family = head[18]!
  if (channels < 1 || channels > MAX_CHANNELS || (family === 0 && channels > 2))
    throw new AudioFileError(
      'UNSUPPORTED',
      `the file has ${channels} channels (mapping family ${family}), allowed are 1 to ${MAX_CHANNELS}`,
    )
  const common = {
    channels,
    preSkip: head.readUInt16LE(10),
    gain: 10 ** (head.readInt16LE(16) / (20 * 256)),
  }
  if (family === 0) {
    const channelMappingTable = channels === 2 ? [0, 1] : [0]
    return { ...common, streamCount: 1, coupledStreamCount: channels - 1, channelMappingTable }
  }
  const streamCount = head[19] ?? 0
  const coupledStreamCount = head[20] ?? 0
  const channelMappingTable = [...head.subarray(21, 21 + channels)]
  const decoded = streamCount + coupledStreamCount
  const sound =
    streamCount > 0 &&
    streamCount <= MAX_CHANNELS &&
    coupledStreamCount <= streamCount &&
    channelMappingTable.length === channels &&
    channelMappingTable.every(each => each < decoded || each === SILENT)
  if (!sound)
    throw new AudioFileError(
      'DAMAGED',
      'the head of the Opus stream maps channels to streams that do not exist',
    )
  return { ...common, streamCount, coupledStreamCount, channelMappingTable }
}

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
