import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { CarrierSettings } from '../bridges/phone/carrier.ts'
import { CARRIERS } from '../bridges/phone/carriers.ts'
import { type DayLedger, NOTHING, type Used } from '../bridges/phone/day-usage.ts'
import type { OutboundSettings } from '../bridges/phone/outbound/settings.ts'
import { type Clock, setTimer } from '../common/clock.ts'
import type { Logger } from '../common/log.ts'
import { isoTime, type WallClock } from '../common/wall-clock.ts'
import { writeFileAtomic } from '../storage/atomic-file.ts'
import type { CarrierSections } from './carriers.ts'

/** Minimum time between two writes (ms). The first change after a quiet period is written at once. */
const WRITE_EVERY_MS = 2_000
/** Maximum number of names stored per run and day; further ones count only in memory. */
const MOST_NAMES = 20_000
/** Maximum number of runs stored separately; the oldest above it are merged. */
const MOST_RUNS = 32
const ADDED_UP = 'older'
const DAY_MS = 86_400_000

const usedSchema = z.tuple([z.number().min(0), z.number().min(0)])
/** For each run, the minutes or costs under each name. */
const fileSchema = z.strictObject({
  version: z.literal(1),
  day: z.iso.date(),
  runs: z.record(z.string(), z.record(z.string(), usedSchema)),
})
type Runs = z.output<typeof fileSchema>['runs']

export interface UsageFileOptions {
  readonly file: string
  /** Key of the digests of names, so that the file reveals no phone numbers. */
  readonly key: string
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly log: Logger
}

/**
 * Stores today’s usage of calls in a file that is replaced atomically. Each run writes only its own part, so concurrent
 * runs need no lock: a part overwritten by a simultaneous write is restored with its owner’s next write.
 *
 * An unreadable file stays unchanged until the day ends, and `known` is false.
 */
export class UsageFile implements DayLedger, AsyncDisposable {
  readonly #options: UsageFileOptions
  readonly #run = randomBytes(9).toString('base64url')
  /** Usage of this run today, by digest. */
  readonly #own = new Map<string, Used>()
  /** The parts of other runs, as last read, and their sums. */
  #runs: Runs = {}
  #others = new Map<string, Used>()
  #day: string
  #known = true
  #changed = false
  #failed = false
  #full = false
  #timer: Disposable | undefined
  #writing: Promise<void> | undefined

  private constructor(options: UsageFileOptions) {
    this.#options = options
    this.#day = this.#today()
  }

  /** Reads the file, if it exists. */
  static open(options: UsageFileOptions): UsageFile {
    const usage = new UsageFile(options)
    try {
      usage.#learn(parsed(readFileSync(options.file, 'utf8'), usage.#day))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') usage.#lost(error)
    }
    return usage
  }

  get known(): boolean {
    this.#turn()
    return this.#known
  }

  earlier(name: string): Used {
    this.#turn()
    return this.#others.get(this.#digest(name)) ?? NOTHING
  }

  note(name: string, { minutes, spend }: Used): void {
    this.#turn()
    const digest = this.#digest(name)
    const before = this.#own.get(digest) ?? NOTHING
    if (before.minutes === minutes && before.spend === spend) return
    if (this.#own.size >= MOST_NAMES && !this.#own.has(digest)) {
      if (!this.#full) this.#options.log.warn({ most: MOST_NAMES }, 'more usage than is kept over a restart')
      this.#full = true
      return
    }
    this.#own.set(digest, { minutes, spend })
    this.#changed = true
    if (!this.#timer && !this.#writing) this.#write()
  }

  /** Writes pending changes. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer?.[Symbol.dispose]()
    await this.#writing
    if (this.#changed) await this.#replace()
    this.#timer?.[Symbol.dispose]()
  }

  #write(): void {
    const { clock } = this.#options
    this.#writing = this.#replace().finally(() => {
      this.#writing = undefined
      this.#timer = setTimer(clock, WRITE_EVERY_MS, () => {
        this.#timer = undefined
        if (this.#changed) this.#write()
      })
    })
  }

  /** Never rejects. */
  async #replace(): Promise<void> {
    this.#changed = false
    if (!this.known) return
    const { file, log } = this.#options
    try {
      this.#learn(await this.#read())
    } catch (error) {
      // The file was valid earlier in this run, so its known content is written again.
      log.error({ file, fault: faultOf(error) }, 'the usage file was damaged and has been rewritten')
    }
    const runs: Runs = { ...this.#runs, [this.#run]: plain(this.#own) }
    const text = JSON.stringify({ version: 1, day: this.#day, runs: bounded(runs, this.#run) })
    try {
      await writeFileAtomic(file, text)
      this.#failed = false
    } catch (error) {
      if (!this.#failed) log.error({ file, fault: faultOf(error) }, 'the usage file cannot be written')
      this.#failed = true
      this.#changed = true
    }
  }

  async #read(): Promise<Runs> {
    try {
      return parsed(await readFile(this.#options.file, 'utf8'), this.#day)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw error
    }
  }

  #learn(runs: Runs): void {
    const { [this.#run]: _own, ...others } = runs
    this.#runs = others
    this.#others = new Map()
    for (const names of Object.values(others))
      for (const [name, [minutes, spend]] of Object.entries(names)) {
        const sum = this.#others.get(name) ?? NOTHING
        this.#others.set(name, { minutes: sum.minutes + minutes, spend: sum.spend + spend })
      }
  }

  #lost(error: unknown): void {
    const { file, log } = this.#options
    this.#known = false
    log.error(
      { file, fault: faultOf(error) },
      'today’s usage is unknown: calls with a daily limit are rejected until midnight UTC; restore a backup of the file or delete it, then restart',
    )
  }

  /** Usage is reset on a new day. */
  #turn(): void {
    const today = this.#today()
    if (today === this.#day) return
    this.#day = today
    this.#known = true
    this.#full = false
    this.#own.clear()
    this.#learn({})
  }

  #today(): string {
    return isoTime(Math.floor(this.#options.wallClock() / DAY_MS) * DAY_MS).slice(0, 10)
  }

  /** Single words are not personal names and stay readable. */
  #digest(name: string): string {
    if (!name.includes(' ')) return name
    return createHmac('sha256', this.#options.key).update(name).digest('base64url').slice(0, 27)
  }
}

/** Returns the file’s usage for `today`. Entries with a later date, after the clock was set back, count as today. */
function parsed(text: string, today: string): Runs {
  const { data, error } = fileSchema.safeParse(JSON.parse(text))
  if (error) throw new SyntaxError(`invalid at ${error.issues[0]?.path.join('.') || 'the top level'}`)
  return data.day < today ? {} : data.runs
}

function plain(used: ReadonlyMap<string, Used>): Runs[string] {
  return Object.fromEntries(Array.from(used, ([name, { minutes, spend }]) => [name, [minutes, spend]]))
}

/** Keeps at most `MOST_RUNS` runs, so that frequent restarts do not grow the file without limit. */
function bounded(runs: Runs, own: string): Runs {
  const names = Object.keys(runs).filter(name => name !== own && name !== ADDED_UP)
  const older = names.slice(0, Math.max(0, names.length - MOST_RUNS))
  if (older.length === 0) return runs
  const sum: Runs[string] = { ...runs[ADDED_UP] }
  for (const run of older)
    for (const [name, [minutes, spend]] of Object.entries(runs[run] ?? {})) {
      const [minutesBefore, spendBefore] = sum[name] ?? [0, 0]
      sum[name] = [minutesBefore + minutes, spendBefore + spend]
    }
  const current = Object.entries(runs).filter(([run]) => !older.includes(run))
  return { [ADDED_UP]: sum, ...Object.fromEntries(current.filter(([run]) => run !== ADDED_UP)) }
}

/** Returns the disk’s error code or the fault in the text, never the text itself. */
function faultOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? (message.startsWith('invalid at') ? message : 'invalid JSON')
}

type Limits = Partial<OutboundSettings>

/** Opens the configured usage file; undefined if there are no daily limits. */
export function openUsageFile(
  settings: CarrierSections,
  options: Pick<UsageFileOptions, 'clock' | 'wallClock' | 'log'>,
): UsageFile | undefined {
  const { usageFile: file, outbound, authTokens } = settings.twilio
  const ceilings = CARRIERS.flatMap(({ name }): (number | undefined)[] => {
    const section: CarrierSettings = settings[name]
    const { maxMinutesPerDay, maxMinutesPerNumber, maxMinutesPerKey }: Limits = section.outbound ?? {}
    const { maxSpendPerDay, maxSpendPerNumber, maxSpendPerKey }: Limits = section.outbound ?? {}
    const numbers = Object.values(section.numbers ?? {}).map(number => number.maxMinutesPerDay)
    const minutes = [maxMinutesPerDay, maxMinutesPerNumber, maxMinutesPerKey]
    return [...minutes, maxSpendPerDay, maxSpendPerNumber, maxSpendPerKey, ...numbers]
  })
  if (file === undefined || ceilings.every(each => each === undefined)) return undefined
  const key = outbound?.apiKeySecret ?? outbound?.authToken ?? authTokens?.[0] ?? 'dragoman'
  return UsageFile.open({ file, key, ...options })
}
