import { AudioFileError } from './audio-file-error.ts'

/** One page of an Ogg file (RFC 3533 §6). */
export interface OggPage {
  /** The whole page, including its header. */
  readonly bytes: Buffer
  readonly body: Buffer
  /** Sizes of its segments. */
  readonly lacing: Buffer
  /** Serial number of its logical stream. */
  readonly serial: number
  /** It starts inside a packet, starts its stream, ends its stream. */
  readonly continued: boolean
  readonly first: boolean
  readonly last: boolean
  /** Samples of its stream up to its end; negative if no packet ends on it. */
  readonly position: number
  /** Its checksum is valid. */
  readonly intact: boolean
}

const HEAD_BYTES = 27

/**
 * Yields the pages of an Ogg file in order. Throws an `AudioFileError` where a page is missing, or if the last one is
 * incomplete.
 */
export function* oggPages(bytes: Uint8Array): Generator<OggPage> {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < view.length; ) {
    if (view.toString('latin1', at, at + 4) !== 'OggS'.slice(0, view.length - at))
      throw new AudioFileError('DAMAGED', `no page of the ogg file starts at byte ${at}`)
    const start = at + HEAD_BYTES + (view[at + 26] ?? 0)
    let end = start
    for (let n = at + HEAD_BYTES; n < Math.min(start, view.length); n++) end += view[n]!
    if (start > view.length || end > view.length)
      throw new AudioFileError('TRUNCATED', 'the ogg file ends in the middle of a page')
    const flags = view[at + 5]!
    const page = view.subarray(at, end)
    yield {
      bytes: page,
      body: view.subarray(start, end),
      lacing: view.subarray(at + HEAD_BYTES, start),
      serial: view.readUInt32LE(at + 14),
      continued: (flags & 1) !== 0,
      first: (flags & 2) !== 0,
      last: (flags & 4) !== 0,
      position: Number(view.readBigInt64LE(at + 6)),
      intact: checksum(page) === view.readUInt32LE(at + 22),
    }
    at = end
  }
}

/** CRC-32 of Ogg: polynomial 0x04c11db7, neither reflected nor inverted. */
const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24
  for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1
  return crc >>> 0
})

/** Returns the checksum of a page, with its own field as zero. */
export function checksum(page: Uint8Array): number {
  let crc = 0
  for (let n = 0; n < page.length; n++) {
    const byte = n >= 22 && n < 26 ? 0 : page[n]!
    crc = ((crc << 8) ^ CRC[(crc >>> 24) ^ byte]!) | 0
  }
  return crc >>> 0
}
