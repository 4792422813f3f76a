import { randomBytes } from 'node:crypto'
import { type Clock, systemClock, Ticker, withTimeout } from '../../../common/clock.ts'
import { BridgeError } from '../../../common/errors.ts'
import { LateLog, type Logger } from '../../../common/log.ts'
import { systemWallClock, type WallClock } from '../../../common/wall-clock.ts'
import { FleetSlots, type TakenSlot } from '../../../core/calls/fleet-slots.ts'
import type { Dialer, DialOutcome, DialRequest, OutgoingCall } from '../../../core/model/dialer.ts'
import type { Fleet } from '../../../core/model/fleet.ts'
import type { Invitation } from '../../../core/model/invitation.ts'
import type { CarrierApi } from '../carrier.ts'
import type { DayLedger } from '../day-usage.ts'
import { FleetUsage } from '../fleet-usage.ts'
import { destinationFault } from './destination.ts'
import { OutboundCall } from './outbound-call.ts'
import { OUTBOUND_DEFAULTS, type OutboundSettings } from './settings.ts'
import { CallUsage } from './usage-limits.ts'

/** Outcomes of outbound calls: plain numbers, safe to read at any time. */
export class DialCounters {
  dialed = 0
  /** Rejected: destination not allowed, too many calls, or daily ceiling reached. */
  refused = 0
  /** Of these, rejected because of a daily ceiling: minutes or money. */
  spent = 0
  /** Ended during the call because of a daily ceiling. */
  cut = 0
  answered = 0
  busy = 0
  noAnswer = 0
  voicemail = 0
  canceled = 0
  failed = 0

  count(outcome: DialOutcome['kind']): void {
    this[outcome === 'no-answer' ? 'noAnswer' : outcome]++
  }
}

/** Rules for outbound calls. Rates are limited by others, for example by a `RateLimitedDialer`. */
export interface DialerSettings extends Omit<OutboundSettings, 'maxCallsPerHourPerDestination'> {
  /** Numbers that route to this server and are never called. */
  readonly own?: readonly string[] | undefined
}

/** Dependencies of the dialer. The caller keeps ownership. */
export interface DialerOptions {
  readonly api: CarrierApi
  readonly clock?: Clock
  /** Supplies the current day. */
  readonly wallClock?: WallClock
  /** Default: the log of the bridge. */
  readonly log?: Logger
  /** Persists today’s cost across restarts. Default: none, a restart starts at zero. */
  readonly ledger?: DayLedger
  /** The limits apply to all its nodes together. Default: to this process. */
  readonly fleet?: Fleet | undefined
  readonly random?: () => number
}

/** The bridge, as the dialer needs it. */
export interface DialHost {
  /** Returns the public address of a path such as `answer` for the call `id`, whose participant joins with `invitation`. */
  readonly url: (path: string, id: string, invitation: Invitation) => string
  /** Releases a call. */
  readonly release: (callId: string) => void
}

/** Ended calls are kept this long for late callbacks (ms). */
const REMEMBER_MS = 600_000
/** Interval between checks of the ceilings (ms). */
const LOOK_MS = 1_000
/** Maximum time that hanging up delays the shutdown (ms). */
const CLOSE_MS = 3_000

/** Places calls through a carrier. Passed to the bridge, which handles the calls’ webhooks and closes the dialer. */
export class CarrierDialer implements Dialer {
  readonly counters = new DialCounters()
  readonly #settings: DialerSettings
  readonly #clock: Clock
  readonly #log = new LateLog()
  readonly #api: CarrierApi
  readonly #random: () => number
  readonly #usage: CallUsage
  /** Absent: this process is alone. */
  readonly #shared: { readonly usage: FleetUsage; readonly slots: FleetSlots } | undefined
  readonly #dials = new Map<string, OutboundCall>()
  readonly #overSince = new Map<string, number>()
  #host: DialHost | undefined
  /** Set while calls are in progress. */
  #look: Ticker | undefined
  #closed = false

  constructor(settings: DialerSettings, options: DialerOptions) {
    const { clock = systemClock, wallClock = systemWallClock, log, random = Math.random } = options
    const { maxConcurrent = OUTBOUND_DEFAULTS.maxConcurrent } = settings
    const fleet = options.fleet?.status === 'alone' ? undefined : options.fleet
    this.#shared = fleet && {
      usage: new FleetUsage(fleet, wallClock),
      slots: new FleetSlots(fleet, `calls from ${fleet.digest(settings.from)}`, maxConcurrent),
    }
    this.#usage = new CallUsage(settings, clock, wallClock, options.ledger, this.#shared?.usage)
    this.#settings = settings
    this.#clock = clock
    if (log) this.#log.use(log)
    this.#random = random
    this.#api = options.api
  }

  /** Number of calls ringing or in progress. */
  get active(): number {
    return this.#dials.size - this.#overSince.size
  }

  /** Minutes used by outbound calls today (UTC), including calls in progress. */
  get minutesToday(): number {
    return this.#usage.minutes
  }

  /** Money spent today, at the configured prices. */
  get spentToday(): number {
    return this.#usage.spend
  }

  useLog(log: Logger): void {
    this.#log.use(log)
  }

  /** Called once by the bridge when it is ready. */
  attach(to: DialHost): void {
    if (this.#host) throw new BridgeError('STATE', 'the dialer is already attached to a bridge')
    this.#host = to
  }

  get(id: string | undefined): OutboundCall | undefined {
    return id === undefined ? undefined : this.#dials.get(id)
  }

  dial(request: DialRequest): OutgoingCall {
    this.#sweep()
    const { maxConcurrent = OUTBOUND_DEFAULTS.maxConcurrent } = this.#settings
    const to = this.#allowed(request.to)
    if (this.active >= maxConcurrent) {
      this.counters.refused++
      throw new BridgeError(
        'CAPACITY',
        `limit of ${maxConcurrent} concurrent calls reached (maxConcurrent)`,
        { retryable: true },
      )
    }
    const limitSeconds = this.#limit(request)
    const id = randomBytes(16).toString('base64url')
    const clearing = this.#clearing(id, request, limitSeconds)
    const dial = new OutboundCall(id, request, this.#order(id, request, limitSeconds), {
      api: this.#api,
      clock: this.#clock,
      log: this.#log,
      random: this.#random,
      release: to.release,
      clear: clearing?.clear,
      pickedUp: () => this.#usage.pickedUp(id),
    })
    this.#usage.placed(id, request.to, request.by)
    this.#dials.set(id, dial)
    dial.start()
    this.#look ??= new Ticker(this.#clock, LOOK_MS, () => this.#keepWithin())
    this.counters.dialed++
    void dial.outcome.then(outcome => this.counters.count(outcome.kind))
    void dial.over.then(() => {
      this.#overSince.set(id, this.#clock.now())
      this.#usage.over(id)
      clearing?.release()
    })
    this.#log.info({ dial: id, room: request.invitation.room }, 'call placed')
    return dial
  }

  /** Returns whether a call of the account is in progress according to the carrier; false if it does not respond. */
  async continues(callId: string): Promise<boolean> {
    return this.#api.status(callId).then(
      status => status?.type === 'picked-up',
      () => false,
    )
  }

  /** Leaves answered calls to another server: all, or those in `rooms`. */
  handOver(rooms?: ReadonlySet<string>): void {
    for (const dial of this.#dials.values())
      if (rooms === undefined || rooms.has(dial.invitation.room)) dial.handOver()
  }

  /** Hangs up every call and places no more. Waits briefly for the carrier’s confirmation. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true
    this.#look?.[Symbol.dispose]()
    const over = Promise.all(Array.from(this.#dials.values(), dial => dial.hangUp()))
    await withTimeout(this.#clock, CLOSE_MS, over)
    await this.#shared?.usage[Symbol.asyncDispose]()
  }

  #allowed(to: string): DialHost {
    const { allowedPrefixes, from, own = [] } = this.#settings
    const bridge = this.#closed ? undefined : this.#host
    const fault = bridge
      ? destinationFault(to, { allowedPrefixes, own: [from, ...own] })
      : 'no bridge is attached'
    if (bridge && fault === undefined) return bridge
    this.counters.refused++
    this.#log.warn({ fault }, 'outbound call rejected')
    throw new BridgeError('DIAL_REFUSED', `not dialed: ${fault}`)
  }

  /** Returns the maximum duration of the call (s); throws if nothing remains today. */
  #limit({ to, by, limitSeconds = Number.POSITIVE_INFINITY }: DialRequest): number | undefined {
    const left = this.#usage.left(to, by)
    if (left >= 1) {
      const seconds = Math.min(limitSeconds, left * 60)
      return Number.isFinite(seconds) ? seconds : undefined
    }
    this.counters.refused++
    this.counters.spent++
    this.#log.warn({ minutesToday: this.#usage.minutes }, 'outbound call rejected: daily quota reached')
    throw new BridgeError('DIAL_QUOTA_EXCEEDED', 'not dialed: daily quota reached', {
      retryable: true,
    })
  }

  /** Returns how a call obtains a slot and its first minute from the fleet; undefined if there is nothing to obtain. */
  #clearing(id: string, request: DialRequest, limitSeconds: number | undefined) {
    const { clearance } = request
    const shared = this.#shared
    if (!clearance && !shared) return undefined
    let slot: TakenSlot | undefined
    let released = false
    const clear = async (): Promise<number | undefined> => {
      await clearance?.()
      if (!shared) return limitSeconds
      slot = await shared.slots.take()
      if (!slot) throw this.#overLimit(false)
      if (released) slot.release()
      const minutes = released ? 0 : await this.#usage.lease(id, request.to, request.by)
      // It was canceled meanwhile.
      if (released) shared.usage.close(id, 0)
      else if (minutes < 1) throw this.#overLimit(true)
      return Number.isFinite(minutes) ? Math.min(limitSeconds ?? minutes * 60, minutes * 60) : limitSeconds
    }
    const release = () => {
      released = true
      slot?.release()
    }
    return { clear, release }
  }

  /** Counts a call that the fleet refuses, and returns its error. `spent`: because of a daily limit. */
  #overLimit(spent: boolean): BridgeError {
    this.counters.refused++
    if (spent) this.counters.spent++
    this.#log.warn({ spent }, 'outbound call rejected: limit of all servers reached')
    return spent
      ? new BridgeError('DIAL_QUOTA_EXCEEDED', 'not dialed: daily quota reached', { retryable: true })
      : new BridgeError('CAPACITY', 'limit of concurrent calls reached (maxConcurrent)', { retryable: true })
  }

  /** Concurrent calls can together exceed a ceiling that each alone would not. */
  #keepWithin(): void {
    this.#usage.note()
    for (const id of this.#usage.exceeding()) {
      const dial = this.#dials.get(id)
      if (dial?.state.status === 'over') continue
      this.counters.cut++
      this.#log.warn({ dial: id }, 'call ended: daily quota reached')
      void dial?.hangUp()
    }
    if (this.active > 0) return
    this.#look?.[Symbol.dispose]()
    this.#look = undefined
  }

  #order(id: string, request: DialRequest, limitSeconds: number | undefined) {
    const {
      from,
      ringSeconds = OUTBOUND_DEFAULTS.ringSeconds,
      machineDetection = OUTBOUND_DEFAULTS.machineDetection,
    } = this.#settings
    const address = (path: string) => this.#host?.url(path, id, request.invitation) ?? ''
    return {
      to: request.to,
      from: request.from ?? from,
      answerUrl: address('answer'),
      statusUrl: address('status'),
      ringSeconds: request.ringSeconds ?? ringSeconds,
      ...(machineDetection ? { machineUrl: address('machine') } : {}),
      limitSeconds,
    }
  }

  #sweep(): void {
    const now = this.#clock.now()
    for (const [id, since] of this.#overSince) {
      if (!this.#dials.get(id)?.final && now - since < REMEMBER_MS) continue
      this.#overSince.delete(id)
      this.#dials.delete(id)
    }
  }
}
