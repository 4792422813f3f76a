import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { Clock } from '../../common/clock.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { Entry, Fleet, Table, TableLife } from './fleet.ts'

/** The tables of a process or a fleet, and the time by which their entries expire. */
export interface SharedState {
  readonly fleet: Pick<Fleet, 'table' | 'digest'>
  readonly wall: WallClock
}

/** Returns state of this process alone, which ends with it and expires by `clock`. */
export function ownState(clock: Clock): SharedState {
  return { fleet: new MemoryTables(), wall: () => clock.now() }
}

/** Tables in the memory of this process. Entries stay until they are deleted: their owners remove expired ones. */
export class MemoryTables implements Pick<Fleet, 'table' | 'digest'> {
  readonly #tables = new Map<string, MemoryTable<unknown>>()

  table<T>(life: TableLife, name: string, schema: z.ZodType<T>): Table<T> {
    const key = `${life} ${name}`
    const table = this.#tables.get(key) ?? new MemoryTable(schema)
    this.#tables.set(key, table)
    return table as MemoryTable<T>
  }

  digest(text: string): string {
    return createHash('sha256').update(text).digest('base64url').slice(0, 27)
  }
}

class MemoryTable<T> implements Table<T> {
  readonly #schema: z.ZodType<T>
  readonly #entries = new Map<string, Entry<T>>()
  #revision = 0

  constructor(schema: z.ZodType<T>) {
    this.#schema = schema
  }

  async get(key: string): Promise<Entry<T> | undefined> {
    return this.#entries.get(key)
  }

  async create(key: string, value: T): Promise<number | undefined> {
    return this.#entries.has(key) ? undefined : this.#write(key, value)
  }

  async put(key: string, value: T): Promise<void> {
    this.#write(key, value)
  }

  async replace(key: string, value: T, revision: number): Promise<number | undefined> {
    return this.#entries.get(key)?.revision === revision ? this.#write(key, value) : undefined
  }

  async delete(key: string): Promise<void> {
    this.#entries.delete(key)
  }

  async entries(): Promise<ReadonlyMap<string, Entry<T>>> {
    return new Map(this.#entries)
  }

  #write(key: string, value: T): number {
    const revision = ++this.#revision
    this.#entries.set(key, { value: this.#schema.parse(value), revision })
    return revision
  }
}
