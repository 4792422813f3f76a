import type { Clock } from '../core/clock.ts'
import { TokenBucket } from '../core/token-bucket.ts'

/** Wrong codes of one caller at once, and then in 10 minutes. */
const EACH = 5
/** Wrong codes of all callers together at once, and then in an hour: with a thousand codes of six digits out, one in 20 h. */
const ALL = 50
/** Callers who are counted each on their own; those who guessed longest ago are forgotten first. */
const MOST_CALLERS = 10_000
/** Who hides their number, or has none. */
const NOBODY = 'anonymous'

/**
 * Limits how often callers may guess the code of a room, each of them and all together: a caller's number is easily made up, so a
 * limit of each is none. For browsers there is `AddressGuessLimit`.
 */
export class GuessLimit {
  /** Wrong codes. */
  wrongCodes = 0
  /** Times that somebody was not let try. */
  refused = 0
  readonly #clock: Clock
  readonly #callers = new Map<string, TokenBucket>()
  readonly #all: TokenBucket

  constructor(clock: Clock) {
    this.#clock = clock
    this.#all = new TokenBucket(ALL / 3_600, ALL, clock.now())
  }

  /** Whether `caller` may try a code now. */
  mayTry(caller: string): boolean {
    const now = this.#clock.now()
    const may = this.#all.left(now) >= 1 && (this.#callers.get(this.#keyOf(caller))?.left(now) ?? 1) >= 1
    if (!may) this.refused++
    return may
  }

  /** `caller` gave a code that is none. */
  wrong(caller: string): void {
    this.wrongCodes++
    const now = this.#clock.now()
    const key = this.#keyOf(caller)
    const bucket = this.#callers.get(key) ?? new TokenBucket(EACH / 600, EACH, now)
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
