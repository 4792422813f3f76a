import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import { type Clock, Ticker } from '../core/clock.ts'
import type { Log } from '../core/log.ts'

/** How often is looked (ms). */
const LOOK_MS = 100
/** Looks between two at the memory. */
const MEMORY_LOOKS = 10
/** Looks of which the middle one counts: a program that stops once, to start or to tidy up, is not overloaded. */
const REMEMBERED = 11
/** Nobody is let in until it has been well for so long (ms). */
const RECOVER_MS = 3_000
/** … that is, below this share of the limits. */
const WELL = 0.8

/** What is too much. */
export type Strain = 'late' | 'memory'

export interface OverloadParts {
  readonly limits: { readonly maxLateMs: number; readonly maxMemoryShare: number }
  readonly clock: Clock
  readonly log: Log
  /** Share of the memory that this program may use that it does use; default: measured. */
  readonly memoryShare?: (() => number) | undefined
}

/**
 * Watches how late this program does its work and how much memory it uses. While either is too much nobody new is to be
 * let in, so that those who are here are served well. Whoever makes it disposes of it.
 */
export class Overload implements Disposable {
  /** Times that the door was closed. */
  closings = 0
  /** Calls and sessions that were turned away. */
  turnedAway = 0
  /** How late the work is (ms): the middle of the last looks. */
  lateMs = 0
  /** Share of the memory in use. */
  memoryShare = 0
  readonly #parts: OverloadParts
  readonly #ticker: Ticker
  readonly #measure: () => number
  readonly #lately = new Float64Array(REMEMBERED)
  #due: number
  #looks = 0
  #strain: Strain | undefined
  #strainedAt = 0

  constructor(parts: OverloadParts) {
    this.#parts = parts
    this.#measure = parts.memoryShare ?? memoryShare
    this.#due = parts.clock.now() + LOOK_MS
    this.#ticker = new Ticker(parts.clock, LOOK_MS, now => this.#look(now))
  }

  /** What is too much at the moment; undefined: nothing, new work may come. */
  get strain(): Strain | undefined {
    return this.#strain
  }

  /** The same for somebody who would come in, and who is counted when they must not. */
  turns(): Strain | undefined {
    if (this.#strain) this.turnedAway++
    return this.#strain
  }

  [Symbol.dispose](): void {
    this.#ticker[Symbol.dispose]()
  }

  #look(now: number): void {
    const late = Math.max(0, now - this.#due)
    this.#due = now + LOOK_MS - (late % LOOK_MS)
    this.#lately[this.#looks % REMEMBERED] = late
    this.lateMs = this.#lately.toSorted()[REMEMBERED >> 1]!
    if (this.#looks++ % MEMORY_LOOKS === 0) this.memoryShare = this.#share()
    const { maxLateMs, maxMemoryShare } = this.#parts.limits
    const over = this.#over(maxLateMs, maxMemoryShare)
    if (over) this.#close(over, now)
    else if (this.#over(maxLateMs * WELL, maxMemoryShare * WELL)) this.#strainedAt = now
    else if (this.#strain && now - this.#strainedAt >= RECOVER_MS) this.#open()
  }

  /** What cannot be measured, as without a file descriptor left, counts as used up: nobody new can be served then. */
  #share(): number {
    try {
      return this.#measure()
    } catch {
      return 1
    }
  }

  #over(lateMs: number, share: number): Strain | undefined {
    if (this.lateMs > lateMs) return 'late'
    return this.memoryShare > share ? 'memory' : undefined
  }

  #close(strain: Strain, now: number): void {
    this.#strainedAt = now
    if (this.#strain === undefined) {
      this.closings++
      this.#parts.log.warn({ strain, ...this.#figures() }, 'overloaded: nobody new is let in')
    }
    this.#strain = strain
  }

  #open(): void {
    this.#strain = undefined
    this.#parts.log.info({ turnedAway: this.turnedAway, ...this.#figures() }, 'no longer overloaded')
  }

  #figures() {
    return { lateMs: Math.round(this.lateMs), memoryShare: Math.round(this.memoryShare * 100) / 100 }
  }
}

/** The larger of two shares: of what this process may have of the machine, and of the heap that is in use. */
function memoryShare(): number {
  const machine = totalmem()
  const allowed = process.constrainedMemory()
  const limit = allowed > 0 && allowed < machine ? allowed : machine
  const { used_heap_size: used, heap_size_limit: most } = getHeapStatistics()
  return Math.max(process.memoryUsage.rss() / limit, used / most)
}
