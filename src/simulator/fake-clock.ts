import type { Clock } from '../core/clock.ts'

interface Timer {
  readonly deadline: number
  readonly order: number
  readonly task: () => void
}

/** A clock that stands still until told: tasks run in the order of their deadlines, each at its own moment. */
export class FakeClock implements Clock {
  #now: number
  #order = 0
  #timers = new Set<Timer>()

  constructor(startMs = 0) {
    this.#now = startMs
  }

  now(): number {
    return this.#now
  }

  /** Tasks that still wait; 0 after everything was disposed. */
  get pending(): number {
    return this.#timers.size
  }

  at(deadline: number, task: () => void): Disposable {
    const timer = { deadline, order: this.#order++, task }
    this.#timers.add(timer)
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) }
  }

  /** Moves time by `ms`, running everything that falls due on the way, also what is added on the way. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`time goes forwards, got ${ms} ms`)
    const end = this.#now + ms
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.deadline)
      next.task()
    }
    this.#now = end
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
