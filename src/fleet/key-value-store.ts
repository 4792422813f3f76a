import type { z } from 'zod'
import { BridgeError } from '../common/errors.ts'
import { parseJsonAs } from '../common/json.ts'
import type { Entry, Table } from '../core/model/fleet.ts'

/** The entry of a store under a key. `value` is undefined after a deletion, whose revision a new write must name. */
export interface Stored {
  readonly value: string | undefined
  readonly revision: number
}

/** A write was refused because the entry has changed since it was read. The entry is unchanged. */
export class WriteConflict extends Error {
  constructor(key: string, revision: number) {
    super(`entry ${key} is not at revision ${revision}`)
    this.name = 'WriteConflict'
  }
}

/**
 * Linearizable store of small values. Methods reject with `BridgeError` `FLEET_AWAY` if the store cannot be reached;
 * after a rejected write, it is unknown whether the value was written. Revisions of all keys only grow.
 */
export interface KeyValueStore {
  get(key: string): Promise<Stored | undefined>
  /** Writes over `revision`, 0 for a key that never existed; rejects with `WriteConflict` for any other. Returns the new one. */
  write(key: string, value: string, revision: number): Promise<number>
  /** Writes unconditionally. */
  put(key: string, value: string): Promise<number>
  /** Deletes the entry, with `revision` only if it is unchanged. */
  delete(key: string, revision?: number): Promise<void>
  /** All entries whose keys start with `prefix`, except deleted ones. */
  entries(prefix: string): Promise<ReadonlyMap<string, Stored>>
}

/** A store whose changes can be followed, possibly late: for hints, never for decisions. */
export interface WatchedStore extends KeyValueStore {
  /** Calls `changed` with all entries and then with each change, until it is disposed of. */
  watch(changed: (key: string, stored: Stored) => void): Disposable
}

/** Failure of an operation that needs the store. */
export function away(reason: string, cause?: unknown): BridgeError {
  return new BridgeError('FLEET_AWAY', `the fleet cannot be reached: ${reason}`, { retryable: true, cause })
}

/** Ignores a failure of the fleet, and throws any other error. */
export function ignoreAway(error: unknown): void {
  if (!(error instanceof BridgeError)) throw error
}

/** A table in a part of a store. Entries that do not match the schema count as absent, and are counted. */
export class StoreTable<T> implements Table<T> {
  readonly #store: KeyValueStore
  readonly #prefix: string
  readonly #schema: z.ZodType<T>
  readonly #invalid: () => void

  /** `name` precedes all keys; `invalid` is called for each entry that does not match `schema`. */
  constructor(store: KeyValueStore, name: string, schema: z.ZodType<T>, invalid: () => void) {
    this.#store = store
    this.#prefix = `${name}.`
    this.#schema = schema
    this.#invalid = invalid
  }

  async get(key: string): Promise<Entry<T> | undefined> {
    const stored = await this.#store.get(this.#prefix + key)
    return stored && this.#entry(stored)
  }

  async create(key: string, value: T): Promise<number | undefined> {
    const full = this.#prefix + key
    const before = await this.#store.get(full)
    return before?.value === undefined ? this.#write(full, value, before?.revision ?? 0) : undefined
  }

  async put(key: string, value: T): Promise<void> {
    await this.#store.put(this.#prefix + key, JSON.stringify(value))
  }

  replace(key: string, value: T, revision: number): Promise<number | undefined> {
    return this.#write(this.#prefix + key, value, revision)
  }

  delete(key: string): Promise<void> {
    return this.#store.delete(this.#prefix + key)
  }

  async entries(): Promise<ReadonlyMap<string, Entry<T>>> {
    const found = new Map<string, Entry<T>>()
    for (const [key, stored] of await this.#store.entries(this.#prefix)) {
      const entry = this.#entry(stored)
      if (entry) found.set(key.slice(this.#prefix.length), entry)
    }
    return found
  }

  async #write(key: string, value: T, revision: number): Promise<number | undefined> {
    try {
      return await this.#store.write(key, JSON.stringify(value), revision)
    } catch (error) {
      if (error instanceof WriteConflict) return undefined
      throw error
    }
  }

  #entry({ value, revision }: Stored): Entry<T> | undefined {
    if (value === undefined) return undefined
    const parsed = parseJsonAs(value, this.#schema)
    if (parsed === undefined) this.#invalid()
    return parsed && { value: parsed, revision }
  }
}
