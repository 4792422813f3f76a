/** Footer of every DAVE frame (daveprotocol.com, "Payload format"): a tag, a nonce, the total size, a marker. */
const TAG_BYTES = 8
const MARKER = 0xfafa
/** The size's own byte, and the marker. */
const END_BYTES = 3
/** A nonce is a counter of 32 bits as LEB128: seven bits per byte, the highest bit means that more follow. */
const NONCE_BYTES_MOST = 5

/**
 * Whether `frame` is an audio frame under DAVE. Checks the whole footer, because some Opus frames end like the marker
 * by chance.
 */
export function hasDaveFooter(frame: Buffer): boolean {
  const size = frame.at(-END_BYTES) ?? 0
  const nonceBytes = size - TAG_BYTES - END_BYTES
  if (frame.length <= size || nonceBytes < 1 || nonceBytes > NONCE_BYTES_MOST) return false
  if (frame.readUInt16BE(frame.length - 2) !== MARKER) return false
  const nonce = frame.subarray(-END_BYTES - nonceBytes, -END_BYTES)
  return nonce.every((byte, at) => byte >= 0x80 === at < nonceBytes - 1)
}

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

/** The parsed op 28 of a member. */
export interface CommitWelcome {
  /** A whole MLSMessage. */
  readonly commit: Buffer
  /** The following Welcome for the added members; undefined if the commit adds no members. */
  readonly welcome: Buffer | undefined
  readonly groupId: bigint
  /** The epoch that the commit ends. */
  readonly epoch: bigint
  /** The leaf of the member who made it. */
  readonly sender: number
  /** Hashes of the proposals it carries out, in its order. */
  readonly proposals: readonly Buffer[]
}

const MEMBER = 1
const COMMIT = 3
const BY_REFERENCE = 2
const FROM_KEY_PACKAGE = 1
const FROM_COMMIT = 3
/** LeafNode: versions, cipher suites, extensions, proposals and credentials, each a vector. */
const CAPABILITIES = 5

/**
 * Parses the payload of op 28: MLSMessage(PublicMessage(Commit)) immediately followed by the Welcome, without a length.
 * Only parsing the whole commit finds the border (RFC 9420, 6, 7.2, 12.4). Throws RangeError.
 */
export function readCommitWelcome(payload: Buffer): CommitWelcome {
  const reader = new MlsReader(payload)
  expectThat(reader.u16() === 1, 'MLS 1.0')
  expectThat(reader.u16() === 1, 'a public message')
  const groupId = reader.vector()
  expectThat(groupId.length === 8, 'a group id of 8 bytes')
  const epoch = reader.u64()
  expectThat(reader.u8() === MEMBER, 'a member as sender')
  const sender = reader.u32()
  reader.vector() // authenticated data
  expectThat(reader.u8() === COMMIT, 'a commit')
  const proposals = references(reader.vector())
  if (reader.u8() === 1) skipUpdatePath(reader)
  reader.vector() // signature
  reader.vector() // confirmation tag
  reader.vector() // membership tag
  const commit = payload.subarray(0, reader.at)
  const welcome = reader.atEnd ? undefined : payload.subarray(reader.at)
  return { commit, welcome, groupId: groupId.readBigUInt64BE(), epoch, sender, proposals }
}

function references(list: Buffer): Buffer[] {
  const reader = new MlsReader(list)
  const found: Buffer[] = []
  while (!reader.atEnd) {
    expectThat(reader.u8() === BY_REFERENCE, 'proposals by reference only')
    found.push(reader.vector())
  }
  return found
}

function skipUpdatePath(reader: MlsReader): void {
  reader.vector() // encryption key
  reader.vector() // signature key
  reader.u16() // credential type
  reader.vector() // identity
  for (let each = 0; each < CAPABILITIES; each++) reader.vector()
  const source = reader.u8()
  if (source === FROM_KEY_PACKAGE) reader.take(16)
  else if (source === FROM_COMMIT) reader.vector()
  reader.vector() // extensions
  reader.vector() // signature
  reader.vector() // the nodes of the path
}

function expectThat(condition: boolean, what: string): void {
  if (!condition) throw new RangeError(`op 28 does not start with a commit: expected ${what}`)
}
