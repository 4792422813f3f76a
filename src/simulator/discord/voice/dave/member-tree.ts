import type { GroupMember } from './group-member.ts'

interface Leaf {
  readonly member: GroupMember
  /** The one the member was added with: another one now means that the member has lost this group. */
  readonly keyPackage: Buffer | undefined
}

/** Who sits on which leaf of the group's tree, told from the commits alone (RFC 9420, 7.7: the leftmost blank leaf). */
export class MemberTree {
  #leaves: (Leaf | undefined)[] = []

  /** Members who are still in the group as far as they know themselves. */
  members(isPresent: (member: GroupMember) => boolean): GroupMember[] {
    return this.#leaves.flatMap(leaf => (leaf && isGood(leaf, isPresent) ? [leaf.member] : []))
  }

  /** Leaves of those who have left, or have lost the group. */
  stale(isPresent: (member: GroupMember) => boolean): number[] {
    return this.#leaves.flatMap((leaf, index) => (leaf && !isGood(leaf, isPresent) ? [index] : []))
  }

  /** True when nobody was ever added, or the group was given up. */
  get empty(): boolean {
    return this.#leaves.every(leaf => leaf === undefined)
  }

  add(member: GroupMember): void {
    const blank = this.#leaves.indexOf(undefined)
    const leaf = { member, keyPackage: member.keyPackage }
    if (blank < 0) this.#leaves.push(leaf)
    else this.#leaves[blank] = leaf
  }

  /** Who sat there. */
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
