import { mp3HeaderAt } from './header.ts'

/** The start of an mp3 file: its ID3 tag (id3.org, "ID3 tag version 2.4.0"), and the tag of its encoder in the first frame. */

/** Bytes of the first frame that show the encoder's tag. */
export const TAG_BYTES = 256
/** Maximum size of an ID3 tag; of one with a wrong size, only the start is skipped. */
const LONGEST = 1 << 20
const ID3_BYTES = 10
const ID3_FOOTER = 0x10
const HAS_FRAMES = 1
const HAS_BYTES = 2
const HAS_INDEX = 4
const HAS_QUALITY = 8
const INDEX_BYTES = 100

/** Returns the length of the ID3 tag at the start, which can exceed the bytes; 0 without one. */
export function id3Length(bytes: Uint8Array): number {
  if (bytes.length < ID3_BYTES || ascii(bytes, 0, 3) !== 'ID3') return 0
  // Four bytes of seven bits each.
  let size = 0
  for (const byte of bytes.subarray(6, ID3_BYTES)) {
    if (byte > 0x7f) return ID3_BYTES
    size = (size << 7) | byte
  }
  return size > LONGEST ? ID3_BYTES : ID3_BYTES + size + (bytes[5]! & ID3_FOOTER ? ID3_BYTES : 0)
}

/** True if a file with a tag starts here; without one, it cannot be told from a piece of a file. */
export function startsMp3File(bytes: Uint8Array): boolean {
  return id3Length(bytes) > 0 || encoderTag(bytes) >= 0
}

/** True if libmpg123 trims what the encoder added, according to the first frame, or if that cannot be told. */
export function declaresDelay(bytes: Uint8Array): boolean {
  if (bytes.length < TAG_BYTES) return true
  const at = encoderTag(bytes)
  if (at < 0) return false
  const flags = bytes[at + 7] ?? 0
  const name =
    at + 8 + (flags & HAS_FRAMES && 4) + (flags & HAS_BYTES && 4) + (flags & HAS_INDEX && INDEX_BYTES)
  return (flags & HAS_FRAMES) > 0 && (bytes[name + (flags & HAS_QUALITY && 4)] ?? 0) > 0
}

/** Returns the position of the encoder's tag in the frame at the start ("Xing" of Xing's SDK, "Info" of LAME); −1 without one. */
function encoderTag(bytes: Uint8Array): number {
  const header = mp3HeaderAt(bytes, 0)
  // LAME does not count the checksum of the frame.
  const places = header ? [header.dataAt, header.dataAt - 2] : []
  return places.find(at => ['Xing', 'Info'].includes(ascii(bytes, at, 4))) ?? -1
}

function ascii(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length))
}
