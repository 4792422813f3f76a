import { after, type Clock } from '../../../../core/clock.ts'
import { ExternalSender, type Proposal } from './external-sender.ts'
import type { GroupMember } from './group-member.ts'
import { MemberTree } from './member-tree.ts'
import { vector } from './mls-bytes.ts'
import { type CommitWelcome, readCommitWelcome } from './mls-commit.ts'

/** Whose commit wins where several members make one. */
export type Committer = 'bot' | 'user'

export interface DaveGroupOptions {
  readonly channelId: string
  readonly clock: Clock
  /** Whose commit wins the next transition. */
  readonly committer: () => Committer
  /** Everybody has changed over. */
  readonly onExecuted: () => void
}

/** So long bots have for a key package, a commit, or op 23; Discord's own figures are not documented. */
const PATIENCE_MS = 2_000
/** So long a bot's commit is waited for where a user's is at hand. */
const RACE_MS = 1_000

interface Made {
  readonly by: GroupMember
  readonly payload: Buffer
}

interface Change {
  readonly remove: readonly number[]
  readonly add: readonly GroupMember[]
}

/**
 * The voice server's side of DAVE for one call: proposes who is added and removed, lets one of the members' commits win,
 * and leads everybody through the transition (ops 21–31). It compares who is there with who is in the group, until both
 * are the same, one transition after the other.
 */
export class DaveGroup {
  readonly #options: DaveGroupOptions
  readonly #sender: ExternalSender
  readonly #present = new Set<GroupMember>()
  readonly #tree = new MemberTree()
  #version: 0 | 1
  #epoch = 0n
  #lastTransition = 0
  /** The next group comes after unencrypted talk, so that it needs an orderly change. */
  #upgrading = false
  #running: Promise<void> | undefined
  #made: Made[] = []
  readonly #ready = new Set<GroupMember>()
  #inTransition = false
  #wake: () => void = () => {}

  constructor(version: 0 | 1, options: DaveGroupOptions) {
    this.#version = version
    this.#options = options
    this.#sender = new ExternalSender(options.channelId)
  }

  get version(): 0 | 1 {
    return this.#version
  }

  /** The payload of op 25. */
  get externalSender(): Buffer {
    return this.#sender.description
  }

  get epoch(): bigint {
    return this.#epoch
  }

  /** True from the first message of a transition until it is executed. */
  get inTransition(): boolean {
    return this.#inTransition
  }

  /** True when `member` is in the group, as far as both know. */
  has(member: GroupMember): boolean {
    return this.#tree.members(this.#isPresent).includes(member)
  }

  enter(member: GroupMember): void {
    this.#present.add(member)
    this.#run()
  }

  depart(member: GroupMember): void {
    if (this.#present.delete(member)) this.#run()
  }

  /** A bot's key package has come, or it has lost its group. */
  changed(): void {
    this.#run()
  }

  /** Op 28 from a bot. */
  committed(by: GroupMember, payload: Buffer): void {
    this.#made.push({ by, payload })
    this.#wake()
  }

  /** Op 23 from a bot; false when nothing was prepared under this id. */
  transitionReady(by: GroupMember, transitionId: number): boolean {
    if (!this.#inTransition || transitionId !== this.#lastTransition) return false
    this.#ready.add(by)
    this.#wake()
    return true
  }

  async upgrade(): Promise<void> {
    await this.settled()
    if (this.#version === 1) return
    this.#version = 1
    this.#upgrading = true
    this.#found()
    this.#run()
    await this.settled()
  }

  async downgrade(): Promise<void> {
    await this.settled()
    if (this.#version === 0) return
    this.#running = this.#goPlain()
    await this.settled()
  }

  /** Settles when who is there and who is in the group are the same. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running
  }

  readonly #isPresent = (member: GroupMember): boolean => this.#present.has(member)

  #run(): void {
    this.#wake()
    if (this.#version === 1) this.#running ??= this.#reconcile().finally(() => (this.#running = undefined))
  }

  async #reconcile(): Promise<void> {
    // Everything that happens in the same tick is one change.
    await Promise.resolve()
    for (let change = await this.#next(); change; change = await this.#next()) {
      const done = this.#tree.empty ? await this.#form(change.add) : await this.#change(change)
      if (!done) this.#found()
    }
  }

  /** What is to be done next; undefined when nothing is. */
  async #next(): Promise<Change | undefined> {
    await this.#until(() => [...this.#present].every(member => member.keyPackage), PATIENCE_MS)
    if (this.#version === 0) return undefined
    const members = this.#tree.members(this.#isPresent)
    if (members.length === 0) this.#clear()
    const remove = this.#tree.stale(this.#isPresent)
    if (remove.length > 0) return { remove, add: [] }
    const add = [...this.#present].filter(member => member.keyPackage && !members.includes(member))
    const least = members.length === 0 ? 2 : 1
    return add.length >= least ? { remove: [], add } : undefined
  }

  /** The first commit of all: everybody has a group of their own, and the winner's becomes everybody's. */
  async #form(candidates: readonly GroupMember[]): Promise<boolean> {
    const adds = new Map(
      candidates.map(member => [member, this.#sender.add(member.keyPackage ?? Buffer.alloc(0), 0n)]),
    )
    const proposalsFor = (to: GroupMember) =>
      candidates.filter(each => each !== to).map(each => adds.get(each)!)
    const winner = await this.#race(candidates, proposalsFor)
    if (!winner) return false
    this.#tree.add(winner.by)
    for (const reference of winner.commit.proposals) this.#seat(reference, adds)
    const transitionId = this.#upgrading ? this.#newTransition() : 0
    await this.#lead(
      transitionId,
      winner.commit,
      [winner.by],
      candidates.filter(each => each !== winner.by),
    )
    return true
  }

  async #change({ remove, add }: Change): Promise<boolean> {
    const members = this.#tree.members(this.#isPresent)
    const removes = remove.map(leaf => this.#sender.remove(leaf, this.#epoch))
    const adds = new Map(
      add.map(member => [member, this.#sender.add(member.keyPackage ?? Buffer.alloc(0), this.#epoch)]),
    )
    const proposals = [...removes, ...adds.values()]
    const winner = await this.#race(members, () => proposals)
    if (!winner) return false
    for (const leaf of remove) this.#tree.remove(leaf)
    for (const reference of winner.commit.proposals) this.#seat(reference, adds)
    await this.#lead(this.#newTransition(), winner.commit, members, add)
    return true
  }

  #seat(reference: Buffer, adds: ReadonlyMap<GroupMember, Proposal>): void {
    for (const [member, proposal] of adds) if (proposal.reference.equals(reference)) this.#tree.add(member)
  }

  /** Proposes, and waits for the commit that wins; undefined when nobody makes a good one. */
  async #race(
    members: readonly GroupMember[],
    proposalsFor: (member: GroupMember) => readonly Proposal[],
  ): Promise<{ by: GroupMember; commit: CommitWelcome } | undefined> {
    this.#inTransition = true
    this.#made = []
    const recognized = Array.from(this.#present, member => member.userId)
    for (const member of members) {
      const proposals = proposalsFor(member).map(({ bytes }) => bytes)
      const payload = member.propose(vector(Buffer.concat(proposals)), recognized)
      if (payload) this.#made.push({ by: member, payload })
    }
    const bots = members.filter(member => !member.scripted)
    const scripted = this.#made.length > 0
    const wanted = bots.length === 0 ? 'user' : scripted ? this.#options.committer() : 'bot'
    const good = (from: Committer) =>
      this.#made
        .filter(({ by }) => by.scripted === (from === 'user') && this.#present.has(by))
        .map(made => this.#check(made, proposalsFor(made.by)))
        .find(each => each !== undefined)
    if (wanted === 'bot') await this.#until(() => good('bot') !== undefined, scripted ? RACE_MS : PATIENCE_MS)
    const winner = good(wanted) ?? good('user')
    if (!winner) this.#inTransition = false
    return winner
  }

  /** A commit counts when it is of this epoch and carries out exactly what was proposed. */
  #check({ by, payload }: Made, proposals: readonly Proposal[]) {
    try {
      const commit = readCommitWelcome(payload)
      const complete =
        commit.proposals.length === proposals.length &&
        proposals.every(({ reference }) => commit.proposals.some(each => each.equals(reference)))
      return complete && commit.epoch === this.#epoch ? { by, commit } : undefined
    } catch {
      return undefined
    }
  }

  /** Tells everybody, waits until they are ready, and lets them change over. */
  async #lead(
    transitionId: number,
    { commit, welcome }: CommitWelcome,
    members: readonly GroupMember[],
    added: readonly GroupMember[],
  ): Promise<void> {
    this.#epoch++
    this.#upgrading = false
    for (const member of members) member.follow(transitionId, { commit })
    if (welcome) for (const member of added) member.follow(transitionId, { welcome })
    await this.#execute(transitionId, [...members, ...added])
  }

  async #execute(transitionId: number, everybody: readonly GroupMember[]): Promise<void> {
    if (transitionId > 0) {
      const bots = everybody.filter(member => !member.scripted)
      const isReady = (bot: GroupMember) => this.#ready.has(bot) || !this.#present.has(bot) || !bot.keyPackage
      await this.#until(() => bots.every(isReady), PATIENCE_MS)
      for (const member of everybody) if (this.#present.has(member)) member.execute(transitionId)
    }
    this.#inTransition = false
    this.#options.onExecuted()
  }

  async #goPlain(): Promise<void> {
    this.#inTransition = true
    const everybody = [...this.#present]
    const transitionId = this.#newTransition()
    for (const member of everybody) member.prepareDowngrade(transitionId)
    await this.#execute(transitionId, everybody)
    this.#version = 0
    this.#clear()
    this.#running = undefined
  }

  /** Everybody begins anew. */
  #found(): void {
    this.#clear()
    for (const member of this.#present) member.found(this.#upgrading)
  }

  #clear(): void {
    this.#tree.clear()
    this.#epoch = 0n
  }

  #newTransition(): number {
    this.#ready.clear()
    this.#lastTransition = (this.#lastTransition % 0xffff) + 1
    return this.#lastTransition
  }

  /** Settles when `holds`, or after `ms`. */
  #until(holds: () => boolean, ms: number): Promise<void> {
    if (holds()) return Promise.resolve()
    return new Promise(settle => {
      const finish = () => {
        timer[Symbol.dispose]()
        this.#wake = () => {}
        settle()
      }
      const timer = after(this.#options.clock, ms, finish)
      this.#wake = () => {
        if (holds()) finish()
      }
    })
  }
}
