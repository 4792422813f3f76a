import type { Clock } from '../../common/clock.ts'
import { type Logger, noopLogger } from '../../common/log.ts'
import { KeyedRateLimiter, TokenBucket } from '../../common/rate-limit.ts'
import type { CodeGuess, CodeLimiter } from './code-attempts.ts'
import { SharedGuesses, type SharedGuessesFleet } from './shared-guesses.ts'

const WINDOW_MS = 600_000
/** Wrong codes of one caller, user or address (IPv6: /64 prefix): this many at once, then per window. */
const PER_SOURCE = 5
/** The same for a network: 256 IPv4 addresses, or the IPv6 /48 that a customer can be assigned. */
const PER_NETWORK = 15
/** Wrong codes of all sources: this many at once, then per hour. Above it, a guessing attack is assumed. */
const ALL = 50
/**
 * Wrong codes during an attack, from networks that had none: this many at once, then per hour. Then none are checked. With
 * `ALL`, and as many for phones as for browsers, 400 an hour: `room-codes.ts` has what that means.
 */
const IN_ATTACK = 150

/** What guesses: the callers of phones and users of Discord, or the addresses of browsers. */
export type GuessSource = 'caller' | 'address'

/**
 * Limits how often room codes can be guessed: by one source, by one network, and by all. Sources are cheap, since numbers are
 * forged and networks are rented, so only the limit of all is a proof. During an attack, whoever had no wrong code can still
 * try one, within a second limit of all; a code is never checked beyond it. In a fleet, each node is notified of the wrong codes
 * at the others.
 */
export class RoomCodeLimiter implements CodeLimiter, Disposable {
  /** Number of wrong codes. */
  wrongCodes = 0
  /** Number of rejected attempts. */
  refused = 0
  readonly #source: GuessSource
  readonly #clock: Clock
  readonly #log: Logger
  readonly #sources: KeyedRateLimiter
  readonly #networks: KeyedRateLimiter
  /** Networks with a wrong code in the window. */
  readonly #guessing: KeyedRateLimiter
  readonly #all: TokenBucket
  readonly #inAttack: TokenBucket
  readonly #shared: SharedGuesses
  /** The attack is over when no wrong code has arrived for the window. */
  #attackUntil = Number.NEGATIVE_INFINITY

  constructor(source: GuessSource, clock: Clock, log: Logger = noopLogger, fleet?: SharedGuessesFleet) {
    this.#source = source
    this.#clock = clock
    this.#log = log
    this.#shared = new SharedGuesses(source, fleet, (who, network) => this.#heard(who, network))
    const perWindow = (burst: number) => ({ perSecond: (burst * 1_000) / WINDOW_MS, burst })
    this.#sources = new KeyedRateLimiter(clock, perWindow(PER_SOURCE))
    this.#networks = new KeyedRateLimiter(clock, perWindow(PER_NETWORK))
    this.#guessing = new KeyedRateLimiter(clock, perWindow(1))
    this.#all = new TokenBucket(ALL / 3_600, ALL, clock.now())
    this.#inAttack = new TokenBucket(IN_ATTACK / 3_600, IN_ATTACK, clock.now())
  }

  /** Whether `who`, a number, a user or an address prefix, may try a code now. */
  mayTry(who: string): boolean {
    const may = this.#budgetOf(...this.#keysOf(who)) !== undefined
    if (!may) this.refused++
    return may
  }

  /** Counts an attempt of `who` as a wrong code until it turns out to be right, so that attempts in parallel are limited, too. */
  begin(who: string): CodeGuess | undefined {
    const [source, network] = this.#keysOf(who)
    const budget = this.#budgetOf(source, network)
    if (!budget) {
      this.refused++
      return undefined
    }
    const giveBack = this.#take(source, network, budget)
    return {
      right: giveBack,
      wrong: () => {
        this.#isWrong()
        this.#shared.tell(source, network)
      },
    }
  }

  /** Stops listening to other nodes. */
  [Symbol.dispose](): void {
    this.#shared[Symbol.dispose]()
  }

  /** A wrong code at another node, which has checked the limits. */
  #heard(source: string, network: string): void {
    this.#take(
      source,
      network,
      this.#all.left(this.#clock.now()) < 1 || this.#attacked ? this.#inAttack : this.#all,
    )
    this.#isWrong()
  }

  /** Returns the limit of all that covers an attempt now; undefined if none does. */
  #budgetOf(source: string, network: string): TokenBucket | undefined {
    if (this.#sources.full(source) || this.#networks.full(network)) return undefined
    const now = this.#clock.now()
    if (!this.#attacked && this.#all.left(now) >= 1) return this.#all
    return this.#guessing.full(network) || this.#inAttack.left(now) < 1 ? undefined : this.#inAttack
  }

  #take(source: string, network: string, budget: TokenBucket): () => void {
    const now = this.#clock.now()
    this.#sources.take(source)
    this.#networks.take(network)
    this.#guessing.take(network)
    budget.take(now)
    return () => {
      this.#sources.give(source)
      this.#networks.give(network)
      this.#guessing.give(network)
      budget.give()
    }
  }

  #isWrong(): void {
    this.wrongCodes++
    const now = this.#clock.now()
    if (!this.#attacked) {
      if (this.#all.left(now) >= 1) return
      const fields = { by: this.#source, wrongCodes: this.wrongCodes }
      this.#log.warn(fields, 'room codes are being guessed by many')
    }
    this.#attackUntil = now + WINDOW_MS
  }

  get #attacked(): boolean {
    return this.#clock.now() < this.#attackUntil
  }

  #keysOf(who: string): [source: string, network: string] {
    const { keyOf } = this.#shared
    if (this.#source === 'address') return [keyOf(who), keyOf(networkOf(who))]
    const caller = keyOf(hidesNumber(who) ? NOBODY : who)
    return [caller, caller]
  }
}

/** Returns the network of an address prefix as `addressPrefix` formats it. */
function networkOf(group: string): string {
  if (group.includes(':')) return `${group.split(':').slice(0, 3).join(':')}::/48`
  return group.includes('.') ? `${group.slice(0, group.lastIndexOf('.'))}.0/24` : group
}

/** Callers with a withheld number. */
const NOBODY = 'anonymous'

function hidesNumber(caller: string): boolean {
  return !/\d{5}/.test(caller)
}
