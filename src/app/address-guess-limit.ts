import type { Clock } from '../core/clock.ts'
import { type Log, silentLog } from '../core/log.ts'
import { TokenBucket } from '../core/token-bucket.ts'
import { AddressRates } from '../guard/address-rates.ts'

const WINDOW_MS = 600_000
/** Wrong codes of one address (of IPv6: 64 bits) at once, and then in the window. */
const EACH = 5
/** … of one network: 256 IPv4 addresses, or the 48 bits that one customer may be given of IPv6. */
const EACH_NETWORK = 15
/** Wrong codes of everybody at once, and then in an hour; beyond it codes are being guessed in earnest. */
const ALL = 50
const MOST_NETWORKS = 10_000

/**
 * Limits how often the code of a room may be guessed from the internet. Nobody can use up the tries of others: when many wrong
 * codes come from everywhere, each network has one wrong code in ten minutes left, and whoever has given none has theirs. So guessing
 * is as slow as an attacker has networks, and a right code is good all the time.
 */
export class AddressGuessLimit {
  /** Wrong codes. */
  wrongCodes = 0
  /** Times that somebody was not let try. */
  refused = 0
  /** Times that codes began to be guessed in earnest. */
  alarms = 0
  readonly #clock: Clock
  readonly #log: Log
  readonly #addresses: AddressRates
  readonly #networks: AddressRates
  /** When each network was wrong last, in that order. */
  readonly #wrongAt = new Map<string, number>()
  readonly #all: TokenBucket
  /** The alarm lasts until nobody has been wrong for the window. */
  #alarmedUntil = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, log: Log = silentLog) {
    this.#clock = clock
    this.#log = log
    this.#addresses = new AddressRates(clock, { perSecond: (EACH * 1_000) / WINDOW_MS, burst: EACH })
    this.#networks = new AddressRates(clock, {
      perSecond: (EACH_NETWORK * 1_000) / WINDOW_MS,
      burst: EACH_NETWORK,
    })
    this.#all = new TokenBucket(ALL / 3_600, ALL, clock.now())
  }

  /** Whether `address`, a group of addresses, may try a code now. */
  mayTry(address: string): boolean {
    const network = networkOf(address)
    const may =
      !this.#addresses.full(address) &&
      !this.#networks.full(network) &&
      !(this.#alarmed && this.#clock.now() - (this.#wrongAt.get(network) ?? -Infinity) < WINDOW_MS)
    if (!may) this.refused++
    return may
  }

  /** `address` gave a code that is none. */
  wrong(address: string): void {
    this.wrongCodes++
    const network = networkOf(address)
    this.#addresses.take(address)
    this.#networks.take(network)
    this.#wrongAt.delete(network)
    if (this.#wrongAt.size >= MOST_NETWORKS) this.#wrongAt.delete(this.#wrongAt.keys().next().value!)
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

/** The network of a group of addresses as `addressGroup` names it. */
function networkOf(group: string): string {
  if (group.includes(':')) return `${group.split(':').slice(0, 3).join(':')}::/48`
  return group.includes('.') ? `${group.slice(0, group.lastIndexOf('.'))}.0/24` : group
}
