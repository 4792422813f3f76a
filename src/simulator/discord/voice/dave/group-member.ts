/**
 * One member of a DAVE group, or somebody who waits to be one: a scripted user, who answers at once, or a bot at the
 * other end of a socket, whose answers come later or never.
 */
export interface GroupMember {
  readonly userId: string
  readonly scripted: boolean
  /** What the member can be added with; undefined while there is none. A new one means that the old group is forgotten. */
  readonly keyPackage: Buffer | undefined
  /** A new group begins: make a new key package. `plainUntilThen`: what is said meanwhile goes unencrypted. */
  found(plainUntilThen: boolean): void
  /** Op 27; `proposals` is a vector. Returns the payload of op 28 when it is there at once. */
  propose(proposals: Buffer, recognized: readonly string[]): Buffer | undefined
  /** Op 29, or op 30 for those who are new. */
  follow(transitionId: number, change: { commit: Buffer } | { welcome: Buffer }): void
  /** Op 21: encryption ends with this transition. */
  prepareDowngrade(transitionId: number): void
  /** Op 22. */
  execute(transitionId: number): void
}
