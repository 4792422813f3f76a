/**
 * Who takes places that are for everybody, by groups of addresses. Where somebody has to make room, it is the one who came first
 * of the group that has the most: whoever takes many places loses one of them, whoever has one keeps it.
 */
export class FairPlaces<T extends object> {
  readonly #groups = new Map<string, Set<T>>()
  readonly #groupOf = new Map<T, string>()

  /** Places that are taken. */
  get size(): number {
    return this.#groupOf.size
  }

  /** Places that `group` has. */
  of(group: string): number {
    return this.#groups.get(group)?.size ?? 0
  }

  has(one: T): boolean {
    return this.#groupOf.has(one)
  }

  /** Gives `one` a place as one of `group`; moves it there from another group. */
  add(one: T, group: string): void {
    if (this.#groupOf.get(one) === group) return
    this.remove(one)
    this.#groupOf.set(one, group)
    const others = this.#groups.get(group)
    if (others) others.add(one)
    else this.#groups.set(group, new Set([one]))
  }

  /** False when it had none. */
  remove(one: T): boolean {
    const group = this.#groupOf.get(one)
    if (group === undefined) return false
    this.#groupOf.delete(one)
    const others = this.#groups.get(group)!
    others.delete(one)
    if (others.size === 0) this.#groups.delete(group)
    return true
  }

  /** Who has to make room, if anybody; never `spared`. */
  crowding(spared?: T): T | undefined {
    let largest: Set<T> | undefined
    let most = 0
    for (const others of this.#groups.values()) {
      const size = others.size - (spared !== undefined && others.has(spared) ? 1 : 0)
      if (size <= most) continue
      largest = others
      most = size
    }
    for (const one of largest ?? []) if (one !== spared) return one
    return undefined
  }
}
