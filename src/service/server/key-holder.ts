import type { Clock } from '../../core/clock.ts'
import { AudioAllowance } from './audio-allowance.ts'
import type { KeyLimits } from './key-entry.ts'
import { ServiceError } from './service-error.ts'

/** Less audio than this is as good as none (ms). */
const TOO_LITTLE_MS = 1_000

/** Ends one session, telling its client why. */
type EndSession = (error: ServiceError) => void

/** Whoever has one key: what they use of the service, and what they may. All who share the key share its limits. */
export class KeyHolder {
  /** For the log. */
  readonly name: string
  readonly #clock: Clock
  readonly #sessions = new Set<EndSession>()
  #limits: KeyLimits
  #allowance: AudioAllowance | undefined
  #revoked = false

  constructor(name: string, limits: KeyLimits, clock: Clock) {
    this.name = name
    this.#clock = clock
    this.#limits = limits
    this.limit(limits)
  }

  /** Sessions that are open. */
  get sessions(): number {
    return this.#sessions.size
  }

  /** New limits, from now on; open sessions stay, and audio that was sent stays counted. */
  limit(limits: KeyLimits): void {
    this.#limits = limits
    const { minutesPerDay } = limits
    if (minutesPerDay === undefined) this.#allowance = undefined
    else if (this.#allowance) this.#allowance.minutes = minutesPerDay
    else this.#allowance = new AudioAllowance(this.#clock, minutesPerDay)
  }

  /** Throws when no session may begin now. */
  assertRoom(): void {
    if (this.#revoked) throw revoked()
    const { sessions = Number.POSITIVE_INFINITY } = this.#limits
    if (this.#sessions.size >= sessions)
      throw new ServiceError('key_sessions_taken', `all ${sessions} sessions of this API key are taken`)
    if (this.#allowance && this.#allowance.leftMs < TOO_LITTLE_MS) throw this.#usedUp(this.#allowance)
  }

  /** Begins a session, which `end` ends when the key is revoked; disposing says that it is over. Throws as above. */
  enter(end: EndSession): Disposable {
    this.assertRoom()
    const own: EndSession = error => end(error)
    this.#sessions.add(own)
    return { [Symbol.dispose]: () => void this.#sessions.delete(own) }
  }

  /** Counts audio that was sent; throws `minutes_used_up`, and counts nothing, when it is more than is left. */
  takeAudio(ms: number): void {
    if (this.#allowance?.take(ms) === false) throw this.#usedUp(this.#allowance)
  }

  /** The key is good no more: every open session ends. Idempotent. */
  revoke(): void {
    this.#revoked = true
    for (const end of Array.from(this.#sessions)) end(revoked())
  }

  #usedUp({ minutes, moreInMs }: AudioAllowance): ServiceError {
    const more = moreInMs > 0 ? `, more in ${Math.ceil(moreInMs / 60_000)} minutes` : ''
    return new ServiceError(
      'minutes_used_up',
      `this API key has ${minutes} minutes of audio in 24 hours, which are used up${more}`,
      { retryAfterMs: moreInMs },
    )
  }
}

function revoked(): ServiceError {
  return new ServiceError('key_revoked', 'the API key of this session was revoked')
}
