import { createHash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { BoundedMap } from '../common/bounded-map.ts'
import type { Logger } from '../common/log.ts'
import type { WallClock } from '../common/wall-clock.ts'
import { faultOf } from './database-fault.ts'

/** The table of known phone calls. */
export const CALL_TABLE = `
  CREATE TABLE calls (
    number INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    changed_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    started INTEGER NOT NULL,
    ended INTEGER NOT NULL
  ) STRICT;
`

/** How long a call is known, and how many are: the oldest are forgotten first. */
const KEPT_MS = 400 * 86_400_000
const MOST_CALLS = 1_000_000
/** Rows deleted at a time, and the number of notes between two deletions, which is smaller. */
const DELETED_AT_ONCE = 1_000
const NOTES_BETWEEN = 500
/** Calls known in memory while the file cannot be written. */
const MOST_UNWRITTEN = 10_000

/** What is known of a phone call. Values only grow, so notes of several processes can be merged in any order. */
export interface CallRecord {
  /** Time of the last note (ms since 1970). */
  readonly changedAt: number
  /** Latest attempt: instructions for a new stream. 0: none yet. */
  readonly attempt: number
  /** Latest attempt whose stream has started. 0: none. */
  readonly started: number
  readonly ended: boolean
}

export type CallNote = Partial<Omit<CallRecord, 'changedAt'>>

/** Returns `record` with `note`, at `now` (ms since 1970). */
export function noted(record: CallRecord | undefined, note: CallNote, now: number): CallRecord {
  const { attempt = 0, started = 0, ended = false } = record ?? {}
  return {
    changedAt: now,
    attempt: Math.max(attempt, note.attempt ?? 0),
    started: Math.max(started, note.started ?? 0),
    ended: ended || (note.ended ?? false),
  }
}

export interface CallTableOptions {
  readonly database: DatabaseSync
  /** Named in errors. */
  readonly file?: string | undefined
  readonly wallClock: WallClock
  readonly log: Logger
}

/**
 * The calls that were here, by digest of their id. A note is on disk when `note` returns. While the disk is full or read
 * only, calls go on, known in memory only, and the log names the file.
 */
export class CallTable {
  readonly wallClock: WallClock
  readonly #options: CallTableOptions
  readonly #find: StatementSync
  readonly #note: StatementSync
  readonly #forget: StatementSync
  readonly #unwritten = new BoundedMap<string, CallRecord>(MOST_UNWRITTEN)
  #notes = 0
  #failed = false

  /** The caller keeps ownership of the database. */
  constructor(options: CallTableOptions) {
    this.#options = options
    const { database, wallClock } = options
    this.wallClock = wallClock
    this.#find = database.prepare('SELECT changed_at, attempt, started, ended FROM calls WHERE id = ?')
    this.#note = database.prepare(`
      INSERT INTO calls (id, changed_at, attempt, started, ended) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET
        changed_at = excluded.changed_at,
        attempt = max(attempt, excluded.attempt),
        started = max(started, excluded.started),
        ended = max(ended, excluded.ended)`)
    // Numbers grow with time, so only the lowest ones are looked at.
    this.#forget = database.prepare(`
      DELETE FROM calls
      WHERE number IN (SELECT number FROM calls ORDER BY number LIMIT ${DELETED_AT_ONCE})
        AND (changed_at < ? OR number <= (SELECT max(number) FROM calls) - ${MOST_CALLS})`)
  }

  async find(call: string): Promise<CallRecord | undefined> {
    const id = digestOf(call)
    const unwritten = this.#unwritten.get(id.toString('latin1'))
    if (unwritten) return unwritten
    let row: ReturnType<StatementSync['get']>
    try {
      row = this.#find.get(id)
    } catch (error) {
      this.#fails(error)
    }
    return (
      row && {
        changedAt: Number(row.changed_at),
        attempt: Number(row.attempt),
        started: Number(row.started),
        ended: row.ended === 1,
      }
    )
  }

  note(call: string, note: CallNote): void {
    const { attempt = 0, started = 0, ended = false } = note
    const id = digestOf(call)
    const now = this.wallClock()
    const key = id.toString('latin1')
    try {
      this.#note.run(id, Math.round(now), attempt, started, ended ? 1 : 0)
      const before = this.#unwritten.get(key)
      this.#unwritten.delete(key)
      this.#failed = false
      if (before) this.note(call, before)
      else this.#tidy(now)
    } catch (error) {
      this.#unwritten.set(key, noted(this.#unwritten.get(key), note, now))
      this.#fails(error)
    }
  }

  #tidy(now: number): void {
    if (++this.#notes % NOTES_BETWEEN === 0) this.#forget.run(Math.round(now - KEPT_MS))
  }

  #fails(error: unknown): void {
    if (this.#failed) return
    this.#failed = true
    const { file, log } = this.#options
    log.error({ file, fault: faultOf(error) }, 'ended calls cannot be stored: a restart forgets them')
  }
}

function digestOf(call: string): Buffer {
  return createHash('sha256').update(call).digest().subarray(0, 16)
}
