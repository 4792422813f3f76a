import type { Clock } from '../../src/common/clock.ts'

interface Timer {
  readonly deadline: number
  readonly order: number
  readonly task: () => void
}

/** Added to a start in whole milliseconds. In 1,024ths, like all fractions here, so that sums stay exact. */
const START_FRACTION = 467 / 1_024
/** Upper bound of a timer's lateness: 0.9 ms, in 1,024ths. */
const LATE_MOST = 922
/** Coprime to `LATE_MOST`, so that every lateness occurs, in uneven steps. */
const LATE_STEP = 569

/**
 * A clock that moves only when told to by `advance`. Like a real clock it does not count whole milliseconds: it starts
 * between two of them, and tasks run in the order of their deadlines, each a fraction of a millisecond late.
 */
export class FakeClock implements Clock {
  #now: number
  #order = 0
  #late = 0
  #timers = new Set<Timer>()

  /** Starts at `startMs`, or slightly later if that is a whole number. Throws RangeError unless it is finite. */
  constructor(startMs = 1_723) {
    if (!Number.isFinite(startMs)) throw new RangeError(`startMs is a finite number, got ${startMs}`)
    this.#now = Number.isInteger(startMs) ? startMs + START_FRACTION : startMs
  }

  now(): number {
    return this.#now
  }

  /** Number of pending tasks; 0 after everything was disposed. */
  get pending(): number {
    return this.#timers.size
  }

  at(deadline: number, task: () => void): Disposable {
    const timer = { deadline, order: this.#order++, task }
    this.#timers.add(timer)
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) }
  }

  /** Advances time by exactly `ms` and runs everything that falls due, including tasks added on the way. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`time goes forwards, got ${ms} ms`)
    const end = this.#now + ms
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, Math.min(end, next.deadline + this.#nextLateness()))
      next.task()
    }
    this.#now = Math.max(this.#now, end)
  }

  /** Lateness of the next task (ms). */
  #nextLateness(): number {
    this.#late = (this.#late + LATE_STEP) % LATE_MOST
    return this.#late / 1_024
  }

  #next(end: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.deadline > end) continue
      if (
        !first ||
        timer.deadline < first.deadline ||
        (timer.deadline === first.deadline && timer.order < first.order)
      )
        first = timer
    }
    return first
  }
}
