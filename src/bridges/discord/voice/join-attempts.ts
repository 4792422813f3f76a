import { backoffMs } from '../../../common/backoff.ts'
import type { ChannelEnd } from '../contract.ts'
import { type LinkLimits, REJOIN, refusalOf } from './link-options.ts'

/** Counts the attempts to join a voice channel, and decides how long to wait for the next one and when to stop. */
export class JoinAttempts {
  readonly #limits: LinkLimits
  /** Attempts since the link was last stable. */
  #count = 0
  #lastCode: number | undefined
  /** Since when the main gateway has been unavailable; NaN while it is available. */
  #unsentSince = Number.NaN

  constructor(limits: LinkLimits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#count
  }

  /** Counts an attempt that is about to start. */
  begin(): void {
    this.#count++
  }

  /**
   * The attempt was not sent and does not count. Returns false if the main gateway has been unavailable for too long.
   */
  unsent(now: number): boolean {
    this.#count--
    if (Number.isNaN(this.#unsentSince)) this.#unsentSince = now
    return now - this.#unsentSince < this.#limits.outageMs
  }

  /** The main gateway is available. */
  answered(): void {
    this.#unsentSince = Number.NaN
  }

  /** The voice server closed the socket. Returns true if the code is the same as the last time. */
  closed(code: number): boolean {
    const again = code === this.#lastCode
    this.#lastCode = code
    return again
  }

  /** The link has been ready for a while. */
  stable(): void {
    this.#count = 0
    this.#lastCode = undefined
  }

  /** Returns the delay before the next attempt (ms), or the reason to stop. */
  next(): number | ChannelEnd {
    const { attemptsMost, random } = this.#limits
    if (this.#count < attemptsMost) return backoffMs(Math.max(1, this.#count), REJOIN, random())
    const code = refusalOf(this.#lastCode)
    return code === undefined ? this.unreachable : { kind: 'refused', code }
  }

  get unreachable(): ChannelEnd {
    return { kind: 'unreachable', attempts: this.#count }
  }
}
