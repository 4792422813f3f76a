/** A vector in MLS encoding: a length of one, two or four bytes (RFC 9420, 2.1.2), then the bytes. */
export function vector(bytes: Uint8Array): Buffer {
  return Buffer.concat([lengthPrefix(bytes.length), bytes])
}

/** The shortest prefix for `length`; RangeError from 2³⁰ on. */
export function lengthPrefix(length: number): Buffer {
  if (length < 0x40) return Buffer.of(length)
  if (length < 0x4000) return u16(0x4000 | length)
  if (length < 0x4000_0000) return u32(0x8000_0000 + length)
  throw new RangeError(`a vector holds less than ${0x4000_0000} bytes, got ${length}`)
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

/** Reads MLS structures from the start; throws RangeError if the bytes end too early or are invalid in MLS. */
export class MlsReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Current position. */
  get at(): number {
    return this.#at
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  u8(): number {
    return this.take(1)[0]!
  }

  u16(): number {
    return this.take(2).readUInt16BE()
  }

  u32(): number {
    return this.take(4).readUInt32BE()
  }

  u64(): bigint {
    return this.take(8).readBigUInt64BE()
  }

  /** Reads the content of a vector. */
  vector(): Buffer {
    const first = this.u8()
    const kind = first >> 6
    if (kind === 3) throw new RangeError('a length starts with the bits 11, which MLS does not use')
    let length = first & 0x3f
    for (let more = (1 << kind) - 1; more > 0; more--) length = length * 256 + this.u8()
    if ((kind === 1 && length < 0x40) || (kind === 2 && length < 0x4000))
      throw new RangeError(`the length ${length} is written longer than needed`)
    return this.take(length)
  }

  /** `count` bytes: a view. */
  take(count: number): Buffer {
    const end = this.#at + count
    if (end > this.#bytes.length)
      throw new RangeError(`wanted ${count} bytes at ${this.#at}, there are ${this.#bytes.length}`)
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}
