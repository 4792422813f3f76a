import { z } from 'zod'
import { type Clock, Ticker } from '../../common/clock.ts'
import { errorFields, type Logger } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { Fleet, Table } from '../model/fleet.ts'

/** Interval between deletions of expired entries (ms). */
const SWEEP_MS = 3_600_000
const MOST = 1_000_000

export interface KeptEntriesOptions {
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly log: Logger
  /** Maximum number of entries, about; above it, those that expire first are deleted. Default: 1,000,000. */
  readonly most?: number | undefined
}

interface Kept<T> {
  readonly value: T
  /** Milliseconds since 1970. */
  readonly until: number
}

/**
 * Data about people or places that this process, or all nodes of a fleet, keep, under digests of their names, until a time that each
 * entry states.
 * Methods reject with `BridgeError` `FLEET_AWAY` while the fleet is unavailable.
 */
export class KeptEntries<T> implements Disposable {
  readonly #table: Table<Kept<T>>
  readonly #options: KeptEntriesOptions
  #sweeping: Ticker | undefined

  /** `name`: that of the table. */
  constructor(fleet: Pick<Fleet, 'table'>, name: string, value: z.ZodType<T>, options: KeptEntriesOptions) {
    this.#table = fleet.table('kept', name, z.object({ value, until: z.number() }) as z.ZodType<Kept<T>>)
    this.#options = options
  }

  /** Deletes expired entries from now on. Call it once. */
  start(): void {
    const { clock, log } = this.#options
    this.#sweeping = new Ticker(clock, SWEEP_MS, () => {
      // The next time.
      this.sweep().catch(error => log.debug(errorFields(error), 'expired entries could not be deleted'))
    })
  }

  async get(key: string): Promise<T | undefined> {
    const entry = await this.#table.get(key)
    return entry && this.#valid(entry.value) ? entry.value.value : undefined
  }

  put(key: string, value: T, until: number): Promise<void> {
    return this.#table.put(key, { value, until })
  }

  delete(key: string): Promise<void> {
    return this.#table.delete(key)
  }

  /** Returns all entries by key. Slow. */
  async all(): Promise<ReadonlyMap<string, T>> {
    const all = new Map<string, T>()
    for (const [key, { value }] of await this.#table.entries())
      if (this.#valid(value)) all.set(key, value.value)
    return all
  }

  /** Deletes expired entries, and those above the maximum. */
  async sweep(): Promise<void> {
    const entries = Array.from(await this.#table.entries(), ([key, { value }]) => ({ key, ...value }))
    const above = entries.length - (this.#options.most ?? MOST)
    if (above > 0) entries.sort((a, b) => a.until - b.until)
    for (const [at, { key, until }] of entries.entries())
      if (at < above || until <= this.#options.wallClock()) await this.#table.delete(key)
  }

  [Symbol.dispose](): void {
    this.#sweeping?.[Symbol.dispose]()
  }

  #valid({ until }: Kept<T>): boolean {
    return until > this.#options.wallClock()
  }
}
