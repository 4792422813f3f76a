import type { Clock } from '../../common/clock.ts'
import { HOUR_MS, MINUTE_MS } from '../../common/durations.ts'
import { BridgeError } from '../../common/errors.ts'
import type { Dialer, DialOutcome, DialRequest, OutgoingCall } from '../model/dialer.ts'
import type { Observer } from '../model/events.ts'
import type { Fleet } from '../model/fleet.ts'
import type { SharedState } from '../model/shared-state.ts'

/** Decides whether a new call must be rejected, and counts rejections. */
export interface OverloadCheck {
  rejection(): string | undefined
}

/** A dialer that rejects API calls during overload. */
export class OverloadProtectedDialer implements Dialer {
  readonly #dialer: Dialer
  readonly #overloadCheck: OverloadCheck

  /** The caller keeps ownership of the dialer. */
  constructor(dialer: Dialer, overloadCheck: OverloadCheck) {
    this.#dialer = dialer
    this.#overloadCheck = overloadCheck
  }

  dial(request: DialRequest): OutgoingCall {
    const why = this.#overloadCheck.rejection()
    if (why)
      throw new BridgeError('CAPACITY', `no new calls at present: ${why}`, {
        retryable: true,
      })
    return this.#dialer.dial(request)
  }
}

/** A dialer that emits the event `dial` with the outcome of each call. */
export class ObservedDialer implements Dialer {
  readonly #dialer: Dialer
  readonly #observer: Observer

  /** The caller keeps ownership of `dialer`. */
  constructor(dialer: Dialer, observer: Observer) {
    this.#dialer = dialer
    this.#observer = observer
  }

  dial(request: DialRequest): OutgoingCall {
    const call = this.#dialer.dial(request)
    const about = { room: request.invitation.room, call: call.id }
    void call.outcome.then(async outcome => {
      this.#observer.emit('dial', { ...about, outcome: outcome.kind, ...details(outcome) })
      if (outcome.kind !== 'answered') return
      this.#observer.emit('dial', { ...about, outcome: await call.over, ...details(outcome) })
    })
    return call
  }
}

function details(outcome: DialOutcome) {
  if (outcome.kind === 'answered') return { participant: outcome.participant }
  return outcome.kind === 'failed' ? { code: outcome.error.code } : {}
}

/** Rate limits for outbound calls. */
export interface DialRateLimit {
  /** Calls per minute. */
  readonly maxCallsPerMinute: number
  /** Calls per hour to each destination that is not in `known`. */
  readonly maxCallsPerHourPerDestination: number
  /** Configured destinations, which have no hourly limit. */
  readonly known: readonly string[]
}

/** The nodes that share the limits. */
export interface SharedRates extends SharedState {
  readonly fleet: Fleet
}

/**
 * A dialer with rate limits, for stolen keys and for callers who redial in a loop. Over a limit, `dial` throws
 * `CAPACITY` (retry later) or, for a destination called too often, `DIAL_REFUSED`. Calls in progress are not affected. In
 * a fleet, the limits apply to all nodes together, by minute and hour of the wall clock: a call above them fails with
 * these codes. While the fleet is unavailable, each node has its share of the limits.
 */
export class RateLimitedDialer implements Dialer {
  /** Calls rejected by the limits. */
  refused = 0
  readonly #dialer: Dialer
  readonly #dialRateLimit: DialRateLimit
  readonly #clock: Clock
  /** Times of the calls placed in the last minute, oldest first. */
  #placed: number[] = []
  /** … and in the last hour, by destination. */
  readonly #destinations = new Map<string, number[]>()

  readonly #shared: SharedRates | undefined

  /** The caller keeps ownership of `dialer`. */
  constructor(dialer: Dialer, dialRateLimit: DialRateLimit, clock: Clock, shared?: SharedRates) {
    this.#shared = shared
    this.#dialer = dialer
    this.#dialRateLimit = dialRateLimit
    this.#clock = clock
  }

  dial(request: DialRequest): OutgoingCall {
    const now = this.#clock.now()
    const fault = this.#faultOf(request.to, now)
    if (fault) {
      this.refused++
      throw fault
    }
    const call = this.#dialer.dial(
      this.#shared ? { ...request, clearance: () => this.#clear(request) } : request,
    )
    this.#placed.push(now)
    if (!this.#dialRateLimit.known.includes(request.to))
      this.#destinations.set(request.to, [...this.#lately(request.to, now), now])
    return call
  }

  #faultOf(to: string, now: number): BridgeError | undefined {
    const { maxCallsPerMinute, maxCallsPerHourPerDestination, known } = this.#dialRateLimit
    this.#placed = this.#placed.filter(at => now - at < MINUTE_MS)
    for (const each of this.#destinations.keys())
      if (this.#lately(each, now).length === 0) this.#destinations.delete(each)
    if (this.#placed.length >= maxCallsPerMinute) return tooManyCalls(maxCallsPerMinute)
    if (!known.includes(to) && this.#lately(to, now).length >= maxCallsPerHourPerDestination)
      return tooManyToOne(maxCallsPerHourPerDestination)
    return undefined
  }

  /** Takes a call from the quotas of all nodes. Rejects if one is used up. */
  async #clear({ to, clearance }: DialRequest): Promise<void> {
    await clearance?.()
    const { maxCallsPerMinute, maxCallsPerHourPerDestination, known } = this.#dialRateLimit
    if (!(await this.#take('calls', maxCallsPerMinute, MINUTE_MS, this.#placed.length))) {
      this.refused++
      throw tooManyCalls(maxCallsPerMinute)
    }
    if (known.includes(to)) return
    const placed = this.#lately(to, this.#clock.now()).length
    const scope = `calls to ${this.#shared?.fleet.digest(to)}`
    if (await this.#take(scope, maxCallsPerHourPerDestination, HOUR_MS, placed)) return
    this.refused++
    throw tooManyToOne(maxCallsPerHourPerDestination)
  }

  /** Takes one of `limit` in the current period of `ms`. `placed`: those placed here recently, including this one. */
  async #take(scope: string, limit: number, ms: number, placed: number): Promise<boolean> {
    if (!this.#shared) return true
    const { fleet, wall } = this.#shared
    const period = () => String(Math.floor(wall() / ms))
    await using quota = fleet.quota(scope, { limit, chunk: 1, period })
    await quota.ready
    if (quota.take(1)) return true
    return fleet.status === 'away' && placed <= Math.max(1, Math.floor(limit / fleet.nodes.length))
  }

  #lately(to: string, now: number): number[] {
    return (this.#destinations.get(to) ?? []).filter(at => now - at < HOUR_MS)
  }
}

function tooManyCalls(limit: number): BridgeError {
  return new BridgeError('CAPACITY', `limit of ${limit} calls per minute reached`, { retryable: true })
}

function tooManyToOne(limit: number): BridgeError {
  return new BridgeError('DIAL_REFUSED', `limit of ${limit} calls per hour to this destination reached`)
}

/** A carrier, as far as the selection needs it. */
export interface SelectableCarrier {
  readonly name: string
  /** Absent: no outbound calls. */
  readonly limitedDialer: Pick<RateLimitedDialer, 'dial' | 'refused'> | undefined
  /** Its numbers, and the caller ID of its outbound calls. */
  readonly numbers: ReadonlySet<string>
}

export interface CarrierSelectionOptions {
  /** Those with outbound calls are used; the first one is the default. */
  readonly carriers: readonly SelectableCarrier[]
  /** Returns the channels of the participants of a room. */
  readonly channelsOf: (room: string) => Iterable<string>
}

/**
 * Places each call through the carrier that it names. Default: the carrier that owns its caller ID, else the carrier of a
 * participant of the room, else the first one.
 */
export class CarrierSelection implements Dialer {
  readonly #options: CarrierSelectionOptions

  constructor(options: CarrierSelectionOptions) {
    this.#options = options
  }

  /** Returns whether any carrier places calls. */
  get available(): boolean {
    return this.#callable.length > 0
  }

  /** Calls rejected by the rate limits of all carriers. */
  get refused(): number {
    return this.#callable.reduce((sum, { limitedDialer }) => sum + (limitedDialer?.refused ?? 0), 0)
  }

  dial(request: DialRequest): OutgoingCall {
    const carrier = this.#select(request)
    if (carrier?.limitedDialer) return carrier.limitedDialer.dial(request)
    const names = this.#callable.map(({ name }) => name).join(', ')
    throw new BridgeError(
      'DIAL_REFUSED',
      request.carrier === undefined
        ? 'outbound calls are not configured'
        : `carrier ${JSON.stringify(request.carrier)} places no calls; configured: ${names || 'none'}`,
    )
  }

  #select({ carrier, from, invitation }: DialRequest) {
    const callable = this.#callable
    if (carrier !== undefined) return callable.find(({ name }) => name === carrier)
    const owner = from === undefined ? undefined : callable.find(({ numbers }) => numbers.has(from))
    if (owner) return owner
    const channels = new Set(this.#options.channelsOf(invitation.room))
    return callable.find(({ name }) => channels.has(name)) ?? callable[0]
  }

  get #callable() {
    return this.#options.carriers.filter(({ limitedDialer }) => limitedDialer)
  }
}
