import { OpusDecoder } from 'opus-decoder'
import { ChannelMixer } from '../channel-mixer.ts'
import { multistreamSamples, opusSamples } from '../opus-packet.ts'
import { concat, SAMPLE_RATE, saturate } from '../pcm.ts'
import { TurnBudget } from '../turn-budget.ts'
import { AudioFileError } from './audio-file-error.ts'
import { oggOpusParts } from './ogg-opus.ts'
import { type OpusHead, type OpusTrackPart, readOpusHead } from './opus-head.ts'
import { webmOpusParts } from './webm-opus.ts'

/** Opus counts in 48 kHz, three times our sample rate. */
const PER_SAMPLE = 3
/** Number of undecodable packets above which the file is rejected; the decoder writes a line about each. */
const MAX_ERRORS = 20
/** Samples per piece. */
const PIECE_SAMPLES = SAMPLE_RATE
/** Work of decoding a sample of one stream (units of `TurnBudget`). */
const SAMPLE_UNITS = 4
/**
 * Maximum number of consecutive parts without audio. An hour of pictures between two packets has as many; files made of
 * empty elements only cost time.
 */
const MAX_SILENT_PARTS = 100_000

/** True if a file that starts with `bytes` is Ogg; `isWebm`: WebM. */
export function isOgg(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'OggS'
}
export function isWebm(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 4)).toString('hex') === '1a45dfa3'
}

/**
 * Decodes an Ogg or WebM file with Opus to 16 kHz mono, in pieces of a second. A file whose packets last longer than
 * `maxMs` is rejected before decoding: two bytes are enough for 120 ms of eight channels. Decoding then proceeds packet
 * by packet, so memory is bounded for any file. Throws an `AudioFileError`.
 */
export async function* opusFile(bytes: Uint8Array, maxMs: number): AsyncGenerator<Int16Array> {
  const parts = isWebm(bytes) ? webmOpusParts : oggOpusParts
  await assertLength(parts(bytes), maxMs)
  yield* decoded(parts(bytes))
}

async function assertLength(parts: Iterable<OpusTrackPart>, maxMs: number): Promise<void> {
  const most = maxMs * 48
  const turn = new TurnBudget()
  let samples = 0
  let errors = 0
  let silent = 0
  let lengthOf = opusSamples
  for (const { packets, damaged = 0, head, work } of parts) {
    if (head) {
      const { preSkip, streamCount } = readOpusHead(head)
      samples -= preSkip
      lengthOf = lengthOfPackets(streamCount)
    }
    errors += damaged
    for (const packet of packets) {
      const length = lengthOf(packet)
      samples += length
      if (length === 0) errors++
    }
    silent = packets.length > 0 ? 0 : silent + 1
    if (samples > most) throw new AudioFileError('TOO_LONG', `the file is longer than ${maxMs} ms`)
    if (errors > MAX_ERRORS) throw tooManyErrors()
    if (silent > MAX_SILENT_PARTS)
      throw new AudioFileError(
        'DAMAGED',
        `the file has more than ${MAX_SILENT_PARTS} parts without audio in a row`,
      )
    await turn.spend(work)
  }
}

async function* decoded(parts: Iterable<OpusTrackPart>): AsyncGenerator<Int16Array> {
  const turn = new TurnBudget()
  let stream: OpusStream | undefined
  let errors = 0
  let pieces: Int16Array[] = []
  let waiting = 0
  try {
    for (const { packets, head, discard = 0, work } of parts) {
      if (head) {
        stream?.close()
        stream = await OpusStream.open(readOpusHead(head))
        await turn.pause()
      }
      for (const [n, packet] of packets.entries()) {
        if (!stream) throw new AudioFileError('DAMAGED', 'the file has audio packets before a header')
        const pcm = stream.decode(packet, n === packets.length - 1 ? discard : 0)
        await turn.spend(stream.lastWork)
        if (!pcm && ++errors > MAX_ERRORS) throw tooManyErrors()
        if (!pcm || pcm.length === 0) continue
        pieces.push(pcm)
        waiting += pcm.length
        if (waiting < PIECE_SAMPLES) continue
        yield concat(pieces)
        pieces = []
        waiting = 0
      }
      await turn.spend(work)
    }
    if (!stream) throw new AudioFileError('DAMAGED', 'the file has no Opus stream')
    if (waiting > 0) yield concat(pieces)
  } finally {
    stream?.close()
  }
}

/** One stream of a file, decoded to 16 kHz mono. */
class OpusStream {
  readonly #decoder: OpusDecoder<16_000>
  readonly #gain: number
  readonly #lengthOf: (packet: Uint8Array) => number
  readonly #streams: number
  readonly #mixer: ChannelMixer
  /** Work of decoding the last packet (units of `TurnBudget`). */
  lastWork = 0
  /** Samples to discard at the start. */
  #skip: number

  private constructor(decoder: OpusDecoder<16_000>, { channels, gain, preSkip, streamCount }: OpusHead) {
    this.#decoder = decoder
    this.#gain = gain
    this.#lengthOf = lengthOfPackets(streamCount)
    this.#streams = streamCount
    this.#mixer = new ChannelMixer(channels)
    this.#skip = Math.round(preSkip / PER_SAMPLE)
  }

  static async open(head: OpusHead): Promise<OpusStream> {
    const { channels, streamCount, coupledStreamCount, channelMappingTable } = head
    const layout = { channels, streamCount, coupledStreamCount, channelMappingTable }
    const decoder = new OpusDecoder({ ...layout, sampleRate: 16_000 })
    await decoder.ready
    return new OpusStream(decoder, head)
  }

  /**
   * Returns the channels of `packet` mixed to one, without its last `discard` samples of 48 kHz; undefined for a damaged
   * packet.
   */
  decode(packet: Uint8Array, discard: number): Int16Array | undefined {
    if (this.#lengthOf(packet) === 0) return undefined
    const { channelData, samplesDecoded, errors } = this.#attempt(packet)
    this.lastWork = samplesDecoded * SAMPLE_UNITS * this.#streams
    if (errors.length > 0) return undefined
    const from = Math.min(this.#skip, samplesDecoded)
    this.#skip -= from
    const to = Math.max(from, samplesDecoded - Math.round(discard / PER_SAMPLE))
    const { channels } = this.#mixer
    const pcm = new Int16Array((to - from) * channels)
    for (const [n, channel] of channelData.entries())
      for (let i = 0; i < to - from; i++)
        pcm[i * channels + n] = saturate((channel[from + i] ?? 0) * 32_768 * this.#gain)
    return this.#mixer.mix(pcm)
  }

  close(): void {
    this.#decoder.free()
  }

  /** The decoder throws arbitrary values for damaged files. */
  #attempt(packet: Uint8Array) {
    try {
      return this.#decoder.decodeFrame(packet)
    } catch (cause) {
      throw new AudioFileError('DAMAGED', 'the file cannot be decoded', { cause })
    }
  }
}

function lengthOfPackets(streamCount: number): (packet: Uint8Array) => number {
  return streamCount > 1 ? multistreamSamples : opusSamples
}

function tooManyErrors(): AudioFileError {
  return new AudioFileError('DAMAGED', `more than ${MAX_ERRORS} packets of the file cannot be decoded`)
}
