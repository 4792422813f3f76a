import { type Clock, Ticker } from '../../core/clock.ts'

/** How often a sign of life is asked for (ms). */
const BEAT_MS = 1_000
/** So many questions in a row may stay without answer: a machine that is very busy is slow, not dead. */
const MAX_MISSED = 8

export interface HeartbeatParts {
  readonly clock: Clock
  /** Asks for a sign of life. */
  readonly ask: () => void
  /** There was none for so long (ms). Called once. */
  readonly lost: (silentMs: number) => void
}

/**
 * Whether somebody still answers. It counts questions, not time: when this process itself was stopped or slept, nobody is
 * blamed for that.
 */
export class Heartbeat implements Disposable {
  readonly #ticker: Ticker
  readonly #parts: HeartbeatParts
  #missed = 0

  constructor(parts: HeartbeatParts) {
    this.#parts = parts
    this.#ticker = new Ticker(parts.clock, BEAT_MS, () => this.#beat())
  }

  /** A sign of life has come. */
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
