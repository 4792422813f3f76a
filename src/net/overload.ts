import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import { type Clock, Ticker } from '../common/clock.ts'
import type { Logger } from '../common/log.ts'

/** Share of the available memory above which new work is rejected: the rest is for the work in progress. */
export const MAX_MEMORY_SHARE = 0.85
/** Interval between measurements (ms). */
const LOOK_MS = 100
/** Measurements of delay per measurement of memory. */
const MEMORY_LOOKS = 10
/**
 * Number of measurements of which the median counts: a single pause, for startup or garbage collection, is not an
 * overload.
 */
const REMEMBERED = 11
/** Recovery time before accepting calls again (ms). */
const RECOVER_MS = 3_000
/** … spent below this share of the limits. */
const WELL = 0.8

/** The exceeded limit. */
export type OverloadReason = 'late' | 'memory'

export interface OverloadOptions {
  /** Delay of timers above which new work is rejected (ms). */
  readonly maxEventLoopLagMs: number
  readonly clock: Clock
  readonly log: Logger
  /** Returns the share of its available memory that this program uses; measured by default. */
  readonly memoryShare?: (() => number) | undefined
}

/** What `Overload` counts and measures; its fields explain each. */
export interface OverloadFigures {
  readonly periods: number
  readonly rejected: number
  readonly lateMs: number
  readonly memoryShare: number
  readonly reason: string | undefined
}

/**
 * Monitors event loop delay and memory use. While either exceeds its limit, new calls and sessions should be rejected
 * to protect current ones. The creator starts it and disposes of it.
 */
export class Overload implements Disposable {
  /** Number of overload periods. */
  periods = 0
  /** Rejected calls and sessions. */
  rejected = 0
  /** Event loop delay (ms): the median of recent measurements. */
  lateMs = 0
  /** Share of the memory in use. */
  memoryShare = 0
  readonly #options: OverloadOptions
  readonly #measure: () => number
  readonly #lately = new Float64Array(REMEMBERED)
  #ticker: Ticker | undefined
  #due = 0
  #looks = 0
  #reason: OverloadReason | undefined
  #overloadedAt = 0

  constructor(options: OverloadOptions) {
    this.#options = options
    this.#measure = options.memoryShare ?? memoryShare
  }

  /** Starts to measure; until then, nothing counts as overload. Call it once. */
  start(): void {
    const { clock } = this.#options
    this.#due = clock.now() + LOOK_MS
    this.#ticker = new Ticker(clock, LOOK_MS, now => this.#look(now))
  }

  /** The exceeded limit, or undefined if new work can be accepted. */
  get reason(): OverloadReason | undefined {
    return this.#reason
  }

  /** Returns the same for a new call or session, and counts the rejection. */
  rejection(): OverloadReason | undefined {
    if (this.#reason) this.rejected++
    return this.#reason
  }

  [Symbol.dispose](): void {
    this.#ticker?.[Symbol.dispose]()
  }

  #look(now: number): void {
    const late = Math.max(0, now - this.#due)
    this.#due = now + LOOK_MS - (late % LOOK_MS)
    this.#lately[this.#looks % REMEMBERED] = late
    this.lateMs = this.#lately.toSorted()[REMEMBERED >> 1]!
    if (this.#looks++ % MEMORY_LOOKS === 0) this.memoryShare = this.#share()
    const { maxEventLoopLagMs } = this.#options
    const over = this.#over(maxEventLoopLagMs, MAX_MEMORY_SHARE)
    if (over) this.#close(over, now)
    else if (this.#over(maxEventLoopLagMs * WELL, MAX_MEMORY_SHARE * WELL)) this.#overloadedAt = now
    else if (this.#reason && now - this.#overloadedAt >= RECOVER_MS) this.#open()
  }

  /** A failed measurement, for example without free file descriptors, counts as full memory: new work would fail. */
  #share(): number {
    try {
      return this.#measure()
    } catch {
      return 1
    }
  }

  #over(lateMs: number, share: number): OverloadReason | undefined {
    if (this.lateMs > lateMs) return 'late'
    return this.memoryShare > share ? 'memory' : undefined
  }

  #close(reason: OverloadReason, now: number): void {
    this.#overloadedAt = now
    if (this.#reason === undefined) {
      this.periods++
      this.#options.log.warn({ reason, ...this.#figures() }, 'overloaded: rejecting new calls')
    }
    this.#reason = reason
  }

  #open(): void {
    this.#reason = undefined
    this.#options.log.info({ rejected: this.rejected, ...this.#figures() }, 'overload ended')
  }

  #figures() {
    return { lateMs: Math.round(this.lateMs), memoryShare: Math.round(this.memoryShare * 100) / 100 }
  }
}

/** Returns the larger of two shares: the process's available memory in use, and the heap in use. */
function memoryShare(): number {
  const machine = totalmem()
  const allowed = process.constrainedMemory()
  const limit = allowed > 0 && allowed < machine ? allowed : machine
  const { used_heap_size: used, heap_size_limit: most } = getHeapStatistics()
  return Math.max(process.memoryUsage.rss() / limit, used / most)
}
