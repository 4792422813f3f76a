/**
 * A map of at most `max` entries. Setting a key makes its entry the newest; a new key beyond the maximum evicts the oldest
 * entry. For state that clients can make grow: users, rooms, streams, redelivered requests.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number

  /** Throws `RangeError` unless `max` is a positive integer. */
  constructor(max: number) {
    if (!Number.isInteger(max) || max < 1)
      throw new RangeError(`max must be a positive integer, but is ${max}`)
    super()
    this.#max = max
  }

  override set(key: K, value: V): this {
    if (!this.delete(key) && this.size >= this.#max) this.delete(this.keys().next().value!)
    return super.set(key, value)
  }

  /** Returns the value of `key`, creating it with `make` if absent. Does not make an existing entry the newest. */
  getOrSet(key: K, make: () => V): V {
    if (this.has(key)) return this.get(key) as V
    const value = make()
    this.set(key, value)
    return value
  }
}
