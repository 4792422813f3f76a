import { randomBytes } from 'node:crypto'
import type { Clock } from '../../common/clock.ts'

interface Issued {
  readonly callId: string
  readonly attempt: number
  readonly expiresAt: number
}

/** Result of redeeming a token. The distinction between the two faults is for logs only. */
export type Redeemed = 'ok' | 'unknown' | 'other-call'

/**
 * Single-use secrets that tie a media stream to the call whose webhook was answered. A signature such as Twilio’s contains no
 * time and covers only the address, so on its own it would let a stream be replayed or attached to any call.
 */
export class StreamTokens {
  readonly #clock: Clock
  readonly #ttlMs: number
  // In order of issue, which is the order of expiry.
  readonly #issued = new Map<string, Issued>()

  constructor(clock: Clock, ttlMs: number) {
    this.#clock = clock
    this.#ttlMs = ttlMs
  }

  /** Number of tokens issued that are neither used nor known to be expired. */
  get size(): number {
    return this.#issued.size
  }

  /** Issues a token for the stream of `attempt` of `callId`: 43 characters of base64url, 256 random bits. */
  issue(callId: string, attempt = 1): string {
    this.#forgetExpired()
    const token = randomBytes(32).toString('base64url')
    this.#issued.set(token, { callId, attempt, expiresAt: this.#clock.now() + this.#ttlMs })
    return token
  }

  /** Returns the newest token of `callId` with at least half its lifetime left, for a redelivered webhook. */
  outstanding(callId: string): string | undefined {
    const enough = this.#clock.now() + this.#ttlMs / 2
    let newest: string | undefined
    for (const [token, issued] of this.#issued)
      if (issued.callId === callId && issued.expiresAt >= enough) newest = token
    return newest
  }

  /** Returns the attempt of `token`, or undefined if it was used or never issued. */
  attemptOf(token: string | undefined): number | undefined {
    return token === undefined ? undefined : this.#issued.get(token)?.attempt
  }

  /** Uses up `token`, whether it is valid or not. Never issued, used and expired tokens are all `unknown`. */
  redeem(token: string | undefined, callId: string): Redeemed {
    this.#forgetExpired()
    const issued = token === undefined ? undefined : this.#issued.get(token)
    if (token === undefined || !issued) return 'unknown'
    this.#issued.delete(token)
    return issued.callId === callId ? 'ok' : 'other-call'
  }

  #forgetExpired(): void {
    const now = this.#clock.now()
    for (const [token, issued] of this.#issued) {
      if (issued.expiresAt > now) return
      this.#issued.delete(token)
    }
  }
}
