import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../common/clock.ts'
import { KeyedRateLimiter, TokenBucket } from '../common/rate-limit.ts'
import {
  AddressGroups,
  addressPrefix,
  isForwarded,
  isLocalRequest,
  TrustedProxies,
} from './client-address.ts'
import { FairPlaces } from './fair-places.ts'
import { isLocalAddress } from './outbound-guard.ts'
import type { ServerLimits } from './server-limits.ts'
import type { LimitSettings } from './settings.ts'

/** Counters of the request guard: open connections and rejections, read by exporters. */
export class RequestGuardCounters {
  /** Open connections. */
  connections = 0
  /** … of unauthenticated clients. */
  unauthenticated = 0
  /** … of guests, authenticated by a link that can be shared. */
  guests = 0
  /** Connections closed on arrival: above the total limit. */
  rejectedInTotal = 0
  /** Connections of unauthenticated clients and guests closed to make room for others. */
  displaced = 0
  /** Requests and upgrades rejected unread with 429 or 503: by the rate of one address, or of all. */
  requestsRejectedByAddress = 0
  requestsRejectedInTotal = 0
  /** Requests with a malformed or late head or body. */
  malformed = 0
}

/** Is notified when a request is authenticated. */
export interface AuthenticationListener {
  /** By a key or a signature. */
  known(): void
  /** By a link, which can be shared. Returns false if the limit for links is reached. */
  guest(): boolean
  /** Not at all. Returns true if a limit of such clients is reached. */
  stranger(): boolean
}

const waiting = new WeakMap<IncomingMessage, AuthenticationListener>()

/** Notifies `listener` when `request` is authenticated; one listener per request. */
export function expectAuthentication(request: IncomingMessage, listener: AuthenticationListener): void {
  waiting.set(request, listener)
}

/** A key or signature of `request` was verified: it no longer counts as unauthenticated. */
export function markAuthenticated(request: IncomingMessage): void {
  const listener = waiting.get(request)
  waiting.delete(request)
  listener?.known()
}

/**
 * A link of `request` was verified. Links can be shared, so their holders have limits of their own, per address and in
 * total. False: the request must be rejected, because such a limit is reached.
 */
export function vouchForGuest(request: IncomingMessage): boolean {
  return waiting.get(request)?.guest() ?? true
}

/**
 * The proof of `request` is not valid, but its route also serves others. True: the request must be rejected, because a limit of
 * unauthenticated clients is reached.
 */
export function rejectsStranger(request: IncomingMessage): boolean {
  return waiting.get(request)?.stranger() ?? false
}

/**
 * How the clients of a route prove who they are. `headers`: by a key, signature or link in the headers, or a `token` in the
 * query. `later`: by the path, or by the first message of a socket. The route verifies it before any other work.
 */
export type Proof = 'headers' | 'later'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requests with this proof are verified before they are limited. */
    proof?: Proof
  }
}

/** Burst that a rate allows, in seconds of that rate. */
const BURST_SECONDS = 10
/** Share of all connections that unauthenticated clients cannot fill, which leaves room for authentication. */
const RESERVED_SHARE = 0.1
/** Maximum share for guests of the connections without a key. */
const GUEST_SHARE = 0.5
/** Health checks. */
const PROBE = /^\/(?:live|ready|health)(?:\?|$)/
/** Limit of health checks per local address, far above the needs of any monitoring system. */
const PROBES = { perSecond: 20, burst: 100 }

export interface RequestGuardOptions {
  readonly limits: ServerLimits & Pick<LimitSettings, 'exemptAddresses'>
  /** Proxies that report client addresses and are not limited themselves. */
  readonly proxies: readonly string[]
  readonly clock: Clock
  /** Called for every connection that is closed on arrival. */
  readonly refused?: ((address: string | undefined, reason: string) => void) | undefined
}

/** Reason of a rejection: the limit of one address, or of all. */
export type Turned = 'address' | 'all'

/**
 * The request guard: limits connections and requests of unauthenticated clients before other code handles them.
 * Requests with a valid signature or key are not counted, so that a flood does not block legitimate clients. Guests,
 * authenticated by a link, have limits of their own. Above the limits, connections are closed and requests answered here.
 *
 * While unauthenticated clients and guests hold the maximum number of connections, each new one replaces one of
 * the address that holds most; at the limit of an address, its oldest. A client with credentials can therefore always
 * connect and authenticate.
 */
export class RequestGuard {
  readonly counters = new RequestGuardCounters()
  readonly #limits: ServerLimits
  readonly #clock: Clock
  readonly #addressGroups: AddressGroups
  readonly #proxies: TrustedProxies
  readonly #reserved: number
  /** Of clients that have proven nothing. */
  readonly #rates: KeyedRateLimiter
  readonly #all: TokenBucket
  /** Of clients with a verified link. */
  readonly #guestRates: KeyedRateLimiter
  readonly #allGuests: TokenBucket
  readonly #probes: KeyedRateLimiter
  /** Connections by address prefix; those of a proxy by the client of their last request. */
  readonly #unauthenticated = new FairPlaces<Socket>()
  readonly #guests = new FairPlaces<Socket>()
  readonly #known = new Set<Socket>()
  readonly #refused: NonNullable<RequestGuardOptions['refused']>

  constructor({ limits, proxies, clock, refused = () => {} }: RequestGuardOptions) {
    this.#refused = refused
    this.#limits = limits
    this.#clock = clock
    this.#addressGroups = new AddressGroups([...proxies, ...limits.exemptAddresses])
    this.#proxies = new TrustedProxies(proxies)
    this.#reserved = Math.max(1, Math.floor(limits.maxConnections * RESERVED_SHARE))
    const { unauthenticatedPerSecond: each, unauthenticatedPerSecondTotal: all } = limits
    const rate = { perSecond: each, burst: each * BURST_SECONDS }
    this.#rates = new KeyedRateLimiter(clock, rate)
    this.#all = new TokenBucket(all, all * BURST_SECONDS, clock.now())
    this.#guestRates = new KeyedRateLimiter(clock, rate)
    this.#allGuests = new TokenBucket(all, all * BURST_SECONDS, clock.now())
    this.#probes = new KeyedRateLimiter(clock, PROBES)
  }

  /** Counts the connections of `server`, which must not be listening yet. */
  watch(server: Server): void {
    server.maxConnections = this.#limits.maxConnections
    server.on('drop', details => {
      this.counters.rejectedInTotal++
      this.#refused(details?.remoteAddress, 'too many connections')
    })
    server.on('connection', (socket: Socket) => this.#arrived(socket))
    server.on('clientError', () => {
      this.counters.malformed++
    })
  }

  /**
   * Counts a request or upgrade until it is authenticated. Returns the reason if it must be rejected. `proof`: that of its
   * route. A request that contains it is never rejected here: the route verifies it, and it counts if that fails. So nobody
   * else can use up what a client with a valid proof needs.
   */
  rejection(request: IncomingMessage, proof?: Proof): Turned | undefined {
    const { socket } = request
    const address = this.#proxies.addressOf(socket.remoteAddress ?? '', request.headers)
    this.#follow(socket, address)
    if (this.#isProbe(request)) return undefined
    const group = this.#addressGroups.groupOf(address)
    const toVerify = proof === 'later' || (proof === 'headers' && hasProof(request))
    const countedByAddress = group !== undefined && this.#rates.take(group)
    if (group !== undefined && !countedByAddress && !toVerify) {
      this.counters.requestsRejectedByAddress++
      return 'address'
    }
    const countedInTotal = this.#all.take(this.#clock.now()) >= 0
    if (!countedInTotal && !toVerify) {
      this.counters.requestsRejectedInTotal++
      return 'all'
    }
    let counted = true
    const uncount = () => {
      if (counted && countedByAddress) this.#rates.give(group)
      if (counted && countedInTotal) this.#all.give()
      counted = false
    }
    expectAuthentication(request, {
      stranger: () => {
        if (group !== undefined && !countedByAddress) this.counters.requestsRejectedByAddress++
        else if (!countedInTotal) this.counters.requestsRejectedInTotal++
        else return false
        return true
      },
      known: () => {
        uncount()
        this.#become(socket, 'known')
      },
      guest: () => {
        uncount()
        return this.#isWelcome(socket, group) && this.#become(socket, 'guest', addressPrefix(address))
      },
    })
    return undefined
  }

  /**
   * True for a health check, which must be answered even during a flood: from this machine, or, at the rate of a
   * monitoring system, from its network, for example by a kubelet.
   */
  #isProbe(request: IncomingMessage): boolean {
    const { method, url = '', headers, socket } = request
    if (method !== 'GET' || !PROBE.test(url)) return false
    if (isLocalRequest(request)) return true
    const { remoteAddress = '' } = socket
    return (
      !isForwarded(headers) &&
      isLocalAddress(remoteAddress) &&
      this.#probes.take(addressPrefix(remoteAddress))
    )
  }

  /** Counts a request of a guest from `group`; undefined: exempt from the limits per address. */
  #isWelcome(socket: Socket, group: string | undefined): boolean {
    const { counters } = this
    if (group !== undefined) {
      const others = this.#guests.of(group) - (this.#guests.has(socket) ? 1 : 0)
      if (others >= this.#limits.connectionsPerAddress || !this.#guestRates.take(group)) {
        counters.requestsRejectedByAddress++
        return false
      }
    }
    if (this.#allGuests.take(this.#clock.now()) >= 0) return true
    counters.requestsRejectedInTotal++
    return false
  }

  #arrived(socket: Socket): void {
    const { remoteAddress = '' } = socket
    const { counters } = this
    counters.connections++
    socket.once('close', () => {
      counters.connections--
      this.#forget(socket)
    })
    const group = this.#addressGroups.groupOf(remoteAddress)
    this.#unauthenticated.add(socket, group ?? addressPrefix(remoteAddress))
    // The newest one can be that of a client with a key, which authenticates at once.
    if (group !== undefined && this.#unauthenticated.of(group) > this.#limits.connectionsPerAddress) {
      if (this.#displace(this.#unauthenticated, this.#unauthenticated.oldestOf(group)))
        this.#refused(remoteAddress, 'too many connections of this address')
    }
    this.#makeRoom(socket)
    this.#count()
  }

  /** A connection from a proxy is counted for the client of its current request. */
  #follow(socket: Socket, client: string): void {
    if (this.#addressGroups.groupOf(socket.remoteAddress ?? '') !== undefined || socket.destroyed) return
    this.#known.delete(socket)
    this.#guests.remove(socket)
    this.#unauthenticated.add(socket, addressPrefix(client))
  }

  /** Returns true. */
  #become(socket: Socket, what: 'known' | 'guest', group = ''): true {
    // The connection was closed, or is already authenticated by an earlier request.
    if (!this.#unauthenticated.has(socket) && !this.#guests.has(socket)) return true
    this.#unauthenticated.remove(socket)
    if (what === 'known') {
      this.#guests.remove(socket)
      this.#known.add(socket)
    } else {
      this.#guests.add(socket, group)
      if (this.#guests.size > this.#room * GUEST_SHARE) this.#cut(this.#guests, socket)
    }
    this.#count()
    return true
  }

  /** Maximum number of connections of unauthenticated clients and guests. */
  get #room(): number {
    return Math.max(this.#reserved, this.#limits.maxConnections - this.#reserved - this.#known.size)
  }

  #makeRoom(newcomer: Socket): void {
    if (this.#unauthenticated.size + this.#guests.size <= this.#room) return
    if (!this.#cut(this.#unauthenticated, newcomer)) this.#cut(this.#guests, newcomer)
  }

  #cut(places: FairPlaces<Socket>, spared: Socket): boolean {
    return this.#displace(places, places.crowding(spared))
  }

  #displace(places: FairPlaces<Socket>, socket: Socket | undefined): boolean {
    if (!socket) return false
    places.remove(socket)
    this.counters.displaced++
    socket.resetAndDestroy()
    return true
  }

  #forget(socket: Socket): void {
    this.#unauthenticated.remove(socket)
    this.#guests.remove(socket)
    this.#known.delete(socket)
    this.#count()
  }

  #count(): void {
    this.counters.unauthenticated = this.#unauthenticated.size
    this.counters.guests = this.#guests.size
  }
}

/** Headers with credentials: of programs and people, and of carriers, which sign their requests. */
const PROOF = /^(authorization|x-api-key)$|signature/

/** True if a request contains credentials, valid or not. */
function hasProof({ headers, url = '' }: IncomingMessage): boolean {
  return Object.keys(headers).some(name => PROOF.test(name)) || /[?&]token=/.test(url)
}
