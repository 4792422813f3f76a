/**
 * Holders of shared slots, by group of addresses. To make room, the oldest holder of the largest group is removed:
 * groups with many slots lose one, groups with a single slot keep it.
 */
export class FairPlaces<T extends object> {
  readonly #groups = new Map<string, Set<T>>()
  readonly #groupOf = new Map<T, string>()

  /** Slots in use. */
  get size(): number {
    return this.#groupOf.size
  }

  /** Returns the number of slots of `group`. */
  of(group: string): number {
    return this.#groups.get(group)?.size ?? 0
  }

  has(one: T): boolean {
    return this.#groupOf.has(one)
  }

  /** Assigns `one` a slot in `group`; moves it there from another group. */
  add(one: T, group: string): void {
    if (this.#groupOf.get(one) === group) return
    this.remove(one)
    this.#groupOf.set(one, group)
    const others = this.#groups.get(group)
    if (others) others.add(one)
    else this.#groups.set(group, new Set([one]))
  }

  /** Returns false if it had no slot. */
  remove(one: T): boolean {
    const group = this.#groupOf.get(one)
    if (group === undefined) return false
    this.#groupOf.delete(one)
    const others = this.#groups.get(group)!
    others.delete(one)
    if (others.size === 0) this.#groups.delete(group)
    return true
  }

  /** Returns the oldest holder of `group`. */
  oldestOf(group: string): T | undefined {
    return this.#groups.get(group)?.values().next().value
  }

  /** Returns the holder to remove, or undefined; never `spared`. */
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
