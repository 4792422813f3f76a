import type { StatementSync } from 'node:sqlite'
import { type Clock, Ticker } from '../../../common/clock.ts'
import type { StateFile } from '../../../storage/database.ts'
import { oldestSlice, SLICE_MS, type UsageByKey, type UsageLedger } from '../../usage-ledger.ts'

/**
 * Usage of keys and engines in the state file, by mark and by quarter of an hour: milliseconds of audio of keys, and what the
 * budgets of engines count. Any number of services can share it: each adds its own usage, and reads what the others have added.
 */
export class StoredKeyUsage {
  readonly #state: StateFile
  readonly #find: StatementSync

  /** The caller keeps ownership. */
  constructor(state: StateFile) {
    this.#state = state
    this.#find = state.database.prepare('SELECT mark, slice, amount FROM key_usage WHERE slice >= ?')
  }

  /** Returns the usage that counts at `now` (ms since 1970). Usage dated in the future, after the clock was set back, counts as of now. */
  read(now: number): UsageByKey {
    const newest = Math.floor(now / SLICE_MS)
    const usage = new Map<string, Map<number, number>>()
    for (const row of this.#state.read(() => this.#find.all(oldestSlice(now)), [])) {
      const mark = String(row.mark)
      const slice = Math.min(Number(row.slice), newest)
      const slices = usage.get(mark) ?? new Map<number, number>()
      slices.set(slice, (slices.get(slice) ?? 0) + Number(row.amount))
      usage.set(mark, slices)
    }
    return usage
  }

  /** Adds `fresh`, and deletes what no longer counts. Returns false if that failed. */
  add(fresh: UsageByKey, now: number): boolean {
    const { database } = this.#state
    return this.#state.write(() => {
      const add = database.prepare(`
        INSERT INTO key_usage (mark, slice, amount) VALUES (?, ?, ?)
        ON CONFLICT (mark, slice) DO UPDATE SET amount = amount + excluded.amount`)
      database.exec('BEGIN IMMEDIATE')
      try {
        for (const [mark, slices] of fresh) for (const [slice, amount] of slices) add.run(mark, slice, amount)
        database.prepare('DELETE FROM key_usage WHERE slice < ?').run(oldestSlice(now))
        database.exec('COMMIT')
      } catch (error) {
        // A full disk rolls back by itself.
        if (database.isTransaction) database.exec('ROLLBACK')
        throw error
      }
    })
  }
}

/** Save interval (ms): a crash loses at most the usage of this time. */
const PERIOD_MS = 1_000

/** Persists a ledger: reads it once, and saves new usage at intervals and at the end. */
export class UsageSaver {
  readonly #stored: StoredKeyUsage
  readonly #ledger: UsageLedger
  readonly #ticker: Ticker

  constructor(stored: StoredKeyUsage, ledger: UsageLedger, clock: Clock) {
    this.#stored = stored
    this.#ledger = ledger
    ledger.settle(stored.read(ledger.now), new Map())
    this.#ticker = new Ticker(clock, PERIOD_MS, () => this.save())
  }

  /** Saves new usage, and learns what other services have added. A failed save is repeated at the next interval. */
  save(): void {
    const { fresh, now } = this.#ledger
    if (fresh.size > 0 && this.#stored.add(fresh, now)) this.#ledger.settle(this.#stored.read(now), fresh)
  }

  /** Saves one last time. Idempotent. */
  [Symbol.dispose](): void {
    this.#ticker[Symbol.dispose]()
    this.save()
  }
}
