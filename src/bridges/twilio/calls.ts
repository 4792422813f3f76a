import type { Clock } from '../../core/clock.ts'
import { type Admittance, Call } from './call.ts'
import type { TwilioLimits } from './limits.ts'

/** How often what is no longer needed is looked for, at most (ms). */
const SWEEP_MS = 10_000

/** The calls that were let in: those that stream, those that are about to, and those that ended lately. */
export class Calls {
  readonly #clock: Clock
  readonly #limits: TwilioLimits
  readonly #calls = new Map<string, Call>()
  /** Streams that took the place of one that was there. */
  replaced = 0
  /** Requests that were told to wait, since the call has a stream already: repeated, replayed, or overtaken. */
  heldOff = 0
  #sweptAt: number

  constructor(clock: Clock, limits: TwilioLimits) {
    this.#clock = clock
    this.#limits = limits
    this.#sweptAt = clock.now()
  }

  get size(): number {
    return this.#calls.size
  }

  get(callSid: string): Call | undefined {
    return this.#calls.get(callSid)
  }

  /** Lets a call in; nothing if there are too many. */
  add(callSid: string, admittance: Admittance): Call | undefined {
    const now = this.#clock.now()
    if (now - this.#sweptAt >= SWEEP_MS || this.#calls.size >= this.#limits.maxCalls) this.#sweep(now)
    if (this.#calls.size >= this.#limits.maxCalls) return undefined
    const call = new Call(callSid, admittance, now)
    this.#calls.set(callSid, call)
    return call
  }

  #sweep(now: number): void {
    this.#sweptAt = now
    for (const [callSid, call] of this.#calls)
      if (call.state.status !== 'live' && now - call.changedAt > this.#limits.rememberMs)
        this.#calls.delete(callSid)
  }
}
