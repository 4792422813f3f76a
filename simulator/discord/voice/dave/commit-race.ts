import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Waiting } from './execution.ts'
import type { GroupMember } from './group-member.ts'
import { type CommitWelcome, readCommitWelcome, u16, u32, u64, vector } from './mls.ts'

/** The member whose commit wins if there are several. */
export type Committer = 'bot' | 'user'

/** A commit that counts. */
export interface Winner extends CommitWelcome {
  readonly by: GroupMember
}

export interface Contest {
  readonly epoch: bigint
  /** The members from which a commit is requested. */
  readonly members: readonly GroupMember[]
  readonly proposalsFor: (member: GroupMember) => readonly Proposal[]
  /** User ids known to the clients. */
  readonly recognized: readonly string[]
  readonly committer: () => Committer
  /** False for members who have left meanwhile. */
  readonly isPresent: (member: GroupMember) => boolean
}

/** Time to wait for a bot's commit (ms); Discord's own figure is not documented. */
const PATIENCE_MS = 2_000
/** The same if a user's commit is available. */
const RACE_MS = 1_000

interface Made {
  readonly by: GroupMember
  readonly payload: Buffer
}

/** Every member who receives proposals makes a commit of them; the voice server lets one of them win. */
export class CommitRace {
  readonly #waiting: Waiting
  #made: Made[] = []

  constructor(waiting: Waiting) {
    this.#waiting = waiting
  }

  /** Op 28 from a bot, early, late or in time. */
  arrived(by: GroupMember, payload: Buffer): void {
    this.#made.push({ by, payload })
    this.#waiting.wake()
  }

  /** Sends proposals and waits for the winning commit; undefined if there is no valid one. */
  async run(contest: Contest): Promise<Winner | undefined> {
    const { members, proposalsFor, recognized, committer } = contest
    this.#made = []
    for (const member of members) {
      const proposals = proposalsFor(member).map(({ bytes }) => bytes)
      const payload = member.propose(vector(Buffer.concat(proposals)), recognized)
      if (payload) this.#made.push({ by: member, payload })
    }
    const scripted = this.#made.length > 0
    const bots = members.some(member => !member.scripted)
    const wanted = !bots ? 'user' : scripted ? committer() : 'bot'
    const good = (from: Committer) => this.#good(contest, from)
    if (wanted === 'bot')
      await this.#waiting.until(() => good('bot') !== undefined, scripted ? RACE_MS : PATIENCE_MS)
    return good(wanted) ?? good('user')
  }

  #good(contest: Contest, from: Committer): Winner | undefined {
    for (const made of this.#made) {
      if (made.by.scripted !== (from === 'user') || !contest.isPresent(made.by)) continue
      const winner = check(made, contest)
      if (winner) return winner
    }
    return undefined
  }
}

/** A commit counts if it is of this epoch and carries out exactly the proposals. */
function check({ by, payload }: Made, { epoch, proposalsFor }: Contest): Winner | undefined {
  try {
    const commit = readCommitWelcome(payload)
    const proposals = proposalsFor(by)
    const complete =
      commit.proposals.length === proposals.length &&
      proposals.every(({ reference }) => commit.proposals.some(each => each.equals(reference)))
    return complete && commit.epoch === epoch ? { ...commit, by } : undefined
  } catch {
    return undefined
  }
}

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
