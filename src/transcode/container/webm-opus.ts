import prism from 'prism-media'
import { ELEMENT_UNITS } from '../turn-budget.ts'
import { AudioFileError } from './audio-file-error.ts'
import { type OpusTrackPart, PacketReader } from './opus-head.ts'

/** Track type of audio; prism-media is given a first track of this type. */
const AUDIO = 2
/** The header of an EBML file, and a segment of unknown size. */
const BEGIN = Buffer.from('1a45dfa380' + '1853806701ffffffffffffff', 'hex')
/** Flag bits of a block for several frames (lacing). */
const LACING = 0x06
/** Maximum number of elements inside a block group, and inside all tracks; writers use about five in each group and twenty in each track. */
const MAX_GROUP_ELEMENTS = 32
const MAX_TRACK_ELEMENTS = 1_000
/** Maximum size of a block of audio: one Opus packet (RFC 6716 §3.4: 48 frames of 1275 bytes), and its header. */
const MAX_BLOCK_BYTES = 64_000
/** Maximum size of the head of an Opus stream: 21 bytes, and one per channel. */
const MAX_HEAD_BYTES = 300

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
    const work = ELEMENT_UNITS
    if (element.id === EBML.tracks && !track) {
      track = audioTrack(element)
      reader = new PacketReader(new prism.opus.WebmDemuxer())
      reader.read(BEGIN)
      reader.read(trackElement(track.head))
      const head = reader.takeHead()
      if (!head) throw new AudioFileError('DAMAGED', 'the WebM file has no head of its Opus track')
      yield { packets: [], work: work * MAX_TRACK_ELEMENTS, head }
      continue
    }
    const block = blockOf(element)
    if (block?.data && !track)
      throw new AudioFileError('DAMAGED', 'the WebM file has blocks before its tracks')
    const frame = block?.data && track && frameOf(block.data, track.number)
    if (!block || !frame || !reader) {
      yield { packets: [], work: work * (1 + (block?.fields ?? 0)) }
      continue
    }
    const packets = reader.read(elementOf(EBML.simpleBlock, frame))
    yield { packets, work: work * (1 + block.fields) + frame.length, discard: block.discard }
  }
  if (!track) throw new AudioFileError('DAMAGED', 'the WebM file has no tracks')
}

/** Codings of audio in words. */
const CODINGS: Readonly<Record<string, string | undefined>> = {
  A_VORBIS: 'Vorbis',
  A_AAC: 'AAC',
  A_FLAC: 'FLAC',
  A_AC3: 'AC-3',
  'A_MPEG/L3': 'MP3',
  'A_MPEG/L2': 'MPEG layer II',
  'A_PCM/INT/LIT': 'PCM',
  'A_PCM/FLOAT/IEEE': 'float',
}

/** Returns the first audio track; throws unless it is plain Opus. */
function audioTrack(tracks: EbmlElement): Track {
  let left = MAX_TRACK_ELEMENTS
  for (const entry of ebmlElements(tracks.data)) {
    if (--left < 0) throw tooManyElements('its tracks', MAX_TRACK_ELEMENTS)
    if (entry.id !== EBML.trackEntry) continue
    const { fields, count } = fieldsOf(entry, left, 'its tracks')
    left -= count
    if (readUint(fields.get(EBML.trackType)) !== AUDIO) continue
    const codec = shortText(fields.get(EBML.codecId))
    if (codec !== 'A_OPUS') {
      const known = CODINGS[codec] ?? (/^[\w/]{1,30}$/.test(codec) ? codec : 'another coding')
      throw new AudioFileError('UNSUPPORTED', `the WebM file holds ${known}, allowed: Opus`)
    }
    if (fields.has(EBML.contentEncodings))
      throw new AudioFileError('UNSUPPORTED', 'the WebM file is encrypted or additionally compressed')
    const head = fields.get(EBML.codecPrivate)
    if (!head || head.length > MAX_HEAD_BYTES)
      throw new AudioFileError('DAMAGED', 'the WebM file has no head of its Opus track')
    return { number: readUint(fields.get(EBML.trackNumber)), head }
  }
  throw new AudioFileError('UNSUPPORTED', 'the WebM file has no audio track')
}

function shortText(data: Buffer | undefined): string {
  return data?.toString('latin1', 0, 64).replace(/\0+$/, '') ?? 'none'
}

/** Returns the elements inside `element` by id, and their number. Throws for more than `most`. */
function fieldsOf(
  element: EbmlElement,
  most: number,
  where: string,
): { readonly fields: ReadonlyMap<number, Buffer>; readonly count: number } {
  const fields = new Map<number, Buffer>()
  let count = 0
  for (const { id, data } of ebmlElements(element.data)) {
    if (++count > most) throw tooManyElements(where, most)
    fields.set(id, data)
  }
  return { fields, count }
}

function tooManyElements(where: string, most: number): AudioFileError {
  return new AudioFileError('DAMAGED', `the WebM file has more than ${most} elements in ${where}`)
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

interface Block {
  /** Undefined for a group without a block. */
  readonly data: Buffer | undefined
  /** Samples at 48 kHz to discard at its end. */
  readonly discard: number
  /** Number of elements read. */
  readonly fields: number
}

/** Returns a block, alone or in a group, or a group without one; undefined for another element. */
function blockOf(element: EbmlElement): Block | undefined {
  if (element.id === EBML.simpleBlock) return { data: element.data, discard: 0, fields: 0 }
  if (element.id !== EBML.blockGroup) return undefined
  const { fields, count } = fieldsOf(element, MAX_GROUP_ELEMENTS, 'a block group')
  const data = fields.get(EBML.block)
  const paddingNs = readUint(fields.get(EBML.discardPadding))
  return { data, discard: Math.round((paddingNs * 48_000) / 1e9), fields: count }
}

/** Renumbers the block to track 1; undefined if it belongs to another track. */
function frameOf(data: Buffer, number: number): Buffer | undefined {
  const width = Math.clz32(data[0] ?? 0) - 23
  if (width > 8 || data.length < width + 3)
    throw new AudioFileError('DAMAGED', 'a block of the WebM file is damaged')
  let track = data[0]! & (0xff >> width)
  for (let n = 1; n < width; n++) track = track * 256 + data[n]!
  if (track !== number) return undefined
  if (data.length > MAX_BLOCK_BYTES)
    throw new AudioFileError('DAMAGED', `a block of the WebM file has ${data.length} bytes`)
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

/** Elements that are yielded empty, followed by those inside; their size can be unknown, so it is not used. */
const ENTERED: ReadonlySet<number> = new Set([EBML.segment, EBML.cluster])

interface EbmlElement {
  readonly id: number
  readonly data: Buffer
}

const NO_DATA = Buffer.alloc(0)

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
      yield { id, data: NO_DATA }
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
