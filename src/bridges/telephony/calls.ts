import { after, type Clock } from '../../common/clock.ts'
import { type Admittance, Call } from './call.ts'
import type { TwilioLimits } from './limits.ts'

/** Minimum interval between clean-ups (ms). */
const SWEEP_MS = 10_000

/** Time to wait for the stream after sending TwiML (ms); Twilio opens it at once. */
const EXPECTED_MS = 10_000
/** Time in which handed-over calls request instructions, if at all (ms). */
const HANDED_OVER_MS = 2_000

/** The admitted calls: streaming, about to stream, or ended recently. */
export class Calls {
  readonly #clock: Clock
  readonly #limits: TwilioLimits
  readonly #calls = new Map<string, Call>()
  /** Streams that replaced another stream of their call. */
  replaced = 0
  /** Requests deferred because the call already has a stream: repeated, replayed or outdated. */
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

  /** Number of calls whose stream is due. */
  get expected(): number {
    const now = this.#clock.now()
    let count = 0
    for (const { state, changedAt } of this.#calls.values())
      if (state.status === 'expected' && now - changedAt < EXPECTED_MS) count++
    return count
  }

  /** Returns true if an admitted call is connected, about to connect, or may return. */
  goesOn(callSid: string): boolean {
    const call = this.#calls.get(callSid)
    if (!call || call.state.status === 'over') return false
    return call.state.status === 'live' || this.#clock.now() - call.changedAt < EXPECTED_MS
  }

  /** The server hands over its calls: all their requests are redirected. */
  get leaving(): boolean {
    return this.#leaving !== undefined
  }

  /** Releases all calls; resolves when those in `callSids` were redirected, or after a timeout. */
  async leave(callSids: Iterable<string>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const left = new Set(callSids)
    this.#leaving = { left, done: resolve }
    if (left.size === 0) return
    const late = after(this.#clock, HANDED_OVER_MS, resolve)
    await promise
    late[Symbol.dispose]()
  }

  /** Records that `callSid` was redirected. */
  sentOn(callSid: string): void {
    const leaving = this.#leaving
    if (leaving?.left.delete(callSid) && leaving.left.size === 0) leaving.done()
  }

  get(callSid: string): Call | undefined {
    return this.#calls.get(callSid)
  }

  /** Admits a call; returns undefined if there are too many. */
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
