import prism from 'prism-media'
import { multistreamSamples } from '../opus-packet.ts'
import { ELEMENT_UNITS } from '../turn-budget.ts'
import { AudioFileError } from './audio-file-error.ts'
import { type OggPage, oggPages } from './ogg-pages.ts'
import { type OpusTrackPart, PacketReader } from './opus-head.ts'

/** Maximum number of consecutive streams in a file. Each needs a decoder. */
const MAX_LINKS = 64
/**
 * Maximum size of an audio packet (RFC 6716 §3.4: 48 frames of 1275 bytes); longer ones are comments, which are not
 * needed.
 */
const MAX_PACKET_BYTES = 63_000
/** Maximum number of segments in a page. */
const MAX_SEGMENTS = 255

/**
 * Yields the Opus packets of an Ogg file, page by page. prism-media finds the packets in a page. It stops at a page
 * whose last packet continues in the next one, reads only one stream, and does not validate, so it gets pages with
 * complete packets of one stream and a valid checksum. Throws an `AudioFileError`.
 */
export function* oggOpusParts(bytes: Uint8Array): Generator<OpusTrackPart> {
  let reader: PacketReader | undefined
  let pages: WholePackets | undefined
  let end = new StreamEnd()
  let serial: number | undefined
  let links = 0
  let other = 'no stream'
  for (const page of oggPages(bytes)) {
    const work = page.bytes.length + ELEMENT_UNITS * (1 + page.lacing.length)
    // The first pages of all parallel streams precede all others.
    if (page.first && links === 0 && other === 'no stream') other = codecOf(page)
    if (!page.first && links === 0) throw withoutOpus(other)
    if (page.first && serial === undefined && isOpusHead(page)) {
      if (++links > MAX_LINKS)
        throw new AudioFileError('UNSUPPORTED', `the ogg file has more than ${MAX_LINKS} streams in a row`)
      if (!page.intact) throw new AudioFileError('DAMAGED', 'the head of the ogg file is damaged')
      serial = page.serial
      end = new StreamEnd()
      reader = new PacketReader(new prism.opus.OggDemuxer())
      pages = new WholePackets()
    }
    const empty = page.intact && page.body.length === 0 && !page.last
    if (page.serial !== serial || !reader || !pages || empty) {
      yield { packets: [], work }
      continue
    }
    if (!page.intact) {
      pages.reset()
      yield { packets: [], work, damaged: 1 }
      continue
    }
    const packets = pages.of(page).flatMap(whole => reader!.read(whole))
    const head = reader.takeHead()
    yield head ? { packets, work, head } : { packets, work, discard: end.after(page, packets) }
    if (page.last) serial = undefined
  }
  if (links === 0) throw withoutOpus(other)
}

const OPUS_HEAD = 'OpusHead'
/** First bytes of the other codecs of Ogg. */
const OTHERS: readonly (readonly [magic: string, name: string])[] = [
  ['\u0001vorbis', 'Vorbis'],
  ['\u007fFLAC', 'FLAC'],
  ['fLaC', 'FLAC'],
  ['Speex   ', 'Speex'],
  ['\u0080theora', 'Theora'],
]

function isOpusHead({ body }: OggPage): boolean {
  return body.toString('latin1', 0, OPUS_HEAD.length) === OPUS_HEAD
}

function codecOf({ body }: OggPage): string {
  const start = body.toString('latin1', 0, 8)
  return OTHERS.find(([magic]) => start.startsWith(magic))?.[1] ?? 'another coding'
}

function withoutOpus(other: string): AudioFileError {
  return new AudioFileError('UNSUPPORTED', `the ogg file holds ${other}, allowed: Opus`)
}

/**
 * Computes how much of the last packet is not audio: the position of the last page gives the end of the audio (RFC 7845
 * §4.4).
 */
class StreamEnd {
  #samples = 0
  #begin: number | undefined

  /** Returns the samples at 48 kHz to discard after `packets`, all packets that end on `page`. */
  after({ position, last }: OggPage, packets: readonly Buffer[]): number {
    const own = packets.reduce((sum, packet) => sum + multistreamSamples(packet), 0)
    this.#samples += own
    if (position < 0 || own === 0) return 0
    // A recording can start at any position.
    this.#begin ??= last ? 0 : position - this.#samples
    const over = this.#begin + this.#samples - position
    return last && over > 0 && over < own ? over : 0
  }
}

/** Converts the pages of a stream to pages with complete packets only. */
class WholePackets {
  /** The part of a packet received so far; undefined if the last page ended with a complete one. */
  #begun: Buffer[] | undefined
  #begunBytes = 0

  /** Drops the incomplete packet after a lost page. */
  reset(): void {
    this.#begun = undefined
  }

  of(page: OggPage): Buffer[] {
    const { body, lacing, continued } = page
    const open = lacing.length > 0 && lacing.at(-1) === 255
    if (!this.#begun && !continued && !open) return lacing.length > 0 ? [page.bytes] : []
    const sizes = packetSizes(lacing)
    const whole: Buffer[] = []
    let at = 0
    for (const [n, size] of sizes.entries()) {
      const piece = body.subarray(at, at + size)
      at += size
      const ends = n < sizes.length - 1 || !open
      if (n === 0 && continued) this.#goOn(piece)
      else this.#begin(piece)
      if (ends) {
        const packet = this.#finish()
        if (packet) whole.push(pageOf(packet, page.serial))
      }
    }
    return whole
  }

  #begin(piece: Buffer): void {
    this.#begun = [piece]
    this.#begunBytes = piece.length
  }

  /** A continuation without its start is not a packet. */
  #goOn(piece: Buffer): void {
    this.#begunBytes += piece.length
    if (this.#begunBytes <= MAX_PACKET_BYTES) this.#begun?.push(piece)
  }

  #finish(): Buffer | undefined {
    const packet =
      this.#begun && this.#begunBytes <= MAX_PACKET_BYTES ? Buffer.concat(this.#begun) : undefined
    this.#begun = undefined
    return packet
  }
}

function packetSizes(lacing: Buffer): number[] {
  const sizes: number[] = []
  let size = 0
  for (const [n, segment] of lacing.entries()) {
    size += segment
    if (segment === 255 && n < lacing.length - 1) continue
    sizes.push(size)
    size = 0
  }
  return sizes
}

/** Builds a page with one packet, without position and checksum, which are not read again. */
function pageOf(packet: Buffer, serial: number): Buffer {
  const full = Math.floor(packet.length / 255)
  const head = Buffer.alloc(27 + Math.min(full + 1, MAX_SEGMENTS), 255)
  head.fill(0, 0, 27)
  head.write('OggS', 'latin1')
  head.writeUInt32LE(serial, 14)
  head[26] = full + 1
  head[head.length - 1] = packet.length % 255
  return Buffer.concat([head, packet])
}
