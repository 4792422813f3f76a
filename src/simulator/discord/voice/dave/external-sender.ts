import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { u16, u32, u64, vector } from './mls-bytes.ts'

/** A proposal to the group: `bytes` is the whole MLSMessage, `reference` is its name in a commit. */
export interface Proposal {
  readonly bytes: Buffer
  readonly reference: Buffer
}

const MLS10 = u16(1)
const PUBLIC_MESSAGE = u16(1)
const EXTERNAL = 2
const FIRST_SENDER = 0
const PROPOSAL = 2
const ADD = u16(1)
const REMOVE = u16(3)
const BASIC_CREDENTIAL = u16(1)

/**
 * The voice server's part in MLS: it is not a member of the group, sees no key, and can only propose additions and
 * removals (RFC 9420, 12.1.8.1). Its signatures require only the id and epoch of the group.
 */
export class ExternalSender {
  /** The payload of op 25: signature key and credential. */
  readonly description: Buffer
  readonly #key: KeyObject
  readonly #groupId: Buffer

  /** The id of the group is the snowflake of the channel. */
  constructor(channelId: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
    const identity = Buffer.from('simulated-voice-gateway')
    this.description = Buffer.concat([vector(point), BASIC_CREDENTIAL, vector(identity)])
    this.#key = privateKey
    this.#groupId = vector(u64(BigInt(channelId)))
  }

  /** `keyPackage` is the payload of op 26. */
  add(keyPackage: Uint8Array, epoch: bigint): Proposal {
    return this.#propose(Buffer.concat([ADD, keyPackage]), epoch)
  }

  remove(leaf: number, epoch: bigint): Proposal {
    return this.#propose(Buffer.concat([REMOVE, u32(leaf)]), epoch)
  }

  #propose(proposal: Buffer, epoch: bigint): Proposal {
    const content = Buffer.concat([
      this.#groupId,
      u64(epoch),
      Buffer.of(EXTERNAL),
      u32(FIRST_SENDER),
      vector(Buffer.alloc(0)),
      Buffer.of(PROPOSAL),
      proposal,
    ])
    const signed = Buffer.concat([
      vector(Buffer.from('MLS 1.0 FramedContentTBS')),
      vector(Buffer.concat([MLS10, PUBLIC_MESSAGE, content])),
    ])
    const signature = vector(sign('sha256', signed, this.#key))
    const authenticated = Buffer.concat([PUBLIC_MESSAGE, content, signature])
    const hashed = Buffer.concat([vector(Buffer.from('MLS 1.0 Proposal Reference')), vector(authenticated)])
    return {
      bytes: Buffer.concat([MLS10, authenticated]),
      reference: createHash('sha256').update(hashed).digest(),
    }
  }
}
