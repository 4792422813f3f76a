/** One change of a DAVE group, or the end of encryption, as it was carried out. */
export interface Transition {
  /** 0 for the first commit of a group before which nobody talked. */
  readonly id: number
  readonly kind: 'formed' | 'added' | 'removed' | 'downgraded'
  /** Of the group that it led to; 0 without one. */
  readonly epoch: bigint
  /** Whose commit won; undefined for a downgrade, which needs none. */
  readonly by: string | undefined
  /** Who was added or removed, or is in the new group. */
  readonly userIds: readonly string[]
}
