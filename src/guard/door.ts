import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { addressGroup } from '../core/address-group.ts'
import type { Clock } from '../core/clock.ts'
import { TokenBucket } from '../core/token-bucket.ts'
import { AddressRates } from './address-rates.ts'
import { DoorCounters } from './door-counters.ts'
import { FairPlaces } from './fair-places.ts'
import type { ServerLimits } from './limits.ts'
import { isLocalAddress } from './local-address.ts'
import { awaitProof } from './proof.ts'
import { isForwarded, isFromThisMachine } from './this-machine.ts'
import { Neighbours, TrustedProxies } from './trusted-proxies.ts'

/** What a rate lets through at once, in seconds of it. */
const BURST_SECONDS = 10
/** Share of all connections that is never filled by those who have proven nothing yet, so that there is room to prove something. */
const RESERVED_SHARE = 0.1
/** Share of the connections of those without a key that bearers of links may have. */
const GUEST_SHARE = 0.5
/** What supervisors ask for. */
const PROBE = /^\/(?:live|ready|health)(?:\?|$)/
/** Probes from one address of the own network: far more than any supervisor makes. */
const PROBES = { perSecond: 20, burst: 100 }

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
 * (a signature, a key) is counted no more, so that a flood takes no place from those who belong here. Guests, who have a link,
 * stay under the limits of their address. What is over the limits is cut or answered before anything else looks at it.
 *
 * When the connections of strangers and guests are as many as may be, one of them makes room for each that comes: of the address
 * that has the most. So whoever has a proof can always come and show it.
 */
export class Door {
  readonly counters = new DoorCounters()
  readonly #limits: ServerLimits
  readonly #clock: Clock
  readonly #neighbours: Neighbours
  readonly #proxies: TrustedProxies
  readonly #reserved: number
  /** Connections by groups of addresses; those of a proxy by the client of their last request. */
  readonly #strangers = new FairPlaces<Socket>()
  readonly #guests = new FairPlaces<Socket>()
  readonly #known = new Set<Socket>()
  readonly #rates: AddressRates
  readonly #all: TokenBucket
  readonly #ofGuests: TokenBucket
  readonly #probes: AddressRates

  constructor({ limits, proxies, clock }: DoorParts) {
    this.#limits = limits
    this.#clock = clock
    this.#neighbours = new Neighbours([...proxies, ...limits.neighbours])
    this.#proxies = new TrustedProxies(proxies)
    this.#reserved = Math.max(1, Math.floor(limits.maxConnections * RESERVED_SHARE))
    const { strangersPerSecond: each, strangersPerSecondInAll: all } = limits
    this.#rates = new AddressRates(clock, { perSecond: each, burst: each * BURST_SECONDS })
    this.#all = new TokenBucket(all, all * BURST_SECONDS, clock.now())
    this.#ofGuests = new TokenBucket(all, all * BURST_SECONDS, clock.now())
    this.#probes = new AddressRates(clock, PROBES)
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
    const { socket } = request
    const address = this.#proxies.addressOf(socket.remoteAddress ?? '', request.headers)
    this.#follow(socket, address)
    if (this.#isProbe(request)) return undefined
    const group = this.#neighbours.groupOf(address)
    if (group !== undefined && !this.#rates.take(group)) {
      this.counters.requestsRefusedByAddress++
      return 'address'
    }
    let counted = this.#all.take(this.#clock.now()) >= 0
    if (!counted && !hasProof(request)) {
      this.counters.requestsRefusedInAll++
      return 'all'
    }
    const uncount = () => {
      if (counted) this.#all.give()
      counted = false
    }
    awaitProof(request, {
      known: () => {
        if (group !== undefined) this.#rates.give(group)
        uncount()
        this.#become(socket, 'known')
      },
      guest: () => {
        uncount()
        if (this.#ofGuests.take(this.#clock.now()) < 0) {
          this.counters.requestsRefusedInAll++
          return false
        }
        this.#become(socket, 'guest', addressGroup(address))
        return true
      },
    })
    return undefined
  }

  /**
   * A supervisor's question, which no flood may leave without an answer: from this machine itself, or from its network, where a
   * kubelet is, by an address that asks no more often than supervisors do.
   */
  #isProbe(request: IncomingMessage): boolean {
    const { method, url = '', headers, socket } = request
    if (method !== 'GET' || !PROBE.test(url)) return false
    if (isFromThisMachine(request)) return true
    const { remoteAddress = '' } = socket
    return (
      !isForwarded(headers) && isLocalAddress(remoteAddress) && this.#probes.take(addressGroup(remoteAddress))
    )
  }

  #arrived(socket: Socket): void {
    const { remoteAddress = '' } = socket
    const { counters } = this
    counters.connections++
    socket.once('close', () => {
      counters.connections--
      this.#forget(socket)
    })
    const group = this.#neighbours.groupOf(remoteAddress)
    if (group !== undefined) {
      const crowded = this.#strangers.of(group) + this.#guests.of(group) >= this.#limits.connectionsPerAddress
      if (crowded || this.#rates.full(group)) {
        counters[crowded ? 'refusedByAddress' : 'refusedByRate']++
        socket.resetAndDestroy()
        return
      }
    }
    this.#strangers.add(socket, group ?? addressGroup(remoteAddress))
    this.#makeRoom(socket)
    this.#count()
  }

  /** A connection of a proxy belongs to the client of the moment. */
  #follow(socket: Socket, client: string): void {
    if (this.#neighbours.groupOf(socket.remoteAddress ?? '') !== undefined || socket.destroyed) return
    this.#known.delete(socket)
    this.#guests.remove(socket)
    this.#strangers.add(socket, addressGroup(client))
  }

  #become(socket: Socket, what: 'known' | 'guest', group = ''): void {
    // Gone or cut meanwhile, or known by what came over it before.
    if (!this.#strangers.has(socket) && !this.#guests.has(socket)) return
    this.#strangers.remove(socket)
    if (what === 'known') {
      this.#guests.remove(socket)
      this.#known.add(socket)
    } else {
      this.#guests.add(socket, group)
      if (this.#guests.size > this.#room * GUEST_SHARE) this.#cut(this.#guests, socket)
    }
    this.#count()
  }

  /** How many connections of strangers and guests there may be. */
  get #room(): number {
    return Math.max(this.#reserved, this.#limits.maxConnections - this.#reserved - this.#known.size)
  }

  #makeRoom(newcomer: Socket): void {
    if (this.#strangers.size + this.#guests.size <= this.#room) return
    if (!this.#cut(this.#strangers, newcomer)) this.#cut(this.#guests, newcomer)
  }

  #cut(places: FairPlaces<Socket>, spared: Socket): boolean {
    const crowding = places.crowding(spared)
    if (!crowding) return false
    places.remove(crowding)
    this.counters.displaced++
    crowding.resetAndDestroy()
    return true
  }

  #forget(socket: Socket): void {
    this.#strangers.remove(socket)
    this.#guests.remove(socket)
    this.#known.delete(socket)
    this.#count()
  }

  #count(): void {
    this.counters.strangers = this.#strangers.size
    this.counters.guests = this.#guests.size
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
