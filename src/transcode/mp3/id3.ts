/**
 * Metadata blocks before, between and after frames: ID3v2 (id3.org, "ID3 tag version 2.4.0"), ID3v1 and APE ("APE tags
 * header"). They are never audio, even if their bytes look like frames.
 */

/** More bytes are needed for a decision. */
export const UNSURE = -1

/**
 * Maximum size of a block: a wrong size must not swallow the audio after it. The bytes of larger blocks are searched
 * like other junk.
 */
const LONGEST = 1 << 20

const STARTS = ['ID3', 'TAG', 'APE']
const ID3V2_BYTES = 10
const ID3V2_FOOTER = 0x10
const ID3V1_BYTES = 128
const APE_BYTES = 32
const APE_HAS_HEADER_HERE = 0x20

/**
 * Returns the length of the block at `at`, 0 without one, {@link UNSURE} if the bytes up to `end` are not
 * sufficient. The length can exceed the available bytes.
 */
export function metadataAt(bytes: Uint8Array, at: number, end: number): number {
  switch (bytes[at]) {
    case 0x49:
      return id3v2(bytes, at, end)
    case 0x54:
      return startsWith(bytes, at, end, 'TAG', ID3V1_BYTES)
    case 0x41: {
      const found = startsWith(bytes, at, end, 'APETAGEX', APE_BYTES)
      if (found <= 0) return found
      return end - at < APE_BYTES ? UNSURE : ape(bytes, at)
    }
    default:
      return 0
  }
}

/** True if a block can start at `at`, judging by its first three letters, which must be available. */
export function looksLikeMetadata(bytes: Uint8Array, at: number): boolean {
  return STARTS.some(start => startsWith(bytes, at, at + 3, start, 3) === 3)
}

function id3v2(bytes: Uint8Array, at: number, end: number): number {
  const found = startsWith(bytes, at, end, 'ID3', ID3V2_BYTES)
  if (found <= 0) return found
  if (end - at < ID3V2_BYTES) return UNSURE
  // Four bytes of seven bits each; a byte above 0x7f is invalid.
  let size = 0
  for (let i = at + 6; i < at + ID3V2_BYTES; i++) {
    if (bytes[i]! > 0x7f) return 0
    size = (size << 7) | bytes[i]!
  }
  const footer = bytes[at + 5]! & ID3V2_FOOTER ? ID3V2_BYTES : 0
  return size > LONGEST ? 0 : ID3V2_BYTES + size + footer
}

function ape(bytes: Uint8Array, at: number): number {
  const size =
    bytes[at + 12]! + (bytes[at + 13]! << 8) + (bytes[at + 14]! << 16) + bytes[at + 15]! * 0x100_0000
  const isHeader = bytes[at + 23]! & APE_HAS_HEADER_HERE
  if (!isHeader) return APE_BYTES
  return size > LONGEST ? 0 : APE_BYTES + size
}

/** Returns `length` if the bytes start with `text`, 0 if not, UNSURE if they end too early. */
function startsWith(bytes: Uint8Array, at: number, end: number, text: string, length: number): number {
  for (let i = 0; i < text.length; i++) {
    if (at + i >= end) return UNSURE
    if (bytes[at + i] !== text.charCodeAt(i)) return 0
  }
  return length
}
