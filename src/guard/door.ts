import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { addressGroup } from '../core/address-group.ts'
import type { Clock } from '../core/clock.ts'
import { TokenBucket } from '../core/token-bucket.ts'
import { AddressRates } from './address-rates.ts'
import { DoorCounters } from './door-counters.ts'
import type { ServerLimits } from './limits.ts'
import { awaitProof } from './proof.ts'
import { TrustedProxies } from './trusted-proxies.ts'

/** What a rate lets through at once, in seconds of it. */
const BURST_SECONDS = 10

export interface DoorParts {
  readonly limits: ServerLimits
  /** Who tells of whom they bring, so that they are not counted themselves. */
  readonly proxies: readonly string[]
  readonly clock: Clock
}

/** Why somebody may not come in: too many from one address, or too many in all. */
export type Turned = 'address' | 'all'

/**
 * Stands before a server and counts strangers: connections and requests that have not proven who they are. Whoever does
 * (a signature, a key) is counted no more, so that a flood takes no place from those who belong here. What is over the limits is
 * cut or answered before anything else looks at it.
 */
export class Door {
  readonly counters = new DoorCounters()
  readonly #limits: ServerLimits
  readonly #clock: Clock
  readonly #exempt: TrustedProxies
  readonly #proxies: TrustedProxies
  /** Connections of strangers, by group of addresses. */
  readonly #strangers = new Map<string, number>()
  readonly #groups = new WeakMap<Socket, string>()
  readonly #rates: AddressRates
  readonly #all: TokenBucket

  constructor({ limits, proxies, clock }: DoorParts) {
    this.#limits = limits
    this.#clock = clock
    this.#exempt = new TrustedProxies([...proxies, ...limits.neighbours])
    this.#proxies = new TrustedProxies(proxies)
    const { strangersPerSecond: each, strangersPerSecondInAll: all } = limits
    this.#rates = new AddressRates(clock, { perSecond: each, burst: each * BURST_SECONDS })
    this.#all = new TokenBucket(all, all * BURST_SECONDS, clock.now())
  }

  /** Counts the connections of `server`, which must not listen yet. */
  watch(server: Server): void {
    server.maxConnections = this.#limits.maxConnections
    server.on('drop', () => {
      this.counters.refusedInAll++
    })
    server.on('connection', (socket: Socket) => this.#arrived(socket))
    server.on('clientError', () => {
      this.counters.unreadable++
    })
  }

  /**
   * Counts a request or upgrade until somebody vouches for it; says why it must be turned away, if it must. A stranger
   * whose request looks as if it had a proof is let through to show it when only the limit of all is reached.
   */
  turns(request: IncomingMessage): Turned | undefined {
    const address = this.#proxies.addressOf(request.socket.remoteAddress ?? '', request.headers)
    const group = this.#exempt.includes(address) ? undefined : addressGroup(address)
    if (group !== undefined && !this.#rates.take(group)) {
      this.counters.requestsRefusedByAddress++
      return 'address'
    }
    const counted = this.#all.take(this.#clock.now()) >= 0
    if (!counted && !hasProof(request)) {
      this.counters.requestsRefusedInAll++
      return 'all'
    }
    awaitProof(request, () => {
      if (group !== undefined) this.#rates.give(group)
      if (counted) this.#all.give()
      this.#known(request.socket)
    })
    return undefined
  }

  #arrived(socket: Socket): void {
    const { remoteAddress = '' } = socket
    const { counters } = this
    counters.connections++
    socket.once('close', () => {
      counters.connections--
      this.#known(socket)
    })
    if (this.#exempt.includes(remoteAddress)) return
    const group = addressGroup(remoteAddress)
    const others = this.#strangers.get(group) ?? 0
    const crowded = others >= this.#limits.connectionsPerAddress
    if (crowded || this.#rates.full(group)) {
      counters[crowded ? 'refusedByAddress' : 'refusedByRate']++
      socket.resetAndDestroy()
      return
    }
    this.#strangers.set(group, others + 1)
    this.#groups.set(socket, group)
    counters.strangers++
  }

  /** `socket` is no stranger's any more, or is gone. */
  #known(socket: Socket): void {
    const group = this.#groups.get(socket)
    if (group === undefined) return
    this.#groups.delete(socket)
    this.counters.strangers--
    const left = (this.#strangers.get(group) ?? 1) - 1
    if (left > 0) this.#strangers.set(group, left)
    else this.#strangers.delete(group)
  }
}

/** Whether a request has what a proof would be in; whether it is one is for others to say. */
function hasProof({ headers, url = '' }: IncomingMessage): boolean {
  return (
    headers['x-twilio-signature'] !== undefined ||
    headers.authorization !== undefined ||
    headers['x-api-key'] !== undefined ||
    /[?&]token=/.test(url)
  )
}
