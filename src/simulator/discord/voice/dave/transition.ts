/** A completed change of a DAVE group, or the end of encryption. */
export interface Transition {
  /** 0 for the first commit of a group without earlier talk. */
  readonly id: number
  readonly kind: 'formed' | 'added' | 'removed' | 'downgraded'
  /** Epoch of the resulting group; 0 without one. */
  readonly epoch: bigint
  /** Whose commit won; undefined for a downgrade, which needs none. */
  readonly by: string | undefined
  /** The users added or removed, or all of the new group. */
  readonly userIds: readonly string[]
}
