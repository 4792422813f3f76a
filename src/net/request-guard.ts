import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../common/clock.ts'
import type { FieldSpec, FieldTable } from '../common/metric-field.ts'
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
import type { ServerLimits } from './settings.ts'

/** Counters of the request guard: open connections and rejections, read by exporters. */
export class RequestGuardCounters {
  /** Open connections. */
  connections = 0
  /** … of unauthenticated clients. */
  unauthenticated = 0
  /** … of guests, authenticated by a link that can be shared. */
  guests = 0
  /** Connections closed on arrival: above the total limit, the limit per address, or the rate of one address. */
  rejectedInTotal = 0
  rejectedByAddress = 0
  rejectedByRate = 0
  /** Connections of unauthenticated clients and guests closed to make room for others. */
  displaced = 0
  /** Requests and upgrades rejected unread with 429 or 503: by the rate of one address, or of all. */
  requestsRejectedByAddress = 0
  requestsRejectedInTotal = 0
  /** Requests with a malformed or late head or body. */
  malformed = 0
}

/** The metric of each counter. */
export const REQUEST_GUARD_METRICS: FieldTable<RequestGuardCounters> = {
  connections: ['dragoman_http_connections', 'Open connections.'],
  unauthenticated: ['dragoman_http_unauthenticated_connections', 'Open unauthenticated connections.'],
  guests: ['dragoman_http_link_connections', 'Open connections of clients authenticated by a link.'],
  displaced: [
    'dragoman_http_displaced_total',
    'Unauthenticated and link connections closed to make room for others.',
  ],
  rejectedInTotal: rejected('connection', 'total'),
  rejectedByAddress: rejected('connection', 'address'),
  rejectedByRate: rejected('connection', 'rate'),
  requestsRejectedByAddress: rejected('request', 'address'),
  requestsRejectedInTotal: rejected('request', 'total'),
  malformed: [
    'dragoman_http_malformed_total',
    'Malformed requests, and requests whose headers or body did not arrive in time.',
  ],
}

/** `scope`: the limit per address, the request rate of one address, or the limit of all together. */
function rejected(what: 'connection' | 'request', scope: 'address' | 'rate' | 'total'): FieldSpec {
  return [
    'dragoman_http_rejected_total',
    'Connections closed and requests answered with 429 or 503, by the limit per address, the request rate of an address, or the total limit.',
    1,
    { what, scope },
  ]
}

/** Is notified when a request is authenticated. */
export interface AuthenticationListener {
  /** By a key or a signature. */
  known(): void
  /** By a link, which can be shared. Returns false if the limit for links is reached. */
  guest(): boolean
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
 * A link of `request` was verified. Links can be shared, so limits per address still apply; only the limit for all
 * unauthenticated clients is lifted. False: the request must be rejected, because the limit for links is reached.
 */
export function vouchForGuest(request: IncomingMessage): boolean {
  return waiting.get(request)?.guest() ?? true
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
  readonly limits: ServerLimits
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
 * authenticated by a link, remain under the limits of their address. Above the limits, connections are closed and
 * requests answered here.
 *
 * While unauthenticated clients and guests hold the maximum number of connections, each new one replaces one of
 * the address that holds most. A client with credentials can therefore always connect and authenticate.
 */
export class RequestGuard {
  readonly counters = new RequestGuardCounters()
  readonly #limits: ServerLimits
  readonly #clock: Clock
  readonly #addressGroups: AddressGroups
  readonly #proxies: TrustedProxies
  readonly #reserved: number
  /** Connections by address prefix; those of a proxy by the client of their last request. */
  readonly #unauthenticated = new FairPlaces<Socket>()
  readonly #guests = new FairPlaces<Socket>()
  readonly #known = new Set<Socket>()
  readonly #rates: KeyedRateLimiter
  readonly #all: TokenBucket
  readonly #ofGuests: TokenBucket
  readonly #probes: KeyedRateLimiter
  readonly #refused: NonNullable<RequestGuardOptions['refused']>

  constructor({ limits, proxies, clock, refused = () => {} }: RequestGuardOptions) {
    this.#refused = refused
    this.#limits = limits
    this.#clock = clock
    this.#addressGroups = new AddressGroups([...proxies, ...limits.exemptAddresses])
    this.#proxies = new TrustedProxies(proxies)
    this.#reserved = Math.max(1, Math.floor(limits.maxConnections * RESERVED_SHARE))
    const { unauthenticatedPerSecond: each, unauthenticatedPerSecondTotal: all } = limits
    this.#rates = new KeyedRateLimiter(clock, { perSecond: each, burst: each * BURST_SECONDS })
    this.#all = new TokenBucket(all, all * BURST_SECONDS, clock.now())
    this.#ofGuests = new TokenBucket(all, all * BURST_SECONDS, clock.now())
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
   * Counts a request or upgrade until it is authenticated. Returns the reason if it must be rejected. If only the limit
   * of all addresses is reached, requests that contain credentials pass, so that these can be checked.
   */
  rejection(request: IncomingMessage): Turned | undefined {
    const { socket } = request
    const address = this.#proxies.addressOf(socket.remoteAddress ?? '', request.headers)
    this.#follow(socket, address)
    if (this.#isProbe(request)) return undefined
    const group = this.#addressGroups.groupOf(address)
    if (group !== undefined && !this.#rates.take(group)) {
      this.counters.requestsRejectedByAddress++
      return 'address'
    }
    let counted = this.#all.take(this.#clock.now()) >= 0
    if (!counted && !hasProof(request)) {
      this.counters.requestsRejectedInTotal++
      return 'all'
    }
    const uncount = () => {
      if (counted) this.#all.give()
      counted = false
    }
    expectAuthentication(request, {
      known: () => {
        if (group !== undefined) this.#rates.give(group)
        uncount()
        this.#become(socket, 'known')
      },
      guest: () => {
        uncount()
        if (this.#ofGuests.take(this.#clock.now()) < 0) {
          this.counters.requestsRejectedInTotal++
          return false
        }
        this.#become(socket, 'guest', addressPrefix(address))
        return true
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

  #arrived(socket: Socket): void {
    const { remoteAddress = '' } = socket
    const { counters } = this
    counters.connections++
    socket.once('close', () => {
      counters.connections--
      this.#forget(socket)
    })
    const group = this.#addressGroups.groupOf(remoteAddress)
    if (group !== undefined) {
      const atLimit =
        this.#unauthenticated.of(group) + this.#guests.of(group) >= this.#limits.connectionsPerAddress
      if (atLimit || this.#rates.full(group)) {
        counters[atLimit ? 'rejectedByAddress' : 'rejectedByRate']++
        this.#refused(
          remoteAddress,
          atLimit ? 'too many connections of this address' : 'too many requests of this address',
        )
        socket.resetAndDestroy()
        return
      }
    }
    this.#unauthenticated.add(socket, group ?? addressPrefix(remoteAddress))
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

  #become(socket: Socket, what: 'known' | 'guest', group = ''): void {
    // The connection was closed, or is already authenticated by an earlier request.
    if (!this.#unauthenticated.has(socket) && !this.#guests.has(socket)) return
    this.#unauthenticated.remove(socket)
    if (what === 'known') {
      this.#guests.remove(socket)
      this.#known.add(socket)
    } else {
      this.#guests.add(socket, group)
      if (this.#guests.size > this.#room * GUEST_SHARE) this.#cut(this.#guests, socket)
    }
    this.#count()
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
    const crowding = places.crowding(spared)
    if (!crowding) return false
    places.remove(crowding)
    this.counters.displaced++
    crowding.resetAndDestroy()
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

/** Headers with credentials: of carriers, programs and people. */
const PROOFS = [
  'x-twilio-signature',
  'x-signalwire-signature',
  'telnyx-signature-ed25519',
  'x-plivo-signature-v3',
  'jambonz-signature',
  'authorization',
  'x-api-key',
]

/** True if a request contains credentials, valid or not. */
function hasProof({ headers, url = '' }: IncomingMessage): boolean {
  return PROOFS.some(name => headers[name] !== undefined) || /[?&]token=/.test(url)
}
