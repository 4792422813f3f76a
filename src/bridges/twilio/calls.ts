import { after, type Clock } from '../../core/clock.ts'
import { type Admittance, Call } from './call.ts'
import type { TwilioLimits } from './limits.ts'

/** How often what is no longer needed is looked for, at most (ms). */
const SWEEP_MS = 10_000

/** A call that was given TwiML is waited for this long (ms); Twilio opens the stream at once. */
const EXPECTED_MS = 10_000
/** Those who are handed over ask how to go on within this time, or never (ms). */
const HANDED_OVER_MS = 2_000

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
  #leaving: { readonly left: Set<string>; readonly done: () => void } | undefined

  constructor(clock: Clock, limits: TwilioLimits) {
    this.#clock = clock
    this.#limits = limits
    this.#sweptAt = clock.now()
  }

  get size(): number {
    return this.#calls.size
  }

  /** Calls whose stream is due. */
  get expected(): number {
    const now = this.#clock.now()
    let count = 0
    for (const { state, changedAt } of this.#calls.values())
      if (state.status === 'expected' && now - changedAt < EXPECTED_MS) count++
    return count
  }

  /** Whether a call that was let in is there, or about to come, or may come back. */
  goesOn(callSid: string): boolean {
    const call = this.#calls.get(callSid)
    if (!call || call.state.status === 'over') return false
    return call.state.status === 'live' || this.#clock.now() - call.changedAt < EXPECTED_MS
  }

  /** No call is answered here any more: whoever asks is sent on. */
  get leaving(): boolean {
    return this.#leaving !== undefined
  }

  /** Lets go of all; settles when those of `callSids` were sent on, or do not ask. */
  async leave(callSids: Iterable<string>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const left = new Set(callSids)
    this.#leaving = { left, done: resolve }
    if (left.size === 0) return
    const late = after(this.#clock, HANDED_OVER_MS, resolve)
    await promise
    late[Symbol.dispose]()
  }

  /** `callSid` was sent on. */
  sentOn(callSid: string): void {
    const leaving = this.#leaving
    if (leaving?.left.delete(callSid) && leaving.left.size === 0) leaving.done()
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
