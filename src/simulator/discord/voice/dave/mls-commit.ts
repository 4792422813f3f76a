import { MlsReader } from './mls-bytes.ts'

/** The parsed op 28 of a member. */
export interface CommitWelcome {
  /** A whole MLSMessage. */
  readonly commit: Buffer
  /** The following Welcome for the added members; undefined if the commit adds nobody. */
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
