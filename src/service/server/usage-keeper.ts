import { type Clock, Ticker } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { UsageFile } from './usage-file.ts'
import type { UsageLedger } from './usage-ledger.ts'

/** What was used since the last time is all that a crash can lose (ms). */
const PERIOD_MS = 15_000

/** Keeps a ledger over the end of the process: reads it from a file once, writes what is new at intervals and at the end. */
export class UsageKeeper {
  readonly #file: UsageFile
  readonly #ledger: UsageLedger
  readonly #log: Log
  readonly #ticker: Ticker
  #saving: Promise<void> = Promise.resolve()
  /** The log has been told that saving fails. */
  #failing = false

  private constructor(file: UsageFile, ledger: UsageLedger, clock: Clock, log: Log) {
    this.#file = file
    this.#ledger = ledger
    this.#log = log
    this.#ticker = new Ticker(clock, PERIOD_MS, () => void this.save())
  }

  /** Never rejects: where the file cannot be read, counting begins anew, and the log says so. */
  static async start(file: UsageFile, ledger: UsageLedger, clock: Clock, log: Log): Promise<UsageKeeper> {
    try {
      ledger.settle(await file.read(ledger.now), new Map())
    } catch (error) {
      log.error(
        { path: file.path, reason: (error as Error).message },
        'what keys have used cannot be read, counting begins anew',
      )
    }
    return new UsageKeeper(file, ledger, clock, log)
  }

  /** Saves what is new, after what is being saved. Never rejects: what cannot be saved now is saved later. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save())
    return this.#saving
  }

  /** Saves for the last time. Idempotent. */
  close(): Promise<void> {
    this.#ticker[Symbol.dispose]()
    return this.save()
  }

  async #save(): Promise<void> {
    const { fresh, now } = this.#ledger
    if (fresh.size === 0) return
    try {
      this.#ledger.settle(await this.#file.add(fresh, now), fresh)
      this.#failing = false
    } catch (error) {
      if (!this.#failing)
        this.#log.error(
          { path: this.#file.path, reason: (error as Error).message },
          'what keys have used cannot be saved; it is tried again',
        )
      this.#failing = true
    }
  }
}
