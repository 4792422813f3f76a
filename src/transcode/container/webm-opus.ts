import prism from 'prism-media'
import { AudioFileError } from './audio-file-error.ts'
import { type OpusTrackPart, PacketReader } from './opus-head.ts'

/** Track type of audio; prism-media is given a first track of this type. */
const AUDIO = 2
/** The header of an EBML file, and a segment of unknown size. */
const BEGIN = Buffer.from('1a45dfa380' + '1853806701ffffffffffffff', 'hex')
/** Flag bits of a block for several frames (lacing). */
const LACING = 0x06

interface Track {
  readonly number: number
  readonly head: Buffer
}

/**
 * Yields the Opus packets of a WebM or Matroska file, block by block, also with unknown sizes, as browsers record.
 * prism-media extracts the packets from blocks. It skips blocks in groups, reads only sizes of 31 bits and tracks up to
 * 15, and loops endlessly on a negative size, so it gets the relevant elements one at a time, validated and in the form
 * that it reads. Throws an `AudioFileError`.
 */
export function* webmOpusParts(bytes: Uint8Array): Generator<OpusTrackPart> {
  let track: Track | undefined
  let reader: PacketReader | undefined
  for (const element of ebmlElements(bytes)) {
    if (element.id === EBML.tracks) {
      if (track) continue
      track = audioTrack(element)
      reader = new PacketReader(new prism.opus.WebmDemuxer())
      reader.read(BEGIN)
      reader.read(trackElement(track.head))
      const head = reader.takeHead()
      if (!head) throw new AudioFileError('DAMAGED', 'the WebM file has no head of its Opus track')
      yield { packets: [], head }
      continue
    }
    const block = blockOf(element)
    if (!block) continue
    if (!track || !reader) throw new AudioFileError('DAMAGED', 'the WebM file has blocks before its tracks')
    const frame = frameOf(block.data, track.number)
    if (!frame) continue
    const packets = reader.read(elementOf(EBML.simpleBlock, frame))
    yield { packets, discard: block.discard }
  }
  if (!track) throw new AudioFileError('DAMAGED', 'the WebM file has no tracks')
}

/** Returns the first audio track; throws unless it is plain Opus. */
function audioTrack(tracks: EbmlElement): Track {
  for (const entry of ebmlElements(tracks.data)) {
    if (entry.id !== EBML.trackEntry) continue
    const fields = new Map(Array.from(ebmlElements(entry.data), ({ id, data }) => [id, data]))
    if (readUint(fields.get(EBML.trackType)) !== AUDIO) continue
    const codec = fields.get(EBML.codecId)?.toString('latin1').replace(/\0+$/, '') ?? 'none'
    if (codec !== 'A_OPUS')
      throw new AudioFileError(
        'UNSUPPORTED',
        `the WebM file holds ${/^[\w/]{1,30}$/.test(codec) ? codec : 'another coding'}, allowed: Opus`,
      )
    if (fields.has(EBML.contentEncodings))
      throw new AudioFileError('UNSUPPORTED', 'the WebM file is encrypted or additionally compressed')
    const head = fields.get(EBML.codecPrivate)
    if (!head) throw new AudioFileError('DAMAGED', 'the WebM file has no head of its Opus track')
    return { number: readUint(fields.get(EBML.trackNumber)), head }
  }
  throw new AudioFileError('UNSUPPORTED', 'the WebM file has no audio track')
}

/** Encodes the track as prism-media reads it: number 1, audio, with its header. */
function trackElement(head: Buffer): Buffer {
  const entry = Buffer.concat([
    elementOf(EBML.trackNumber, Buffer.of(1)),
    elementOf(EBML.trackType, Buffer.of(AUDIO)),
    elementOf(EBML.codecPrivate, head),
  ])
  return elementOf(EBML.tracks, elementOf(EBML.trackEntry, entry))
}

/** Returns the data of a block, alone or in a group, and the samples at 48 kHz to discard at its end. */
function blockOf({ id, data }: EbmlElement): { data: Buffer; discard: number } | undefined {
  if (id === EBML.simpleBlock) return { data, discard: 0 }
  if (id !== EBML.blockGroup) return undefined
  const fields = new Map(Array.from(ebmlElements(data), each => [each.id, each.data]))
  const block = fields.get(EBML.block)
  const paddingNs = fields.has(EBML.discardPadding) ? readUint(fields.get(EBML.discardPadding)) : 0
  return block && { data: block, discard: Math.round((paddingNs * 48_000) / 1e9) }
}

/** Renumbers the block to track 1; undefined if it belongs to another track. */
function frameOf(data: Buffer, number: number): Buffer | undefined {
  const width = Math.clz32(data[0] ?? 0) - 23
  if (width > 8 || data.length < width + 3)
    throw new AudioFileError('DAMAGED', 'a block of the WebM file is damaged')
  let track = data[0]! & (0xff >> width)
  for (let n = 1; n < width; n++) track = track * 256 + data[n]!
  if (track !== number) return undefined
  if ((data[width + 2]! & LACING) !== 0)
    throw new AudioFileError('UNSUPPORTED', 'the WebM file has several frames in a block (lacing)')
  return Buffer.concat([Buffer.of(0x81), data.subarray(width)])
}

/** Matroska element ids (RFC 9559) relevant for audio, with their length bits. */
export const EBML = {
  head: 0x1a45dfa3,
  segment: 0x18538067,
  cluster: 0x1f43b675,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  contentEncodings: 0x6d80,
  blockGroup: 0xa0,
  block: 0xa1,
  simpleBlock: 0xa3,
  discardPadding: 0x75a2,
} as const

/** Elements whose children are yielded instead; their size can be unknown, so it is not used. */
const ENTERED: ReadonlySet<number> = new Set([EBML.segment, EBML.cluster])

interface EbmlElement {
  readonly id: number
  readonly data: Buffer
}

/**
 * Yields the elements of an EBML document (RFC 8794); those inside segments and clusters appear at the top level.
 * Throws an `AudioFileError` for an unreadable element, or one that exceeds the document.
 */
function* ebmlElements(bytes: Uint8Array): Generator<EbmlElement> {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < view.length; ) {
    const idBytes = widthAt(view, at)
    if (idBytes > 4) throw damaged(at)
    const sizeBytes = widthAt(view, at + idBytes)
    const start = at + idBytes + sizeBytes
    if (start > view.length) throw truncated()
    const id = view.readUIntBE(at, idBytes)
    if (ENTERED.has(id)) {
      at = start
      continue
    }
    const size = sizeAt(view, at + idBytes, sizeBytes)
    if (size === undefined) throw damaged(at)
    if (size > view.length - start) throw truncated()
    at = start + size
    yield { id, data: view.subarray(start, at) }
  }
}

/** Encodes an element. */
export function elementOf(id: number, data: Buffer): Buffer {
  const name = Buffer.from(id.toString(16), 'hex')
  const size = Buffer.alloc(4)
  // Four bytes of size: 28 bits.
  if (data.length >= 2 ** 28 - 1)
    throw new AudioFileError('UNSUPPORTED', `an element of ${data.length} bytes is too large`)
  size.writeUInt32BE(data.length + 0x1000_0000)
  return Buffer.concat([name, size, data])
}

/** Reads an unsigned number of up to six bytes; 0 if it is missing or longer. */
function readUint(data: Buffer | undefined): number {
  return data && data.length > 0 && data.length <= 6 ? data.readUIntBE(0, data.length) : 0
}

/** Returns the length of the number at `at`, encoded in its first byte. */
function widthAt(view: Buffer, at: number): number {
  const first = view[at]
  if (first === undefined) throw truncated()
  if (first === 0) throw damaged(at)
  return Math.clz32(first) - 23
}

/** Undefined if the size is unknown (all bits set) or beyond any file. */
function sizeAt(view: Buffer, at: number, width: number): number | undefined {
  let size = view[at]! & (0xff >> width)
  let known = size !== 0xff >> width
  for (let n = 1; n < width; n++) {
    if (view[at + n] !== 0xff) known = true
    size = size * 256 + view[at + n]!
  }
  return known && size <= Number.MAX_SAFE_INTEGER ? size : undefined
}

function damaged(at: number): AudioFileError {
  return new AudioFileError('DAMAGED', `no element of the WebM file can be read at byte ${at}`)
}

function truncated(): AudioFileError {
  return new AudioFileError('TRUNCATED', 'the WebM file ends in the middle of an element')
}
