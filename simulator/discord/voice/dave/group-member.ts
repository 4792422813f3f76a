/**
 * A member of a DAVE group, or a candidate: a scripted user, who answers at once, or a bot at the other end of a
 * socket, whose answers arrive later or never.
 */
export interface GroupMember {
  readonly userId: string
  readonly scripted: boolean
  /** Required to add the member; undefined until it exists. A new one means that the old group is forgotten. */
  readonly keyPackage: Buffer | undefined
  /** A new group starts: create a new key package. `plainUntilThen`: until then frames are not encrypted. */
  found(plainUntilThen: boolean): void
  /** Op 27; `proposals` is a vector. Returns the payload of op 28 if it is available at once. */
  propose(proposals: Buffer, recognized: readonly string[]): Buffer | undefined
  /** Op 29, or op 30 for new members. */
  follow(transitionId: number, change: { commit: Buffer } | { welcome: Buffer }): void
  /** Op 21: encryption ends with this transition. */
  prepareDowngrade(transitionId: number): void
  /** Op 22. */
  execute(transitionId: number): void
}
