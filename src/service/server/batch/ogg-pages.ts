import { ServiceError } from '../service-error.ts'

/** What an Ogg file holds, of what can be read here. */
export type OggCodec = 'opus' | 'vorbis'

const PAGE_BYTES = 27
const MOST_CHANNELS = 8

/**
 * Walks over the pages of an Ogg file (RFC 3533) without decoding. Answers the coding of its sound; throws a
 * `ServiceError` when it is another, when pages are damaged, or when the last one is cut.
 */
export function oggCodec(bytes: Uint8Array): OggCodec {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let codec: OggCodec | undefined
  for (let at = 0; at < view.length; ) {
    if (view.toString('latin1', at, at + 4) !== 'OggS'.slice(0, view.length - at))
      throw new ServiceError('file_damaged', `no page of the ogg file begins at byte ${at}`)
    const segments = view[at + 26] ?? 0
    const body = at + PAGE_BYTES + segments
    let end = body
    for (let n = at + PAGE_BYTES; n < Math.min(body, view.length); n++) end += view[n]!
    if (body > view.length || end > view.length)
      throw new ServiceError('truncated', 'the ogg file ends in the middle of a page')
    codec ??= codecOf(view.subarray(body, end))
    at = end
  }
  if (!codec) throw new ServiceError('file_damaged', 'the ogg file has no page')
  return codec
}

/** By the first packet of the first stream: RFC 7845, and the Vorbis I specification. */
function codecOf(packet: Buffer): OggCodec {
  const opus = packet.toString('latin1', 0, 8) === 'OpusHead'
  const vorbis = packet.toString('latin1', 0, 7) === '\u0001vorbis'
  if (!opus && !vorbis)
    throw new ServiceError('coding_not_supported', 'the ogg file holds neither Opus nor Vorbis')
  const channels = packet[opus ? 9 : 11] ?? 0
  if (channels < 1 || channels > MOST_CHANNELS)
    throw new ServiceError(
      'coding_not_supported',
      `the ogg file has ${channels} channels, allowed are 1 to ${MOST_CHANNELS}`,
    )
  return opus ? 'opus' : 'vorbis'
}
