import type { Clock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import type { Dialer, DialOutcome, DialRequest, OutgoingCall } from '../model/dialer.ts'
import type { Observer } from '../model/events.ts'

/** Decides whether a new call must be rejected, and counts rejections. */
export interface AdmissionControl {
  rejection(): string | undefined
}

/** A dialer that rejects API calls during overload. */
export class AdmissionControlledDialer implements Dialer {
  readonly #dialer: Dialer
  readonly #admissionControl: AdmissionControl

  /** The caller keeps ownership of the dialer. */
  constructor(dialer: Dialer, admissionControl: AdmissionControl) {
    this.#dialer = dialer
    this.#admissionControl = admissionControl
  }

  dial(request: DialRequest): OutgoingCall {
    const why = this.#admissionControl.rejection()
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

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * A dialer with rate limits, for stolen keys and for callers who redial in a loop. Over a limit, `dial` throws
 * `CAPACITY` (retry later) or, for a destination called too often, `DIAL_REFUSED`. Calls in progress are not affected.
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

  /** The caller keeps ownership of `dialer`. */
  constructor(dialer: Dialer, dialRateLimit: DialRateLimit, clock: Clock) {
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
    const call = this.#dialer.dial(request)
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
    if (this.#placed.length >= maxCallsPerMinute)
      return new BridgeError('CAPACITY', `limit of ${maxCallsPerMinute} calls per minute reached`, {
        retryable: true,
      })
    if (!known.includes(to) && this.#lately(to, now).length >= maxCallsPerHourPerDestination)
      return new BridgeError(
        'DIAL_REFUSED',
        `limit of ${maxCallsPerHourPerDestination} calls per hour to this destination reached`,
      )
    return undefined
  }

  #lately(to: string, now: number): number[] {
    return (this.#destinations.get(to) ?? []).filter(at => now - at < HOUR_MS)
  }
}
