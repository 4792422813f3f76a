import type { Proposal } from './external-sender.ts'
import type { GroupMember } from './group-member.ts'
import { vector } from './mls-bytes.ts'
import { type CommitWelcome, readCommitWelcome } from './mls-commit.ts'
import type { Waiting } from './waiting.ts'

/** Whose commit wins if several members make one. */
export type Committer = 'bot' | 'user'

/** A commit that counts. */
export interface Winner extends CommitWelcome {
  readonly by: GroupMember
}

export interface Contest {
  readonly epoch: bigint
  /** The members who are asked for a commit. */
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
