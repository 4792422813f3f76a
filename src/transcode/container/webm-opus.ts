import prism from 'prism-media'
import { AudioFileError } from './audio-file-error.ts'
import { EBML, type EbmlElement, ebmlElements, elementOf, readUint } from './ebml.ts'
import type { OpusTrackPart } from './opus-head.ts'
import { PacketReader } from './packet-reader.ts'

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
