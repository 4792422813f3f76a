import { randomBytes, randomInt } from 'node:crypto'
import type { StatementSync } from 'node:sqlite'
import type { z } from 'zod'
import { BoundedMap } from '../common/bounded-map.ts'
import { DAY_MS } from '../common/durations.ts'
import { BridgeError } from '../common/errors.ts'
import { parseJsonAs } from '../common/json.ts'
import { shortDigest } from '../common/secrets.ts'
import type { WallClock } from '../common/wall-clock.ts'
import type { Entry, Fleet, Table, TableLife } from '../core/model/fleet.ts'
import type { StateFile } from './database.ts'

/** Time for which an entry is kept after its last write (ms), at least. Owners of `kept` entries delete them. */
const LIVES_MS: Readonly<Record<Exclude<TableLife, 'kept'>, number>> = {
  day: DAY_MS,
  week: 8 * DAY_MS,
  year: 400 * DAY_MS,
}
/** Maximum number of entries with a limited life, about: the oldest are deleted first. */
const MOST_ENTRIES = 1_000_000
/** Entries deleted at a time, and the number of writes between two deletions, which is smaller. */
const DELETED_AT_ONCE = 1_000
const WRITES_BETWEEN = 500
/** Changes kept in memory while the file cannot be written. */
const MOST_UNWRITTEN = 10_000
const MOST_REVISION = 2 ** 47
/** Revision of an entry that does not exist. */
const NONE = 0

/** A stored entry of any kind. */
interface Stored {
  readonly text: string
  readonly revision: number
}

/** A change that is not in the file yet; without `stored`, a deletion. */
interface Unwritten {
  readonly kind: string
  readonly key: string
  readonly stored: Stored | undefined
}

/**
 * The tables of a process that is alone, in the state file. A write is in the file when its promise resolves. While the disk is
 * full or read-only, changes are in memory, and written as soon as that is possible; a deletion then rejects with
 * `BridgeError` `STORAGE`, because a restart would undo it.
 */
export class StateTables implements Pick<Fleet, 'table' | 'digest'> {
  readonly #state: StateFile
  readonly #wallClock: WallClock
  readonly #key: string
  readonly #get: StatementSync
  readonly #list: StatementSync
  readonly #put: StatementSync
  readonly #delete: StatementSync
  readonly #expire: StatementSync
  readonly #unwritten = new BoundedMap<string, Unwritten>(MOST_UNWRITTEN)
  #writes = 0

  /** The caller keeps ownership of the file. */
  constructor(state: StateFile, wallClock: WallClock) {
    this.#state = state
    this.#wallClock = wallClock
    const { database } = state
    this.#get = database.prepare('SELECT value AS text, revision FROM entries WHERE kind = ? AND key = ?')
    this.#list = database.prepare('SELECT key, value AS text, revision FROM entries WHERE kind = ?')
    this.#put = database.prepare(`
      INSERT INTO entries (kind, key, value, revision, written_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (kind, key) DO UPDATE SET
        value = excluded.value, revision = excluded.revision, written_at = excluded.written_at
      WHERE entries.revision = coalesce(?, entries.revision)`)
    this.#delete = database.prepare('DELETE FROM entries WHERE kind = ? AND key = ?')
    // Numbers grow with time, so only the lowest ones are looked at.
    this.#expire = database.prepare(`
      DELETE FROM entries
      WHERE number IN (SELECT number FROM entries WHERE kind = ? ORDER BY number LIMIT ${DELETED_AT_ONCE})
        AND (written_at < ? OR number <= (SELECT max(number) FROM entries) - ${MOST_ENTRIES})`)
    this.#key = this.#digestKey()
  }

  table<T>(life: TableLife, name: string, schema: z.ZodType<T>): Table<T> {
    const entryOf = (stored: Stored | undefined): Entry<T> | undefined => {
      const value = stored && parseJsonAs(stored.text, schema)
      return stored && value !== undefined ? { value, revision: stored.revision } : undefined
    }
    const write = (key: string, value: T, over?: number) => {
      const revision = this.#write(name, key, JSON.stringify(value), over)
      this.#tidy(name, life)
      return revision
    }
    return {
      get: async key => entryOf(this.#find(name, key)),
      create: async (key, value) => {
        const before = this.#find(name, key)
        // An entry that does not match the schema counts as absent.
        return entryOf(before) ? undefined : write(key, value, before?.revision ?? NONE)
      },
      put: async (key, value) => void write(key, value),
      replace: async (key, value, revision) =>
        this.#find(name, key)?.revision === revision ? write(key, value, revision) : undefined,
      delete: async key => this.#remove(name, key),
      entries: async () => {
        const found = new Map<string, Entry<T>>()
        for (const [key, stored] of this.#entries(name)) {
          const entry = entryOf(stored)
          if (entry) found.set(key, entry)
        }
        return found
      },
    }
  }

  digest(text: string): string {
    return shortDigest(this.#key, text)
  }

  #find(kind: string, key: string): Stored | undefined {
    const unwritten = this.#unwritten.get(placeOf(kind, key))
    if (unwritten) return unwritten.stored
    return this.#state.read(() => this.#get.get(kind, key) as Stored | undefined, undefined)
  }

  #entries(kind: string): Map<string, Stored> {
    const rows = this.#state.read(() => this.#list.all(kind) as unknown as (Stored & { key: string })[], [])
    const found = new Map<string, Stored>(rows.map(({ key, ...stored }) => [key, stored]))
    for (const each of this.#unwritten.values()) {
      if (each.kind !== kind) continue
      if (each.stored) found.set(each.key, each.stored)
      else found.delete(each.key)
    }
    return found
  }

  /** Writes over revision `over`, or over any. Returns the new revision, or undefined if another process was faster. */
  #write(kind: string, key: string, text: string, over?: number): number | undefined {
    const place = placeOf(kind, key)
    const stored: Stored = { text, revision: randomInt(1, MOST_REVISION) }
    // What is only in memory is not over what is in the file.
    const expected = this.#unwritten.has(place) ? undefined : over
    let changes = 1
    const written = this.#state.write(() => {
      changes = this.#run(kind, key, stored, expected)
    })
    if (!written) this.#unwritten.set(place, { kind, key, stored })
    else if (this.#unwritten.delete(place) || this.#unwritten.size > 0) this.#catchUp()
    return changes > 0 ? stored.revision : undefined
  }

  #run(kind: string, key: string, { text, revision }: Stored, over: number | undefined): number {
    const now = Math.round(this.#wallClock())
    return Number(this.#put.run(kind, key, text, revision, now, over ?? null).changes)
  }

  #remove(kind: string, key: string): void {
    const place = placeOf(kind, key)
    if (this.#state.write(() => void this.#delete.run(kind, key))) {
      this.#unwritten.delete(place)
      return
    }
    this.#unwritten.set(place, { kind, key, stored: undefined })
    throw new BridgeError('STORAGE', 'a deletion could not be written to the state file', { retryable: true })
  }

  /** Writes what could not be written before. */
  #catchUp(): void {
    for (const [place, { kind, key, stored }] of this.#unwritten) {
      const written = this.#state.write(() => {
        if (stored) this.#run(kind, key, stored, undefined)
        else this.#delete.run(kind, key)
      })
      if (!written) return
      this.#unwritten.delete(place)
    }
  }

  #tidy(kind: string, life: TableLife): void {
    if (life === 'kept' || ++this.#writes % WRITES_BETWEEN > 0) return
    this.#state.write(() => void this.#expire.run(kind, Math.round(this.#wallClock() - LIVES_MS[life])))
  }

  /** The key of all digests in this file: random, stored in the file. */
  #digestKey(): string {
    const { database } = this.#state
    const fresh = randomBytes(32).toString('base64url')
    const add = database.prepare("INSERT OR IGNORE INTO secrets (name, secret) VALUES ('digests', ?)")
    const find = database.prepare("SELECT secret FROM secrets WHERE name = 'digests'")
    const known = this.#state.read(() => find.get(), undefined)
    if (!known) this.#state.write(() => void add.run(fresh))
    return String((known ?? this.#state.read(() => find.get(), undefined))?.secret ?? fresh)
  }
}

function placeOf(kind: string, key: string): string {
  return `${kind} ${key}`
}
