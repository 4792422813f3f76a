/** The shared part of all child processes of the service: heartbeats, and an end with its parent. */
import type { ChildProcess } from 'node:child_process'
import { type Clock, Ticker } from '../common/clock.ts'

/** Interval between heartbeat requests (ms). */
const BEAT_MS = 1_000
/** Maximum number of consecutive requests without a response: a very busy machine is slow, not dead. */
const MAX_MISSED = 8

export interface HeartbeatOptions {
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
export class Watchdog implements Disposable {
  readonly #options: HeartbeatOptions
  #ticker: Ticker | undefined
  #missed = 0

  constructor(options: HeartbeatOptions) {
    this.#options = options
  }

  /** Requests heartbeats from now on. Call it once. */
  start(): void {
    this.#ticker = new Ticker(this.#options.clock, BEAT_MS, () => this.#beat())
  }

  /** Records a heartbeat. */
  answered(): void {
    this.#missed = 0
  }

  [Symbol.dispose](): void {
    this.#ticker?.[Symbol.dispose]()
  }

  #beat(): void {
    if (this.#missed < MAX_MISSED) {
      this.#missed++
      this.#options.ask()
      return
    }
    this[Symbol.dispose]()
    this.#options.lost(this.#missed * BEAT_MS)
  }
}

/** Processes that must not outlive this one. */
const children = new Set<ChildProcess>()

/** Ends `child` when this process ends, by `process.exit` or by a crash. */
export function killOnParentExit(child: ChildProcess): void {
  if (children.size === 0) process.once('exit', endAll)
  children.add(child)
  child.once('exit', () => {
    children.delete(child)
    if (children.size === 0) process.off('exit', endAll)
  })
}

function endAll(): void {
  for (const child of children) child.kill('SIGKILL')
}
