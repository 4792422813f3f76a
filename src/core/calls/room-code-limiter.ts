import { BoundedMap } from '../../common/bounded-map.ts'
import type { Clock } from '../../common/clock.ts'
import { type Logger, noopLogger } from '../../common/log.ts'
import { KeyedRateLimiter, TokenBucket } from '../../common/rate-limit.ts'
import { SharedGuesses, type SharedGuessesFleet } from './shared-guesses.ts'

const WINDOW_MS = 600_000
/** Wrong codes of one address (IPv6: /64 prefix): this many at once, then per window. */
const PER_ADDRESS = 5
/** The same for a network: 256 IPv4 addresses, or the IPv6 /48 that a customer can be assigned. */
const EACH_NETWORK = 15
/** Total wrong codes: this many at once, then per hour. Above it, a guessing attack is assumed. */
const ALL_ADDRESSES = 50
const MOST_NETWORKS = 10_000

/**
 * Limits how often room codes can be guessed from the internet. No client can use up the attempts of others: during an
 * attack, each network may try one wrong code in ten minutes, and networks without a wrong code keep all of theirs. So
 * an attack is limited by its number of networks, and correct codes always work. In a fleet, each node is notified of
 * the wrong codes at the others.
 */
export class AddressCodeLimiter implements Disposable {
  /** Number of wrong codes. */
  wrongCodes = 0
  /** Number of rejected attempts. */
  refused = 0
  /** Number of times that a guessing attack was detected. */
  alarms = 0
  readonly #clock: Clock
  readonly #log: Logger
  readonly #addresses: KeyedRateLimiter
  readonly #networks: KeyedRateLimiter
  /** Time of each network’s last wrong code, in that order. */
  readonly #wrongAt = new BoundedMap<string, number>(MOST_NETWORKS)
  readonly #all: TokenBucket
  /** The alarm lasts until no wrong code has arrived for the window. */
  #alarmedUntil = Number.NEGATIVE_INFINITY

  readonly #shared: SharedGuesses

  constructor(clock: Clock, log: Logger = noopLogger, fleet?: SharedGuessesFleet) {
    this.#clock = clock
    this.#log = log
    this.#shared = new SharedGuesses('address', fleet, (address, network) => this.#count(address, network))
    this.#addresses = new KeyedRateLimiter(clock, {
      perSecond: (PER_ADDRESS * 1_000) / WINDOW_MS,
      burst: PER_ADDRESS,
    })
    this.#networks = new KeyedRateLimiter(clock, {
      perSecond: (EACH_NETWORK * 1_000) / WINDOW_MS,
      burst: EACH_NETWORK,
    })
    this.#all = new TokenBucket(ALL_ADDRESSES / 3_600, ALL_ADDRESSES, clock.now())
  }

  /** Whether `address`, an address prefix, may try a code now. */
  mayTry(address: string): boolean {
    const network = this.#shared.keyOf(networkOf(address))
    const may =
      !this.#addresses.full(this.#shared.keyOf(address)) &&
      !this.#networks.full(network) &&
      !(this.#alarmed && this.#clock.now() - (this.#wrongAt.get(network) ?? -Infinity) < WINDOW_MS)
    if (!may) this.refused++
    return may
  }

  /** Counts a wrong code of `address`. */
  wrong(address: string): void {
    const [key, network] = [this.#shared.keyOf(address), this.#shared.keyOf(networkOf(address))]
    this.#count(key, network)
    this.#shared.tell(key, network)
  }

  /** Stops listening to other nodes. */
  [Symbol.dispose](): void {
    this.#shared[Symbol.dispose]()
  }

  #count(address: string, network: string): void {
    this.wrongCodes++
    this.#addresses.take(address)
    this.#networks.take(network)
    this.#wrongAt.set(network, this.#clock.now())
    if (this.#all.take(this.#clock.now()) < 1 || this.#alarmed) this.#alarm()
  }

  get #alarmed(): boolean {
    return this.#clock.now() < this.#alarmedUntil
  }

  #alarm(): void {
    if (!this.#alarmed) {
      this.alarms++
      this.#log.warn({ wrongCodes: this.wrongCodes }, 'room codes are being guessed from many addresses')
    }
    this.#alarmedUntil = this.#clock.now() + WINDOW_MS
  }
}

/** Returns the network of an address prefix as `addressPrefix` formats it. */
function networkOf(group: string): string {
  if (group.includes(':')) return `${group.split(':').slice(0, 3).join(':')}::/48`
  return group.includes('.') ? `${group.slice(0, group.lastIndexOf('.'))}.0/24` : group
}

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
 * caller alone is useless. Browsers have `AddressCodeLimiter`. In a fleet, each node is notified of the wrong codes at
 * the others.
 */
export class RoomCodeLimiter implements Disposable {
  /** Number of wrong codes. */
  wrongCodes = 0
  /** Number of rejected attempts. */
  refused = 0
  readonly #clock: Clock
  readonly #callers = new BoundedMap<string, TokenBucket>(MOST_CALLERS)
  readonly #all: TokenBucket

  readonly #shared: SharedGuesses

  constructor(clock: Clock, fleet?: SharedGuessesFleet) {
    this.#clock = clock
    this.#shared = new SharedGuesses('caller', fleet, caller => this.#count(caller))
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
    const key = this.#keyOf(caller)
    this.#count(key)
    this.#shared.tell(key)
  }

  /** Stops listening to other nodes. */
  [Symbol.dispose](): void {
    this.#shared[Symbol.dispose]()
  }

  #count(key: string): void {
    this.wrongCodes++
    const now = this.#clock.now()
    const bucket = this.#callers.get(key) ?? new TokenBucket(PER_CALLER / 600, PER_CALLER, now)
    this.#callers.set(key, bucket)
    bucket.take(now)
    this.#all.take(now)
  }

  #keyOf(caller: string): string {
    return this.#shared.keyOf(hidesNumber(caller) ? NOBODY : caller)
  }
}

function hidesNumber(caller: string): boolean {
  return !/\d{5}/.test(caller)
}
