import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { type Clock, Ticker } from '../../../common/clock.ts'
import type { Logger } from '../../../common/log.ts'
import { isoTime } from '../../../common/wall-clock.ts'
import { writeFileAtomic } from '../../../storage/atomic-file.ts'
import { withLock } from '../../../storage/file-lock.ts'
import {
  oldestSlice,
  SLICE_MS,
  type UsageByKey,
  type UsageLedger,
  type UsageSlices,
} from '../../usage-ledger.ts'

/**
 * Usage by mark and by quarter of an hour, which is named by its start: milliseconds of audio of keys, and what the budgets
 * of engines count.
 */
const fileSchema = z.strictObject({
  version: z.literal(1),
  keys: z.record(z.string(), z.record(z.iso.datetime(), z.number().min(0))),
})

/** Path of the usage file for `keyFile`: `keys.json` has `keys.usage.json` next to it. */
export function usagePath(keyFile: string): string {
  return keyFile.replace(/(\.json)?$/, '.usage.json')
}

/**
 * Usage of keys and engines, in a JSON file that only its owner can read. Any number of services can share it: each adds its own
 * usage, in turn, and reads what the others have added.
 */
export class UsageFile {
  readonly path: string
  readonly #clock: Clock

  constructor(path: string, clock: Clock) {
    this.path = path
    this.#clock = clock
  }

  /**
   * Returns the usage that counts at `now` (ms since 1970); empty if the file does not exist. Usage dated in the
   * future, after the clock was set back, counts as of now. Rejects when the file cannot be read, with a `SyntaxError`
   * when it is invalid.
   */
  async read(now: number): Promise<UsageByKey> {
    let text: string
    try {
      text = await readFile(this.path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
      throw error
    }
    const { keys } = parsed(text)
    const newest = Math.floor(now / SLICE_MS)
    const usage = new Map<string, Map<number, number>>()
    for (const [mark, slices] of Object.entries(keys))
      for (const [begin, ms] of Object.entries(slices)) {
        const slice = Math.min(Math.floor(Date.parse(begin) / SLICE_MS), newest)
        if (slice >= oldestSlice(now)) count(usage, mark, slice, ms)
      }
    return usage
  }

  /** Adds `fresh` to the file and returns the sum; an invalid file is replaced. */
  add(fresh: UsageByKey, now: number): Promise<UsageByKey> {
    return withLock(this.path, this.#clock, async () => {
      const known = await this.read(now).catch(error => {
        if (error instanceof SyntaxError) return new Map<string, UsageSlices>()
        throw error
      })
      const usage = new Map(Array.from(known, ([mark, slices]) => [mark, new Map(slices)]))
      for (const [mark, slices] of fresh)
        for (const [slice, ms] of slices) if (slice >= oldestSlice(now)) count(usage, mark, slice, ms)
      await writeFileAtomic(
        this.path,
        `${JSON.stringify({ version: 1, keys: plain(usage) }, undefined, 2)}\n`,
      )
      return usage
    })
  }
}

function parsed(text: string): z.output<typeof fileSchema> {
  const { data, error } = fileSchema.safeParse(JSON.parse(text))
  if (error) throw new SyntaxError(`invalid value at ${error.issues[0]?.path.join('.') || 'the top level'}`)
  return data
}

function count(usage: Map<string, Map<number, number>>, mark: string, slice: number, ms: number): void {
  const slices = usage.get(mark) ?? new Map<number, number>()
  slices.set(slice, (slices.get(slice) ?? 0) + ms)
  usage.set(mark, slices)
}

function plain(usage: UsageByKey): Record<string, Record<string, number>> {
  const readable = (slices: UsageSlices) =>
    Object.fromEntries(Array.from(slices, ([slice, ms]) => [isoTime(slice * SLICE_MS), Math.round(ms)]))
  return Object.fromEntries(Array.from(usage, ([mark, slices]) => [mark, readable(slices)]))
}

/** Save interval (ms): a crash loses at most the usage of this time. */
const PERIOD_MS = 15_000

/** Persists a ledger: reads it from a file once, and saves new usage at intervals and at the end. */
export class UsageSaver {
  readonly #file: UsageFile
  readonly #ledger: UsageLedger
  readonly #log: Logger
  #ticker: Ticker | undefined
  #saving: Promise<void> = Promise.resolve()
  /** The failure to save has been logged. */
  #failing = false

  private constructor(file: UsageFile, ledger: UsageLedger, log: Logger) {
    this.#file = file
    this.#ledger = ledger
    this.#log = log
  }

  /** Never rejects: if the file cannot be read, counting restarts and the error is logged. */
  static async start(file: UsageFile, ledger: UsageLedger, clock: Clock, log: Logger): Promise<UsageSaver> {
    try {
      ledger.settle(await file.read(ledger.now), new Map())
    } catch (error) {
      log.error(
        { path: file.path, reason: (error as Error).message },
        'key usage not read, counting restarted',
      )
    }
    const saver = new UsageSaver(file, ledger, log)
    saver.#ticker = new Ticker(clock, PERIOD_MS, () => void saver.save())
    return saver
  }

  /** Saves new usage after any save in progress. Never rejects; a failed save is retried at the next interval. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save())
    return this.#saving
  }

  /** Saves one last time. Idempotent. */
  close(): Promise<void> {
    this.#ticker?.[Symbol.dispose]()
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
