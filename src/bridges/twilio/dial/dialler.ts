import { randomBytes } from 'node:crypto'
import { after, type Clock, systemClock, Ticker } from '../../../core/clock.ts'
import type { DayLedger } from '../../../core/day-ledger.ts'
import type { Dialler, DialRequest, OutgoingCall } from '../../../core/dialler.ts'
import { BridgeError } from '../../../core/errors.ts'
import { type Log, silentLog } from '../../../core/log.ts'
import { systemWallClock, type WallClock } from '../../../core/wall-clock.ts'
import { CallUsage, type UsageLimits } from './call-usage.ts'
import { type CallsApi, TwilioCallsApi } from './calls-api.ts'
import { destinationFault } from './destination.ts'
import { Dial } from './dial.ts'
import { DialCounters } from './dial-counters.ts'
import type { RestSettings } from './rest-settings.ts'

/** Who may be called, and how. */
export interface OutboundSettings extends RestSettings, UsageLimits {
  /** The number shown to those who are called: one of the account's, or verified there. */
  readonly from: string
  /** Prefixes of the numbers that may be called, as `+34` or `+1212`. */
  readonly allow: readonly string[]
  /** Numbers that lead back to this server, which are never called. */
  readonly own?: readonly string[] | undefined
  /** Default 30. */
  readonly ringSeconds?: number | undefined
  /** Calls on their way or going on, at most; default 10. */
  readonly maxConcurrent?: number | undefined
  /** Hangs up on answering machines; default true. */
  readonly machineDetection?: boolean | undefined
}

/** What a dialler works with. Everything stays its owner’s. */
export interface DiallerParts {
  readonly clock?: Clock
  /** Says which day it is. */
  readonly wallClock?: WallClock
  readonly log?: Log
  /** Where what calls cost today outlives the process. Default: nowhere, a restart begins at nothing. */
  readonly ledger?: DayLedger
  /** Default: Twilio's REST API as `settings` say. */
  readonly api?: CallsApi
  readonly random?: () => number
}

/** What the dialler needs of the bridge that it belongs to. */
export interface DialHost {
  /** A path of this bridge as the address Twilio asks: `answer?dial=1`. */
  readonly url: (path: string) => string
  /** Lets go of a call. */
  readonly release: (callSid: string) => void
}

/** A call that is over is remembered this long, as its callbacks may be late (ms). */
const REMEMBER_MS = 600_000
/** How often is looked whether a ceiling is reached (ms). */
const LOOK_MS = 1_000
/** Hanging up may hold up the end of the server this long (ms). */
const CLOSE_MS = 3_000

/** Calls people by Twilio. Given to the bridge, which answers the calls' webhooks and closes it. */
export class TwilioDialler implements Dialler {
  readonly counters = new DialCounters()
  readonly #settings: OutboundSettings
  readonly #clock: Clock
  readonly #log: Log
  readonly #api: CallsApi
  readonly #random: () => number
  readonly #usage: CallUsage
  readonly #dials = new Map<string, Dial>()
  readonly #overSince = new Map<string, number>()
  #host: DialHost | undefined
  /** While calls go on. */
  #look: Ticker | undefined
  #closed = false

  /** Throws `BridgeError` `CONFIG` for credentials that are incomplete. */
  constructor(settings: OutboundSettings, parts: DiallerParts = {}) {
    const { clock = systemClock, log = silentLog, random = Math.random } = parts
    this.#usage = new CallUsage(settings, clock, parts.wallClock ?? systemWallClock, parts.ledger)
    this.#settings = settings
    this.#clock = clock
    this.#log = log
    this.#random = random
    this.#api = parts.api ?? new TwilioCallsApi(settings)
  }

  /** Calls that ring or go on. */
  get active(): number {
    return this.#dials.size - this.#overSince.size
  }

  /** Minutes that calls out have cost today (UTC), those going on included. */
  get minutesToday(): number {
    return this.#usage.minutes
  }

  /** What they have cost, by the prices of the settings. */
  get spentToday(): number {
    return this.#usage.spend
  }

  /** The bridge is there. Called once, by the bridge. */
  attach(to: DialHost): void {
    if (this.#host) throw new BridgeError('STATE', 'a dialler belongs to one bridge')
    this.#host = to
  }

  get(id: string | undefined): Dial | undefined {
    return id === undefined ? undefined : this.#dials.get(id)
  }

  dial(request: DialRequest): OutgoingCall {
    this.#sweep()
    const { maxConcurrent = 10 } = this.#settings
    const to = this.#allowed(request.to)
    if (this.active >= maxConcurrent) {
      this.counters.refused++
      throw new BridgeError('CAPACITY', `${this.active} calls are the most`, { retryable: true })
    }
    const limitSeconds = this.#limit(request)
    const id = randomBytes(16).toString('base64url')
    const dial = new Dial(id, request, this.#order(id, request, limitSeconds), {
      api: this.#api,
      clock: this.#clock,
      log: this.#log,
      random: this.#random,
      release: to.release,
      pickedUp: () => this.#usage.pickedUp(id),
    })
    this.#usage.placed(id, request.to, request.by)
    this.#dials.set(id, dial)
    this.#look ??= new Ticker(this.#clock, LOOK_MS, () => this.#keepWithin())
    this.counters.dialled++
    void dial.outcome.then(outcome => this.counters.count(outcome.kind))
    void dial.over.then(() => {
      this.#overSince.set(id, this.#clock.now())
      this.#usage.over(id)
    })
    this.#log.info({ dial: id, room: request.invitation.room }, 'call dialled')
    return dial
  }

  /** Whether a call of the account goes on, by Twilio's word; false too when it cannot be asked. */
  async lives(callSid: string): Promise<boolean> {
    return this.#api.status(callSid).then(
      status => status === 'in-progress',
      () => false,
    )
  }

  /** Another server goes on with the calls that were answered: here nothing more is done about them. */
  handOver(): void {
    for (const dial of this.#dials.values()) dial.letGo()
  }

  /** Hangs up every call; no more are placed. Waits for Twilio's word, but not for long. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true
    this.#look?.[Symbol.dispose]()
    const { promise: late, resolve } = Promise.withResolvers<void>()
    using _timer = after(this.#clock, CLOSE_MS, resolve)
    await Promise.race([late, Promise.all(Array.from(this.#dials.values(), dial => dial.hangUp()))])
  }

  #allowed(to: string): DialHost {
    const { allow, from, own = [] } = this.#settings
    const bridge = this.#closed ? undefined : this.#host
    const fault = bridge ? destinationFault(to, { allow, own: [from, ...own] }) : 'no bridge to call by'
    if (bridge && fault === undefined) return bridge
    this.counters.refused++
    this.#log.warn({ fault }, 'dialling refused')
    throw new BridgeError('DIAL_REFUSED', `not dialled: ${fault}`)
  }

  /** How long the call may last (s); throws when nothing is left of the day. */
  #limit({ to, by, limitSeconds = Number.POSITIVE_INFINITY }: DialRequest): number | undefined {
    const left = this.#usage.left(to, by)
    if (left >= 1) {
      const seconds = Math.min(limitSeconds, left * 60)
      return Number.isFinite(seconds) ? seconds : undefined
    }
    this.counters.refused++
    this.counters.spent++
    this.#log.warn(
      { minutesToday: this.#usage.minutes },
      'dialling refused: as much was called as may be in a day',
    )
    throw new BridgeError('DIAL_SPENT', 'not dialled: as much was called as may be in a day', {
      retryable: true,
    })
  }

  /** Calls at the same time may use up together what each of them could have had alone. */
  #keepWithin(): void {
    this.#usage.note()
    for (const id of this.#usage.exceeding()) {
      const dial = this.#dials.get(id)
      if (dial?.state.status === 'over') continue
      this.counters.cut++
      this.#log.warn({ dial: id }, 'hung up: more would be more than may be called in a day')
      void dial?.hangUp()
    }
    if (this.active > 0) return
    this.#look?.[Symbol.dispose]()
    this.#look = undefined
  }

  #order(id: string, request: DialRequest, limitSeconds: number | undefined) {
    const { from, ringSeconds = 30, machineDetection = true } = this.#settings
    const address = (path: string) => this.#host?.url(`${path}?dial=${id}`) ?? ''
    return {
      to: request.to,
      from: request.from ?? from,
      answerUrl: address('answer'),
      statusUrl: address('status'),
      ringSeconds: request.ringSeconds ?? ringSeconds,
      ...(machineDetection ? { machineUrl: address('machine') } : {}),
      ...(limitSeconds === undefined ? {} : { limitSeconds }),
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
