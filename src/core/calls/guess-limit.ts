import type { Clock } from '../../common/clock.ts'
import { TokenBucket } from '../../common/token-bucket.ts'

/** Wrong codes of one caller: this many at once, then per 10 minutes. */
const PER_CALLER = 5
/**
 * Wrong codes of all callers: this many at once, then per hour. With a thousand six-digit codes, that is one hit in 20
 * h.
 */
const ALL_CALLERS = 50
/** Maximum number of callers counted separately; the oldest are removed first. */
const MOST_CALLERS = 10_000
/** Callers with a withheld number. */
const NOBODY = 'anonymous'

/**
 * Limits how often callers can guess room codes, each caller and in total: numbers are easily forged, so a limit per
 * caller alone is useless. Browsers have `AddressGuessLimit`.
 */
export class GuessLimit {
  /** Number of wrong codes. */
  wrongCodes = 0
  /** Number of rejected attempts. */
  refused = 0
  readonly #clock: Clock
  readonly #callers = new Map<string, TokenBucket>()
  readonly #all: TokenBucket

  constructor(clock: Clock) {
    this.#clock = clock
    this.#all = new TokenBucket(ALL_CALLERS / 3_600, ALL_CALLERS, clock.now())
  }

  /** Whether `caller` may try a code now. */
  mayTry(caller: string): boolean {
    const now = this.#clock.now()
    const may = this.#all.left(now) >= 1 && (this.#callers.get(this.#keyOf(caller))?.left(now) ?? 1) >= 1
    if (!may) this.refused++
    return may
  }

  /** Counts a wrong code of `caller`. */
  wrong(caller: string): void {
    this.wrongCodes++
    const now = this.#clock.now()
    const key = this.#keyOf(caller)
    const bucket = this.#callers.get(key) ?? new TokenBucket(PER_CALLER / 600, PER_CALLER, now)
    this.#callers.delete(key)
    if (this.#callers.size >= MOST_CALLERS) this.#callers.delete(this.#callers.keys().next().value!)
    this.#callers.set(key, bucket)
    bucket.take(now)
    this.#all.take(now)
  }

  #keyOf(caller: string): string {
    return hidesNumber(caller) ? NOBODY : caller
  }
}

function hidesNumber(caller: string): boolean {
  return !/\d{5}/.test(caller)
}
