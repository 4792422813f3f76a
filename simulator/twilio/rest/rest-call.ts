import { type Clock, setTimer } from '../../../src/common/clock.ts'
import type { WallClock } from '../../../src/common/wall-clock.ts'
import type { SimulatedCall } from '../phone/call.ts'
import {
  type Callback,
  type CallEvent,
  type CallStatus,
  isFinal,
  after as statusAfter,
} from './call-order.ts'
import type { Callbacks } from './callbacks.ts'
import { apiDate } from './form.ts'
import { RestError } from './rest-errors.ts'

/** State of a call; times are milliseconds since 1970. */
export interface CallFacts {
  readonly sid: string
  readonly accountSid: string
  readonly to: string
  readonly from: string
  readonly direction: 'inbound' | 'outbound-api'
  readonly phoneNumberSid: string | undefined
  readonly status: CallStatus
  readonly createdAt: number
  readonly updatedAt: number
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly answeredBy: string | undefined
}

/** The call as returned by the API, with every field of the resource. */
function callJson(call: CallFacts): Record<string, unknown> {
  const path = `/2010-04-01/Accounts/${call.accountSid}/Calls/${call.sid}`
  const date = (ms: number | undefined) => (ms === undefined ? null : apiDate(ms))
  return {
    sid: call.sid,
    date_created: apiDate(call.createdAt),
    date_updated: apiDate(call.updatedAt),
    parent_call_sid: null,
    account_sid: call.accountSid,
    to: call.to,
    to_formatted: call.to,
    from: call.from,
    from_formatted: call.from,
    phone_number_sid: call.phoneNumberSid ?? null,
    status: call.status,
    start_time: date(call.startedAt),
    end_time: date(call.endedAt),
    duration: durationOf(call),
    price: null,
    price_unit: 'USD',
    direction: call.direction,
    answered_by: call.answeredBy ?? null,
    annotation: null,
    api_version: '2010-04-01',
    forwarded_from: null,
    group_sid: null,
    caller_name: null,
    queue_time: '0',
    trunk_sid: null,
    uri: `${path}.json`,
  }
}

/** Duration of the conversation in whole seconds, in the API's format; null until the call is over. */
function durationOf({ startedAt, endedAt }: Pick<CallFacts, 'startedAt' | 'endedAt'>): string | null {
  if (endedAt === undefined) return null
  return String(startedAt === undefined ? 0 : Math.round((endedAt - startedAt) / 1000))
}

/** Caller and called number. */
export interface CallParties {
  readonly accountSid: string
  readonly to: string
  readonly from: string
  readonly direction: CallFacts['direction']
  readonly phoneNumberSid: string | undefined
}

/** Receives the progress of the call. */
export interface CallListener {
  readonly status: Callback | undefined
  readonly events: readonly CallEvent[]
}

export interface RestCallOptions {
  readonly sid: string
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly callbacks: Callbacks
}

/** The event of a status, and the status that is sent with it (Twilio: Call resource, StatusCallbackEvent). */
const EVENT: Readonly<Record<CallStatus, CallEvent>> = {
  queued: 'initiated',
  ringing: 'ringing',
  'in-progress': 'answered',
  completed: 'completed',
  busy: 'completed',
  'no-answer': 'completed',
  failed: 'completed',
  canceled: 'completed',
}

/** A call as the REST API sees it, in either direction, with the phone that carries it if there is one. */
export class RestCall {
  readonly sid: string
  readonly parties: CallParties
  /** Settles with the last status. */
  readonly ended: Promise<CallStatus>
  /** The phone in the call: from the answer on; for a call to the account, from the start. */
  phone: SimulatedCall | undefined
  readonly #options: RestCallOptions
  readonly #listener: CallListener
  readonly #createdAt: number
  readonly #settleEnded: (status: CallStatus) => void
  #status: CallStatus
  #updatedAt: number
  #startedAt: number | undefined
  #endedAt: number | undefined
  #answeredBy: string | undefined
  #told = 0
  #limit: Disposable | undefined
  readonly #timers = new Set<Disposable>()

  constructor(parties: CallParties, listener: CallListener, options: RestCallOptions) {
    this.sid = options.sid
    this.parties = parties
    this.#listener = listener
    this.#options = options
    this.#status = parties.direction === 'inbound' ? 'ringing' : 'queued'
    this.#createdAt = options.wallClock()
    this.#updatedAt = this.#createdAt
    const { promise, resolve } = Promise.withResolvers<CallStatus>()
    this.ended = promise
    this.#settleEnded = resolve
  }

  get status(): CallStatus {
    return this.#status
  }

  get over(): boolean {
    return isFinal(this.#status)
  }

  get answeredBy(): string | undefined {
    return this.#answeredBy
  }

  get facts(): CallFacts {
    return {
      sid: this.sid,
      ...this.parties,
      status: this.#status,
      createdAt: this.#createdAt,
      updatedAt: this.#updatedAt,
      startedAt: this.#startedAt,
      endedAt: this.#endedAt,
      answeredBy: this.#answeredBy,
    }
  }

  get json(): Record<string, unknown> {
    return callJson(this.facts)
  }

  /** The call is being dialed: sends the event `initiated`, which is not a status. */
  initiate(): void {
    if (this.#status === 'queued') this.#tell('initiated', 'initiated')
  }

  /** Moves on to `status` and reports it; no effect if the call is past that. `sipCode`: why it ended. */
  move(status: CallStatus, sipCode?: number): boolean {
    const next = statusAfter(this.#status, status)
    if (next === this.#status) return false
    this.#status = next
    this.#updatedAt = this.#options.wallClock()
    if (next === 'in-progress') this.#startedAt = this.#updatedAt
    if (isFinal(next)) this.#endedAt = this.#updatedAt
    this.#tell(EVENT[next], next, sipCode)
    if (isFinal(next)) this.#over(next)
    return true
  }

  /** Records who answered, as machine detection found. */
  detected(answeredBy: string): void {
    this.#answeredBy = answeredBy
    this.#updatedAt = this.#options.wallClock()
  }

  /** Ends the call after this time in any case (s). */
  limit(seconds: number): void {
    this.#limit?.[Symbol.dispose]()
    this.#limit = this.later(seconds * 1000, () => this.hangUp('time limit'))
  }

  /** Runs `task` `ms` from now unless the call is over by then. */
  later(ms: number, task: () => void): Disposable {
    const timer = setTimer(this.#options.clock, ms, () => {
      this.#timers.delete(timer)
      if (!this.over) task()
    })
    this.#timers.add(timer)
    return timer
  }

  /** Ends the call: an unanswered one is `canceled`. No effect if it is over. */
  hangUp(reason = 'ended by the API'): void {
    void this.phone?.end(reason)
    this.move(this.#status === 'in-progress' ? 'completed' : 'canceled')
  }

  /** Throws `RestError` 21220 unless the call is answered. */
  live(): SimulatedCall {
    if (!this.phone || this.#status !== 'in-progress') throw new RestError(21220)
    return this.phone
  }

  /** The fields of every request about the call (Twilio: "Twilio's request to your application"). */
  fields(status: string): Record<string, string> {
    const { accountSid, to, from, direction } = this.parties
    return {
      AccountSid: accountSid,
      ApiVersion: '2010-04-01',
      CallSid: this.sid,
      CallStatus: status,
      Called: to,
      Caller: from,
      Direction: direction,
      From: from,
      To: to,
      ...(this.#answeredBy !== undefined && { AnsweredBy: this.#answeredBy }),
    }
  }

  #tell(event: CallEvent, status: string, sipCode?: number): void {
    const { status: to, events } = this.#listener
    if (!to || !events.includes(event)) return
    const seconds = durationOf(this.facts)
    const fields = {
      ...this.fields(status),
      CallbackSource: 'call-progress-events',
      SequenceNumber: String(this.#told++),
      Timestamp: apiDate(this.#updatedAt),
      ...(seconds !== null && {
        CallDuration: seconds,
        Duration: String(Math.ceil(Number(seconds) / 60)),
      }),
      ...(sipCode !== undefined && { SipResponseCode: String(sipCode) }),
    }
    this.#options.callbacks.tell({ to, fields }, event === 'completed')
  }

  #over(status: CallStatus): void {
    for (const timer of this.#timers) timer[Symbol.dispose]()
    this.#timers.clear()
    this.#settleEnded(status)
  }
}
