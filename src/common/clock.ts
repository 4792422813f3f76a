/** Source of time. All code that waits or measures takes a `Clock`, so that tests control the time. */
export interface Clock {
  /** Monotonic milliseconds from an arbitrary start; fractions allowed. */
  now(): number
  /** Runs `task` once at `deadline` (milliseconds of `now()`), never early; disposing cancels it. */
  at(deadline: number, task: () => void): Disposable
}

/** Maximum delay of a Node.js timer: 25 days. A longer delay would fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Real time. Pending timers keep the process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  at(deadline, task) {
    // Node.js counts whole milliseconds from the start of an event loop turn, so a timer can fire up to that much early.
    const run = () => {
      const left = deadline - performance.now()
      if (left > 0) timer = setTimeout(run, Math.min(left, LONGEST_TIMER_MS))
      else task()
    }
    let timer = setTimeout(run, Math.max(0, Math.min(deadline - performance.now(), LONGEST_TIMER_MS)))
    return { [Symbol.dispose]: () => clearTimeout(timer) }
  },
}

/** Runs `task` in `ms` on `clock`; disposing cancels it. */
export function setTimer(clock: Clock, ms: number, task: () => void): Disposable {
  return clock.at(clock.now() + ms, task)
}

/**
 * Calls `tick` on an absolute grid of `periodMs`. A late call never moves the ones after it: the deadline advances
 * by whole periods, and periods that were missed are skipped, so `tick` must work from `now`, not from a count.
 */
export class Ticker implements Disposable {
  readonly #clock: Clock
  readonly #periodMs: number
  readonly #tick: (now: number) => void
  #due: number
  #timer: Disposable | undefined

  constructor(clock: Clock, periodMs: number, tick: (now: number) => void) {
    if (!(periodMs > 0)) throw new RangeError(`periodMs must be above 0, got ${periodMs}`)
    this.#clock = clock
    this.#periodMs = periodMs
    this.#tick = tick
    this.#due = clock.now() + periodMs
    this.#arm()
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
  }

  #arm(): void {
    this.#timer = this.#clock.at(this.#due, this.#run)
  }

  readonly #run = (): void => {
    const now = this.#clock.now()
    const missed = Math.floor((now - this.#due) / this.#periodMs)
    this.#due += (Math.max(0, missed) + 1) * this.#periodMs
    this.#arm()
    this.#tick(now)
  }
}

/** Resolves after `ms`. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise(resolve => void setTimer(clock, ms, resolve))
}

/** Settles when `work` settles, either way, or after `ms`. Never rejects. */
export async function withTimeout(
  clock: Clock,
  ms: number,
  work: Promise<unknown> | undefined,
): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimer(clock, ms, resolve)
  await Promise.race([work?.catch(() => undefined), late])
  timer[Symbol.dispose]()
}

/** Resolves to the result of `work`. Rejects if it does, or after `ms`: the error names `what`. */
export async function inTime<T>(clock: Clock, ms: number, what: string, work: T | Promise<T>): Promise<T> {
  if (!(work instanceof Promise)) return await work
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimer(clock, ms, () => reject(new Error(`${what} has no result after ${ms / 1_000} s`)))
  try {
    return await Promise.race([work, late])
  } finally {
    timer[Symbol.dispose]()
  }
}
