import type { SeededRandom } from './random.ts'

const MOST_BYTES = 4_096
/** Bytes at the limits of lengths, signs and texts. */
const ODD = [0, 1, 0x7f, 0x80, 0xfe, 0xff, 0x20, 0x22, 0x5c]
const NUMBERS = [0, 1, -1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]

/** One to five small changes of `input`, or a splice with `other`; the result is new memory. */
export function mutated(
  input: Buffer,
  other: Buffer,
  words: readonly Buffer[],
  random: SeededRandom,
): Buffer {
  let bytes = random.below(12) === 0 ? spliced(input, other, random) : Buffer.from(input)
  for (let left = 1 + random.below(5); left > 0; left--) bytes = once(bytes, words, random)
  return bytes.length > MOST_BYTES ? bytes.subarray(0, MOST_BYTES) : bytes
}

function spliced(a: Buffer, b: Buffer, random: SeededRandom): Buffer {
  return Buffer.concat([a.subarray(0, random.below(a.length + 1)), b.subarray(random.below(b.length + 1))])
}

function once(bytes: Buffer, words: readonly Buffer[], random: SeededRandom): Buffer {
  const at = random.below(bytes.length + 1)
  if (bytes.length === 0 || random.below(3) === 0) return cut(bytes, at, words, random)
  const place = Math.min(at, bytes.length - 1)
  switch (random.below(5)) {
    case 0:
      bytes[place]! ^= 1 << random.below(8)
      return bytes
    case 1:
      bytes[place] = random.pick(ODD)
      return bytes
    case 2:
      bytes[place] = random.below(256)
      return bytes
    case 3: {
      // A number of two or four bytes, in either order.
      const value = random.pick(NUMBERS) >>> 0
      if (place + 4 <= bytes.length && random.below(2) === 0)
        random.below(2) ? bytes.writeUInt32BE(value, place) : bytes.writeUInt32LE(value, place)
      else if (place + 2 <= bytes.length)
        random.below(2)
          ? bytes.writeUInt16BE(value & 0xffff, place)
          : bytes.writeUInt16LE(value & 0xffff, place)
      return bytes
    }
    default:
      bytes[place] = (bytes[place]! + random.pick([1, -1, 16])) & 0xff
      return bytes
  }
}

/** Removes, inserts or repeats something at `at`. */
function cut(bytes: Buffer, at: number, words: readonly Buffer[], random: SeededRandom): Buffer {
  const before = bytes.subarray(0, at)
  const length = random.below(random.below(4) === 0 ? 256 : 9)
  const piece = bytes.subarray(at, at + length)
  switch (random.below(words.length > 0 ? 5 : 4)) {
    case 0:
      return Buffer.concat([before, bytes.subarray(at + length)])
    case 1:
      return Buffer.concat([before, piece, piece, bytes.subarray(at + length)])
    case 2:
      return Buffer.concat([before, Buffer.alloc(length, random.pick(ODD)), bytes.subarray(at)])
    case 3:
      return Buffer.from(before)
    default:
      return Buffer.concat([before, random.pick(words), bytes.subarray(at)])
  }
}
