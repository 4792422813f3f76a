import { randomBytes } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'

interface Issued {
  readonly callSid: string
  readonly round: number
  readonly expiresAt: number
}

/** How a token was taken: good for its call, or not at all. Which of the two faults it was is for the log only. */
export type Redeemed = 'ok' | 'unknown' | 'other-call'

/**
 * The single-use secrets that tie a media stream to the call whose webhook was answered. Twilio's signature has no
 * time in it and covers only the address, so it alone would let a stream be replayed or attached to any call.
 */
export class StreamTokens {
  readonly #clock: Clock
  readonly #ttlMs: number
  // In the order of issue, which is the order of expiry.
  readonly #issued = new Map<string, Issued>()

  constructor(clock: Clock, ttlMs: number) {
    this.#clock = clock
    this.#ttlMs = ttlMs
  }

  /** Tokens that were issued and neither used nor found expired. */
  get size(): number {
    return this.#issued.size
  }

  /** A new token for the stream of `round` of `callSid`: 43 characters of base64url, 256 random bits. */
  issue(callSid: string, round = 1): string {
    this.#forgetExpired()
    const token = randomBytes(32).toString('base64url')
    this.#issued.set(token, { callSid, round, expiresAt: this.#clock.now() + this.#ttlMs })
    return token
  }

  /** The newest token of `callSid` with at least half its life left, for a webhook that is delivered twice. */
  outstanding(callSid: string): string | undefined {
    const enough = this.#clock.now() + this.#ttlMs / 2
    let newest: string | undefined
    for (const [token, issued] of this.#issued)
      if (issued.callSid === callSid && issued.expiresAt >= enough) newest = token
    return newest
  }

  /** The round that `token` was issued for; undefined once it was used, or when it never was. */
  roundOf(token: string | undefined): number | undefined {
    return token === undefined ? undefined : this.#issued.get(token)?.round
  }

  /** Uses up `token`, whatever comes of it. Never issued, used before and expired are one answer: `unknown`. */
  redeem(token: string | undefined, callSid: string): Redeemed {
    this.#forgetExpired()
    const issued = token === undefined ? undefined : this.#issued.get(token)
    if (token === undefined || !issued) return 'unknown'
    this.#issued.delete(token)
    return issued.callSid === callSid ? 'ok' : 'other-call'
  }

  #forgetExpired(): void {
    const now = this.#clock.now()
    for (const [token, issued] of this.#issued) {
      if (issued.expiresAt > now) return
      this.#issued.delete(token)
    }
  }
}
