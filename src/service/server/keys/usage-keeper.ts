import { type Clock, Ticker } from '../../../common/clock.ts'
import type { Log } from '../../../common/log.ts'
import type { UsageFile } from './usage-file.ts'
import type { UsageLedger } from './usage-ledger.ts'

/** Save interval (ms): a crash loses at most the usage of this time. */
const PERIOD_MS = 15_000

/** Persists a ledger: reads it from a file once, and saves new usage at intervals and at the end. */
export class UsageKeeper {
  readonly #file: UsageFile
  readonly #ledger: UsageLedger
  readonly #log: Log
  readonly #ticker: Ticker
  #saving: Promise<void> = Promise.resolve()
  /** The failure to save has been logged. */
  #failing = false

  private constructor(file: UsageFile, ledger: UsageLedger, clock: Clock, log: Log) {
    this.#file = file
    this.#ledger = ledger
    this.#log = log
    this.#ticker = new Ticker(clock, PERIOD_MS, () => void this.save())
  }

  /** Never rejects: if the file cannot be read, counting restarts and the error is logged. */
  static async start(file: UsageFile, ledger: UsageLedger, clock: Clock, log: Log): Promise<UsageKeeper> {
    try {
      ledger.settle(await file.read(ledger.now), new Map())
    } catch (error) {
      log.error(
        { path: file.path, reason: (error as Error).message },
        'key usage not read, counting restarted',
      )
    }
    return new UsageKeeper(file, ledger, clock, log)
  }

  /** Saves new usage after any save in progress. Never rejects; a failed save is retried at the next interval. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save())
    return this.#saving
  }

  /** Saves one last time. Idempotent. */
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
          'key usage not saved, retrying',
        )
      this.#failing = true
    }
  }
}
