import { AudioFileError } from './audio-file-error.ts'

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

export interface EbmlElement {
  readonly id: number
  readonly data: Buffer
}

/**
 * Yields the elements of an EBML document (RFC 8794); those inside segments and clusters appear at the top level.
 * Throws an `AudioFileError` for an unreadable element, or one that exceeds the document.
 */
export function* ebmlElements(bytes: Uint8Array): Generator<EbmlElement> {
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
export function readUint(data: Buffer | undefined): number {
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
