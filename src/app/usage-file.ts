import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { after, type Clock } from '../core/clock.ts'
import { type DayLedger, NOTHING, type Used } from '../core/day-ledger.ts'
import type { Log } from '../core/log.ts'
import { isoTime, type WallClock } from '../core/wall-clock.ts'
import { writeWhole } from '../files/whole-file.ts'
import type { AppConfig } from './app-config.ts'

/** Between two writes (ms): the first change after a quiet time is written at once. */
const WRITE_EVERY_MS = 2_000
/** Names that one run notes in a day; those beyond count in memory alone. */
const MOST_NAMES = 20_000
/** Runs kept apart; the oldest beyond that are added up. */
const MOST_RUNS = 32
const ADDED_UP = 'older'
const DAY_MS = 86_400_000

const usedSchema = z.tuple([z.number().min(0), z.number().min(0)])
/** By run, what it has used under each name: minutes, money. */
const fileSchema = z.strictObject({
  version: z.literal(1),
  day: z.iso.date(),
  runs: z.record(z.string(), z.record(z.string(), usedSchema)),
})
type Runs = z.output<typeof fileSchema>['runs']

export interface UsageFileTerms {
  readonly file: string
  /** Keys the digests of names: the file tells no telephone number. */
  readonly key: string
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly log: Log
}

/**
 * What calls have used today, in a file that is written whole and put in place at once. Every run has a part of its own in it,
 * which it alone writes, so that runs beside each other need no lock: a part that two of them overwrote at the same moment
 * is back with its owner's next write.
 *
 * A file that cannot be read or understood is left as it is until the day is over, and `known` is false.
 */
export class UsageFile implements DayLedger, AsyncDisposable {
  readonly #terms: UsageFileTerms
  readonly #run = randomBytes(9).toString('base64url')
  /** What this run has used today, by digest. */
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

  /** Reads the file, if there is one. */
  constructor(terms: UsageFileTerms) {
    this.#terms = terms
    this.#day = this.#today()
    try {
      this.#learn(parsed(readFileSync(terms.file, 'utf8'), this.#day))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#lost(error)
    }
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
      if (!this.#full) this.#terms.log.warn({ most: MOST_NAMES }, 'more usage than is kept over a restart')
      this.#full = true
      return
    }
    this.#own.set(digest, { minutes, spend })
    this.#changed = true
    if (!this.#timer && !this.#writing) this.#write()
  }

  /** Writes what is not written yet. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer?.[Symbol.dispose]()
    await this.#writing
    if (this.#changed) await this.#replace()
    this.#timer?.[Symbol.dispose]()
  }

  #write(): void {
    const { clock } = this.#terms
    this.#writing = this.#replace().finally(() => {
      this.#writing = undefined
      this.#timer = after(clock, WRITE_EVERY_MS, () => {
        this.#timer = undefined
        if (this.#changed) this.#write()
      })
    })
  }

  /** Never rejects. */
  async #replace(): Promise<void> {
    this.#changed = false
    if (!this.known) return
    const { file, log } = this.#terms
    try {
      this.#learn(await this.#read())
    } catch (error) {
      // It was well before: what is known of it is written again.
      log.error(
        { file, fault: faultOf(error) },
        'the file of what calls have used was damaged, and is written anew',
      )
    }
    const runs: Runs = { ...this.#runs, [this.#run]: plain(this.#own) }
    const text = JSON.stringify({ version: 1, day: this.#day, runs: bounded(runs, this.#run) })
    try {
      await writeWhole(file, text)
      this.#failed = false
    } catch (error) {
      if (!this.#failed)
        log.error({ file, fault: faultOf(error) }, 'what calls have used cannot be kept over a restart')
      this.#failed = true
      this.#changed = true
    }
  }

  async #read(): Promise<Runs> {
    try {
      return parsed(await readFile(this.#terms.file, 'utf8'), this.#day)
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
    const { file, log } = this.#terms
    this.#known = false
    log.error(
      { file, fault: faultOf(error) },
      'what calls have used today is not known: until midnight UTC nobody is called whose calls have a ceiling; put a backup of the file in its place or remove it, and restart',
    )
  }

  /** A new day begins at nothing. */
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
    return isoTime(Math.floor(this.#terms.wallClock() / DAY_MS) * DAY_MS).slice(0, 10)
  }

  /** Names of one word name nobody. */
  #digest(name: string): string {
    if (!name.includes(' ')) return name
    return createHmac('sha256', this.#terms.key).update(name).digest('base64url').slice(0, 27)
  }
}

/** What the file says of `today`; what is dated later, since the clock was set back, counts as of now. */
function parsed(text: string, today: string): Runs {
  const { data, error } = fileSchema.safeParse(JSON.parse(text))
  if (error) throw new SyntaxError(`it is wrong at ${error.issues[0]?.path.join('.') || 'its top'}`)
  return data.day < today ? {} : data.runs
}

function plain(used: ReadonlyMap<string, Used>): Runs[string] {
  return Object.fromEntries(Array.from(used, ([name, { minutes, spend }]) => [name, [minutes, spend]]))
}

/** At most `MOST_RUNS` of them: a process that is restarted all day long leaves no file without end. */
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
  const kept = Object.entries(runs).filter(([run]) => !older.includes(run))
  return { [ADDED_UP]: sum, ...Object.fromEntries(kept.filter(([run]) => run !== ADDED_UP)) }
}

/** A disk's code, or what is wrong with the text; never the text itself. */
function faultOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? (message.startsWith('it is wrong at') ? message : 'no JSON')
}

/** The usage file of the settings; nothing where nothing has a ceiling for a day. */
export function openUsageFile(
  { usageFile: file, outbound, numbers = {}, authTokens }: AppConfig['twilio'],
  parts: Pick<UsageFileTerms, 'clock' | 'wallClock' | 'log'>,
): UsageFile | undefined {
  const ceilings = [
    ...[outbound?.maxMinutesPerDay, outbound?.maxMinutesPerNumber, outbound?.maxMinutesPerKey],
    ...[outbound?.maxSpendPerDay, outbound?.maxSpendPerNumber, outbound?.maxSpendPerKey],
    ...Object.values(numbers).map(({ maxMinutesPerDay }) => maxMinutesPerDay),
  ]
  if (file === undefined || ceilings.every(each => each === undefined)) return undefined
  const key = outbound?.apiKeySecret ?? outbound?.authToken ?? authTokens[0] ?? 'dragoman'
  return new UsageFile({ file, key, ...parts })
}
