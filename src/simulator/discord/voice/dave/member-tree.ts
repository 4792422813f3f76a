import type { GroupMember } from './group-member.ts'

interface Leaf {
  readonly member: GroupMember
  /** The key package with which the member was added: a different one now means that the member has lost this group. */
  readonly keyPackage: Buffer | undefined
}

/** Assigns members to the leaves of the group's tree, derived from the commits alone (RFC 9420, 7.7: the leftmost blank leaf). */
export class MemberTree {
  #leaves: (Leaf | undefined)[] = []

  /** Members who are still in the group from their own point of view. */
  members(isPresent: (member: GroupMember) => boolean): GroupMember[] {
    return this.#leaves.flatMap(leaf => (leaf && isGood(leaf, isPresent) ? [leaf.member] : []))
  }

  /** Leaves of members who have left, or have lost the group. */
  stale(isPresent: (member: GroupMember) => boolean): number[] {
    return this.#leaves.flatMap((leaf, index) => (leaf && !isGood(leaf, isPresent) ? [index] : []))
  }

  /** True if nobody was ever added, or the group was abandoned. */
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
