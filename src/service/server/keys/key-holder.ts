import { AudioQuota, type RollingUsage, spokenMs } from '../../usage-ledger.ts'
import { ServiceError } from '../errors.ts'
import type { KeyLimits } from './key-store.ts'

/** A remaining quota below this counts as used up (ms). */
const TOO_LITTLE_MS = 1_000

/** Ends one session and sends its client the reason. */
type EndSession = (error: ServiceError) => void

/** The use of one key since the service started. */
export interface KeyFigures {
  readonly name: string
  readonly sessions: number
  /** Received audio (s); text counts as the time it takes to speak it. */
  readonly audioSeconds: number
  /** Audio left of its daily limit (s); absent without a limit. */
  readonly leftSeconds?: number
}

/** The holder of one key: its usage and limits, shared by all clients that use the key. */
export class KeyUsage {
  /** For the log. */
  readonly name: string
  readonly #sessions = new Set<EndSession>()
  readonly #allowance: AudioQuota
  #limits: KeyLimits
  #revoked = false
  #audioMs = 0

  /** Usage is counted in `usage`. */
  constructor(name: string, limits: KeyLimits, usage: RollingUsage) {
    this.name = name
    this.#limits = limits
    this.#allowance = new AudioQuota(usage, Number.POSITIVE_INFINITY)
    this.limit(limits)
  }

  /** Maximum number of sessions; infinite without a limit. */
  get maxSessions(): number {
    return this.#limits.sessions ?? Number.POSITIVE_INFINITY
  }

  /** Number of open sessions. */
  get sessions(): number {
    return this.#sessions.size
  }

  get figures(): KeyFigures {
    const leftSeconds = this.#allowance.leftMs / 1_000
    return {
      ...{ name: this.name, sessions: this.sessions, audioSeconds: this.#audioMs / 1_000 },
      ...(Number.isFinite(leftSeconds) ? { leftSeconds } : {}),
    }
  }

  /** Applies new limits; open sessions continue, and audio already counted stays counted. */
  limit(limits: KeyLimits): void {
    this.#limits = limits
    this.#allowance.minutes = limits.minutesPerDay ?? Number.POSITIVE_INFINITY
  }

  /** Throws when no session can start now. */
  assertRoom(): void {
    if (this.#revoked) throw revoked()
    if (this.#sessions.size >= this.maxSessions)
      throw new ServiceError(
        'key_sessions_taken',
        `all ${this.maxSessions} sessions of this API key are in use`,
      )
    if (this.#allowance.leftMs < TOO_LITTLE_MS) throw this.#usedUp()
  }

  /**
   * Starts a session, which `end` ends when the key is revoked. Dispose the result when the session is over. Throws
   * like `assertRoom`.
   */
  enter(end: EndSession): Disposable {
    this.assertRoom()
    const own: EndSession = error => end(error)
    this.#sessions.add(own)
    return { [Symbol.dispose]: () => void this.#sessions.delete(own) }
  }

  /** Counts received audio; throws `minutes_used_up`, without counting any of it, when it exceeds the quota. */
  takeAudio(ms: number): void {
    if (!this.#allowance.take(ms)) throw this.#usedUp()
    this.#audioMs += ms
  }

  /** Counts text to be translated or spoken, as the audio it takes to speak it; throws like `takeAudio`. */
  takeText(text: string): void {
    this.takeAudio(spokenMs(text.length))
  }

  /** Revokes the key: every open session ends. Idempotent. */
  revoke(): void {
    this.#revoked = true
    for (const end of Array.from(this.#sessions)) end(revoked())
  }

  #usedUp(): ServiceError {
    const { minutes, moreInMs } = this.#allowance
    const more = moreInMs > 0 ? `, more in ${Math.ceil(moreInMs / 60_000)} minutes` : ''
    return new ServiceError(
      'minutes_used_up',
      `the quota of this API key, ${minutes} minutes of audio in 24 hours, is used up${more}`,
      { retryAfterMs: moreInMs },
    )
  }
}

function revoked(): ServiceError {
  return new ServiceError('key_revoked', 'the API key of this session was revoked')
}
