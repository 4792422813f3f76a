import { type Clock, Ticker } from '../../../common/clock.ts'

/** Interval between heartbeat requests (ms). */
const BEAT_MS = 1_000
/** Maximum number of consecutive requests without a response: a very busy machine is slow, not dead. */
const MAX_MISSED = 8

export interface HeartbeatParts {
  readonly clock: Clock
  /** Requests a heartbeat. */
  readonly ask: () => void
  /** Called once, with the time without a response (ms). */
  readonly lost: (silentMs: number) => void
}

/**
 * Checks that a process responds. It counts requests, not time, so a suspended or sleeping parent does not blame the
 * other process.
 */
export class Heartbeat implements Disposable {
  readonly #ticker: Ticker
  readonly #parts: HeartbeatParts
  #missed = 0

  constructor(parts: HeartbeatParts) {
    this.#parts = parts
    this.#ticker = new Ticker(parts.clock, BEAT_MS, () => this.#beat())
  }

  /** Records a heartbeat. */
  answered(): void {
    this.#missed = 0
  }

  [Symbol.dispose](): void {
    this.#ticker[Symbol.dispose]()
  }

  #beat(): void {
    if (this.#missed < MAX_MISSED) {
      this.#missed++
      this.#parts.ask()
      return
    }
    this[Symbol.dispose]()
    this.#parts.lost(this.#missed * BEAT_MS)
  }
}
