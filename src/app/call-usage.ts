import { randomBytes } from 'node:crypto'
import type { StatementSync } from 'node:sqlite'
import type { CarrierSettings } from '../bridges/phone/carrier.ts'
import { CARRIERS } from '../bridges/phone/carriers.ts'
import { type DayLedger, NOTHING, type Used } from '../bridges/phone/day-usage.ts'
import type { OutboundSettings } from '../bridges/phone/outbound/settings.ts'
import { DAY_MS } from '../common/durations.ts'
import type { Logger } from '../common/log.ts'
import { shortDigest } from '../common/secrets.ts'
import { asList } from '../common/setting-fields.ts'
import type { WallClock } from '../common/wall-clock.ts'
import type { StateFile } from '../storage/database.ts'
import type { CarrierSections } from './carriers.ts'

/** Maximum number of names stored per run and day; further ones count only in memory. */
const MOST_NAMES = 20_000

export interface CallUsageOptions {
  /** The caller keeps ownership. */
  readonly state: StateFile
  /** Key of the digests of names, so that the file reveals no phone numbers. */
  readonly key: string
  readonly wallClock: WallClock
  readonly log: Logger
}

/**
 * Today’s usage of calls, in the state file. Each run writes only its own part, at every change; usage dated in the future, after
 * the clock was set back, counts as today’s. `known` is false until the day ends if usage cannot be read.
 */
export class StoredCallUsage implements DayLedger, Disposable {
  readonly #options: CallUsageOptions
  readonly #run = randomBytes(9).toString('base64url')
  readonly #others: StatementSync
  readonly #put: StatementSync
  readonly #forget: StatementSync
  /** Usage of this run today, by digest. */
  readonly #own = new Map<string, Used>()
  /** Digests of usage that could not be written. */
  readonly #unwritten = new Set<string>()
  #day: number
  #known = true
  #full = false

  constructor(options: CallUsageOptions) {
    this.#options = options
    const { database } = options.state
    this.#others = database.prepare(
      'SELECT sum(minutes) AS minutes, sum(spend) AS spend FROM call_usage WHERE name = ? AND day >= ? AND run <> ?',
    )
    this.#put = database.prepare(
      'INSERT OR REPLACE INTO call_usage (name, day, run, minutes, spend) VALUES (?, ?, ?, ?, ?)',
    )
    this.#forget = database.prepare('DELETE FROM call_usage WHERE day < ?')
    this.#day = this.#today()
    options.state.write(() => void this.#forget.run(this.#day))
    this.earlier('all')
  }

  get known(): boolean {
    this.#turn()
    return this.#known
  }

  earlier(name: string): Used {
    this.#turn()
    const row = this.#options.state.read(
      () => this.#others.get(this.#digest(name), this.#day, this.#run),
      undefined,
    )
    if (row) return { minutes: Number(row.minutes), spend: Number(row.spend) }
    if (this.#known)
      this.#options.log.error(
        {},
        'today’s usage is unknown: calls with a daily limit are rejected until midnight UTC',
      )
    this.#known = false
    return NOTHING
  }

  note(name: string, { minutes, spend }: Used): void {
    this.#turn()
    const digest = this.#digest(name)
    const before = this.#own.get(digest) ?? NOTHING
    if (before.minutes !== minutes || before.spend !== spend) {
      if (this.#own.size >= MOST_NAMES && !this.#own.has(digest)) {
        if (!this.#full)
          this.#options.log.warn({ most: MOST_NAMES }, 'more usage than is kept over a restart')
        this.#full = true
        return
      }
      this.#own.set(digest, { minutes, spend })
      this.#unwritten.add(digest)
    }
    this.#write()
  }

  /** Writes what could not be written before. */
  [Symbol.dispose](): void {
    this.#write()
  }

  #write(): void {
    for (const digest of this.#unwritten) {
      const { minutes, spend } = this.#own.get(digest) ?? NOTHING
      const put = () => void this.#put.run(digest, this.#day, this.#run, minutes, spend)
      if (!this.#options.state.write(put)) return
      this.#unwritten.delete(digest)
    }
  }

  /** Usage is reset on a new day. */
  #turn(): void {
    const today = this.#today()
    if (today === this.#day) return
    this.#day = today
    this.#known = true
    this.#full = false
    this.#own.clear()
    this.#unwritten.clear()
    this.#options.state.write(() => void this.#forget.run(today))
  }

  #today(): number {
    return Math.floor(this.#options.wallClock() / DAY_MS)
  }

  /** Single words are not personal names and stay readable. */
  #digest(name: string): string {
    if (!name.includes(' ')) return name
    return shortDigest(this.#options.key, name)
  }
}

type Limits = Partial<OutboundSettings>

/** Opens the usage of calls; undefined if there are no daily limits. */
export function openCallUsage(
  settings: CarrierSections,
  options: Omit<CallUsageOptions, 'key'>,
): StoredCallUsage | undefined {
  const { outbound, authToken } = settings.twilio
  const ceilings = CARRIERS.flatMap(({ name }): (number | undefined)[] => {
    const section: CarrierSettings = settings[name]
    const { maxMinutesPerDay, maxMinutesPerNumber, maxMinutesPerKey }: Limits = section.outbound ?? {}
    const { maxSpendPerDay, maxSpendPerNumber, maxSpendPerKey }: Limits = section.outbound ?? {}
    const numbers = Object.values(section.numbers ?? {}).map(number => number.maxMinutesPerDay)
    const minutes = [maxMinutesPerDay, maxMinutesPerNumber, maxMinutesPerKey]
    return [...minutes, maxSpendPerDay, maxSpendPerNumber, maxSpendPerKey, ...numbers]
  })
  if (ceilings.every(each => each === undefined)) return undefined
  const key = outbound?.apiKeySecret ?? asList(authToken)[0] ?? 'dragoman'
  return new StoredCallUsage({ key, ...options })
}
