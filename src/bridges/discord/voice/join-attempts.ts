import type { ChannelEnd } from '../channel-interpreter.ts'
import { refusalOf } from './close-codes.ts'
import { type LinkLimits, rejoinDelayMs } from './link-limits.ts'

/** Counts the attempts to join a voice channel, and decides how long to wait for the next one and when to stop. */
export class JoinAttempts {
  readonly #limits: LinkLimits
  /** Since the link was last ready for a while. */
  #count = 0
  #lastCode: number | undefined
  /** Since when the main gateway cannot be asked; NaN while it can. */
  #unsentSince = Number.NaN

  constructor(limits: LinkLimits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#count
  }

  /** An attempt is about to be made. */
  begin(): void {
    this.#count++
  }

  /** It could not be sent, and so does not count. False: the main gateway has been unavailable for too long. */
  unsent(now: number): boolean {
    this.#count--
    if (Number.isNaN(this.#unsentSince)) this.#unsentSince = now
    return now - this.#unsentSince < this.#limits.outageMs
  }

  /** The main gateway is there. */
  answered(): void {
    this.#unsentSince = Number.NaN
  }

  /** The voice server closed the socket. True: with the same code as the last time. */
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

  /** How long to wait for the next one (ms), or why there is none. */
  next(): number | ChannelEnd {
    const { attemptsMost, random } = this.#limits
    if (this.#count < attemptsMost) return rejoinDelayMs(this.#count, random())
    const code = refusalOf(this.#lastCode)
    return code === undefined ? this.unreachable : { kind: 'refused', code }
  }

  get unreachable(): ChannelEnd {
    return { kind: 'unreachable', attempts: this.#count }
  }
}
