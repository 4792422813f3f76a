import type { Clock } from '../../../../src/common/clock.ts'
import { CommitRace, type Committer, ExternalSender, type Proposal, type Winner } from './commit-race.ts'
import { Execution, Waiting } from './execution.ts'
import type { GroupMember } from './group-member.ts'
import { ScriptedMember } from './members.ts'
import { vector } from './mls.ts'

interface Leaf {
  readonly member: GroupMember
  /** The key package with which the member was added: a different one now means that the member has lost this group. */
  readonly keyPackage: Buffer | undefined
}

/** Assigns members to the leaves of the group's tree, derived from the commits alone (RFC 9420, 7.7: the leftmost blank leaf). */
class MemberTree {
  #leaves: (Leaf | undefined)[] = []

  /** Members who are still in the group from their own point of view. */
  members(isPresent: (member: GroupMember) => boolean): GroupMember[] {
    return this.#leaves.flatMap(leaf => (leaf && isGood(leaf, isPresent) ? [leaf.member] : []))
  }

  /** Leaves of members who have left, or have lost the group. */
  stale(isPresent: (member: GroupMember) => boolean): number[] {
    return this.#leaves.flatMap((leaf, index) => (leaf && !isGood(leaf, isPresent) ? [index] : []))
  }

  /** True if the group never had members, or was abandoned. */
  get empty(): boolean {
    return this.#leaves.every(leaf => leaf === undefined)
  }

  add(member: GroupMember): void {
    const blank = this.#leaves.indexOf(undefined)
    const leaf = { member, keyPackage: member.keyPackage }
    if (blank < 0) this.#leaves.push(leaf)
    else this.#leaves[blank] = leaf
  }

  /** Returns the member of the leaf. */
  remove(index: number): GroupMember | undefined {
    const leaf = this.#leaves[index]
    this.#leaves[index] = undefined
    return leaf?.member
  }

  clear(): void {
    this.#leaves = []
  }
}

function isGood({ member, keyPackage }: Leaf, isPresent: (member: GroupMember) => boolean): boolean {
  return isPresent(member) && member.keyPackage === keyPackage
}

export interface DaveGroupOptions {
  readonly channelId: string
  readonly clock: Clock
  /** The member whose commit wins the next transition. */
  readonly committer: () => Committer
  /** Called when everyone has changed over. */
  readonly onExecuted: () => void
}

/** A user id that is never in the call. */
const JUDGE = '1'
/** Time for bots to send a key package (ms); Discord's own figure is not documented. */
const PATIENCE_MS = 2_000
/** Maximum number of consecutive attempts to found a group; then it waits until a member joins or leaves. */
const MOST_FAILURES = 3

interface Change {
  readonly remove: readonly number[]
  readonly add: readonly GroupMember[]
}

/**
 * The voice server's side of DAVE for one call: proposes additions and removals, lets one of the members' commits win,
 * and leads everyone through the transition (ops 21–31). It compares the members of the call with those of the group
 * until both are the same, one transition after the other.
 */
export class DaveGroup {
  /** All transitions, oldest first. */
  readonly transitions: Transition[] = []
  readonly #options: DaveGroupOptions
  readonly #sender: ExternalSender
  readonly #present = new Set<GroupMember>()
  readonly #tree = new MemberTree()
  readonly #isPresent = (member: GroupMember): boolean => this.#present.has(member)
  readonly #waiting: Waiting
  readonly #race: CommitRace
  readonly #execution: Execution
  #version: 0 | 1
  #epoch = 0n
  #generation = 0
  /** The next group follows unencrypted talk, so that it needs an orderly change. */
  #upgrading = false
  #running: Promise<void> | undefined
  /** Something has changed since the last check. */
  #dirty = false
  #closed = false

  constructor(version: 0 | 1, options: DaveGroupOptions) {
    this.#version = version
    this.#options = options
    this.#sender = new ExternalSender(options.channelId)
    this.#waiting = new Waiting(options.clock)
    this.#race = new CommitRace(this.#waiting)
    const { clock, onExecuted } = options
    this.#execution = new Execution({ clock, waiting: this.#waiting, isPresent: this.#isPresent, onExecuted })
  }

  get version(): 0 | 1 {
    return this.#version
  }

  /** The payload of op 25. */
  get externalSender(): Buffer {
    return this.#sender.description
  }

  /** Progress of the key change. */
  get execution(): Pick<Execution, 'underWay' | 'fresh' | 'ready'> {
    return this.#execution
  }

  /** A different number for every founded group. */
  get generation(): number {
    return this.#generation
  }

  /** True if `member` is in the group, as far as both know. */
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

  /** True if a group would accept `member` with this key package. */
  couldAdd({ userId }: GroupMember, keyPackage: Buffer): boolean {
    const { channelId } = this.#options
    const judge = new ScriptedMember(JUDGE, channelId, this.externalSender, true)
    const { bytes } = this.#sender.add(keyPackage, 0n)
    return judge.propose(vector(bytes), [userId, JUDGE]) !== undefined
  }

  /** A bot's key package has arrived, or it has lost its group. */
  changed(): void {
    this.#run()
  }

  /** Op 28 from a bot. */
  committed(by: GroupMember, payload: Buffer): void {
    this.#race.arrived(by, payload)
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
    this.#running = this.#goPlain().finally(() => this.#rest())
    await this.settled()
  }

  /** Settles when the members of the call and of the group are the same. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** The call is over; cancels all waiting. */
  close(): void {
    this.#closed = true
    this.#present.clear()
    this.#waiting.stop()
  }

  #run(): void {
    this.#dirty = true
    this.#waiting.wake()
    if (this.#version === 1 && !this.#closed) this.#running ??= this.#reconcile().finally(() => this.#rest())
  }

  #rest(): void {
    this.#running = undefined
    if (this.#dirty) this.#run()
  }

  async #reconcile(): Promise<void> {
    // Everything that happens in the same tick is one change.
    await Promise.resolve()
    let failures = 0
    for (let change = await this.#next(); change; change = await this.#next()) {
      const done = this.#tree.empty ? await this.#form(change.add) : await this.#change(change)
      failures = done ? 0 : failures + 1
      if (failures > MOST_FAILURES) {
        this.#dirty = false
        return
      }
      if (!done) this.#found()
    }
  }

  /** The next change to make, or undefined. */
  async #next(): Promise<Change | undefined> {
    this.#dirty = false
    const offered = () => Array.from(this.#present).every(member => member.keyPackage)
    await this.#waiting.until(offered, PATIENCE_MS)
    if (this.#closed) return undefined
    const members = this.#tree.members(this.#isPresent)
    if (members.length === 0) this.#clear()
    const remove = this.#tree.stale(this.#isPresent)
    if (remove.length > 0) return { remove, add: [] }
    const add = Array.from(this.#present).filter(each => each.keyPackage && !members.includes(each))
    const least = members.length === 0 ? 2 : 1
    return add.length >= least ? { remove: [], add } : undefined
  }

  /** The very first commit: everyone has their own group, and the winner's becomes everyone's. */
  async #form(candidates: readonly GroupMember[]): Promise<boolean> {
    const adds = this.#adds(candidates)
    const winner = await this.#contest(candidates, to =>
      candidates.flatMap(each => (each === to ? [] : (adds.get(each) ?? []))),
    )
    if (!winner) return false
    const others = candidates.filter(each => each !== winner.by)
    this.#tree.add(winner.by)
    this.#seat(winner, adds)
    const id = this.#upgrading ? this.#execution.nextId() : 0
    await this.#lead(id, winner, [winner.by], others)
    this.#note(id, 'formed', candidates, winner)
    return true
  }

  async #change({ remove, add }: Change): Promise<boolean> {
    const members = this.#tree.members(this.#isPresent)
    const removes = remove.map(leaf => this.#sender.remove(leaf, this.#epoch))
    const adds = this.#adds(add)
    const winner = await this.#contest(members, () => [...removes, ...adds.values()])
    if (!winner) return false
    const removed = remove.flatMap(leaf => this.#tree.remove(leaf) ?? [])
    this.#seat(winner, adds)
    const id = this.#execution.nextId()
    await this.#lead(id, winner, members, add)
    this.#note(id, removed.length > 0 ? 'removed' : 'added', [...removed, ...add], winner)
    return true
  }

  #adds(members: readonly GroupMember[]): Map<GroupMember, Proposal> {
    const propose = ({ keyPackage }: GroupMember) => this.#sender.add(keyPackage ?? Buffer.of(), this.#epoch)
    return new Map(members.map(member => [member, propose(member)]))
  }

  async #contest(
    members: readonly GroupMember[],
    proposalsFor: (member: GroupMember) => readonly Proposal[],
  ): Promise<Winner | undefined> {
    this.#execution.begin()
    const winner = await this.#race.run({
      epoch: this.#epoch,
      members,
      proposalsFor,
      recognized: Array.from(this.#present, member => member.userId),
      committer: this.#options.committer,
      isPresent: this.#isPresent,
    })
    if (!winner) this.#execution.abandon()
    return winner
  }

  /** New members take their leaves in the order of the commit. */
  #seat(winner: Winner, adds: ReadonlyMap<GroupMember, Proposal>): void {
    for (const reference of winner.proposals)
      for (const [member, proposal] of adds) if (proposal.reference.equals(reference)) this.#tree.add(member)
  }

  /** Announces the transition, waits until everyone is ready, and lets them change over. */
  async #lead(
    transitionId: number,
    { commit, welcome }: Winner,
    members: readonly GroupMember[],
    added: readonly GroupMember[],
  ): Promise<void> {
    this.#epoch++
    this.#upgrading = false
    for (const member of members) member.follow(transitionId, { commit })
    if (welcome) for (const member of added) member.follow(transitionId, { welcome })
    await this.#execution.run(transitionId, [...members, ...added])
  }

  async #goPlain(): Promise<void> {
    this.#execution.begin()
    const everybody = [...this.#present]
    const id = this.#execution.nextId()
    for (const member of everybody) member.prepareDowngrade(id)
    await this.#execution.run(id, everybody)
    this.#version = 0
    this.#clear()
    this.#note(id, 'downgraded', everybody)
  }

  /** Makes everyone start again. */
  #found(): void {
    this.#clear()
    for (const member of this.#present) member.found(this.#upgrading)
  }

  #clear(): void {
    this.#generation++
    this.#tree.clear()
    this.#epoch = 0n
  }

  #note(id: number, kind: Transition['kind'], members: readonly GroupMember[], winner?: Winner): void {
    const userIds = members.map(({ userId }) => userId)
    this.transitions.push({ id, kind, epoch: this.#epoch, by: winner?.by.userId, userIds })
  }
}

/** A completed change of a DAVE group, or the end of encryption. */
export interface Transition {
  /** 0 for the first commit of a group without earlier talk. */
  readonly id: number
  readonly kind: 'formed' | 'added' | 'removed' | 'downgraded'
  /** Epoch of the resulting group; 0 without one. */
  readonly epoch: bigint
  /** The member whose commit won; undefined for a downgrade, which needs none. */
  readonly by: string | undefined
  /** The users added or removed, or all of the new group. */
  readonly userIds: readonly string[]
}
