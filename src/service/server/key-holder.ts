import { AudioAllowance } from './audio-allowance.ts'
import type { AudioUsage } from './audio-usage.ts'
import type { KeyLimits } from './key-entry.ts'
import { ServiceError } from './service-error.ts'

/** Less audio than this is as good as none (ms). */
const TOO_LITTLE_MS = 1_000
/** Text counts as the audio that it takes to say it: so many characters a second. */
const CHARACTERS_PER_SECOND = 15

/** Ends one session, telling its client why. */
type EndSession = (error: ServiceError) => void

/** Whoever has one key: what they use of the service, and what they may. All who share the key share its limits. */
export class KeyHolder {
  /** For the log. */
  readonly name: string
  readonly #sessions = new Set<EndSession>()
  readonly #allowance: AudioAllowance
  #limits: KeyLimits
  #revoked = false

  /** What is used is counted in `usage`. */
  constructor(name: string, limits: KeyLimits, usage: AudioUsage) {
    this.name = name
    this.#limits = limits
    this.#allowance = new AudioAllowance(usage, Number.POSITIVE_INFINITY)
    this.limit(limits)
  }

  /** Sessions that are open. */
  get sessions(): number {
    return this.#sessions.size
  }

  /** New limits, from now on; open sessions stay, and audio that was sent stays counted. */
  limit(limits: KeyLimits): void {
    this.#limits = limits
    this.#allowance.minutes = limits.minutesPerDay ?? Number.POSITIVE_INFINITY
  }

  /** Throws when no session may begin now. */
  assertRoom(): void {
    if (this.#revoked) throw revoked()
    const { sessions = Number.POSITIVE_INFINITY } = this.#limits
    if (this.#sessions.size >= sessions)
      throw new ServiceError('key_sessions_taken', `all ${sessions} sessions of this API key are taken`)
    if (this.#allowance.leftMs < TOO_LITTLE_MS) throw this.#usedUp()
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
    if (!this.#allowance.take(ms)) throw this.#usedUp()
  }

  /** Counts text to be translated or spoken, as the audio that it takes to say it; throws as above. */
  takeText(text: string): void {
    this.takeAudio((text.length * 1_000) / CHARACTERS_PER_SECOND)
  }

  /** The key is good no more: every open session ends. Idempotent. */
  revoke(): void {
    this.#revoked = true
    for (const end of Array.from(this.#sessions)) end(revoked())
  }

  #usedUp(): ServiceError {
    const { minutes, moreInMs } = this.#allowance
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
