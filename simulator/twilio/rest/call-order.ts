import type { Method } from '../phone/twiml.ts'
import type { Account } from './account.ts'
import type { Form } from './form.ts'
import { RestError } from './rest-errors.ts'

const CALL_EVENTS = ['initiated', 'ringing', 'answered', 'completed'] as const
/** Events of a status callback. */
export type CallEvent = (typeof CALL_EVENTS)[number]

const METHODS = ['GET', 'POST'] as const
/** Four hours, the default of an account; the maximum is one day (s). */
const TIME_LIMIT_S = 14_400
const MAX_TIME_LIMIT_S = 86_400
const MAX_TIMEOUT_S = 600

/** Destination of an event. */
export interface Callback {
  readonly url: string
  readonly method: Method
}

/** Instructions of the call: fetched, or supplied. */
export type CallScript = { readonly url: string; readonly method: Method } | { readonly twiml: string }

/** Answering machine detection. */
export interface MachineDetection {
  /** If set, the TwiML does not wait for the verdict, which is sent there. */
  readonly callback: Callback | undefined
}

/** A call to place, as `POST /Calls.json` requests it; everything validated. */
export interface CallOrder {
  readonly to: string
  readonly from: string
  readonly script: CallScript
  readonly status: Callback | undefined
  readonly events: readonly CallEvent[]
  readonly timeoutSeconds: number
  readonly timeLimitSeconds: number
  readonly detection: MachineDetection | undefined
}

/** Reads an order. Throws the `RestError` of the first mistake. */
export function readOrder(form: Form, account: Account, own: (number: string) => boolean): CallOrder {
  const to = account.checkCalled(form.given('To'))
  const from = account.checkCaller(form.given('From'), own)
  const script = readScript(form)
  if (!script) throw new RestError(21205)
  return {
    to,
    from,
    script,
    status: readCallback(form, 'StatusCallback'),
    events: readEvents(form),
    timeoutSeconds: form.whole('Timeout', 1, MAX_TIMEOUT_S, 21208) ?? 60,
    timeLimitSeconds: form.whole('TimeLimit', 1, MAX_TIME_LIMIT_S, 20001) ?? TIME_LIMIT_S,
    detection: readDetection(form),
  }
}

/** Reads `Url`, or else `Twiml`, which is ignored next to `Url`; undefined without either. */
export function readScript(form: Form): CallScript | undefined {
  const url = form.url('Url', 21205)
  if (url !== undefined) return { url, method: form.choice('Method', METHODS, 21209) ?? 'POST' }
  const twiml = form.given('Twiml')
  return twiml === undefined ? undefined : { twiml }
}

function readCallback(form: Form, name: string): Callback | undefined {
  const url = form.url(name, 21609)
  return url === undefined
    ? undefined
    : { url, method: form.choice(`${name}Method`, METHODS, 21209) ?? 'POST' }
}

function readEvents(form: Form): readonly CallEvent[] {
  const asked = form.all('StatusCallbackEvent').flatMap(each => each.split(' '))
  const events = asked.map(each => CALL_EVENTS.find(event => event === each))
  const known = events.filter(event => event !== undefined)
  if (known.length < events.length) throw new RestError(21626, asked.join(', '))
  return known.length > 0 ? known : ['completed']
}

function readDetection(form: Form): MachineDetection | undefined {
  if (!form.choice('MachineDetection', ['Enable'] as const, 21207)) return undefined
  if (form.choice('AsyncAmd', ['true', 'false'] as const, 20001) !== 'true') return { callback: undefined }
  const callback = readCallback(form, 'AsyncAmdStatusCallback')
  if (!callback) throw new RestError(21262)
  return { callback }
}

/** State of a call as in the API (Twilio: Call resource, `status`). */
export type CallStatus = 'queued' | 'ringing' | 'in-progress' | FinalStatus

/** Status of an ended call. */
export type FinalStatus = 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled'

const ORDER: Readonly<Record<string, number>> = { queued: 0, ringing: 1, 'in-progress': 2 }

export function isFinal(status: CallStatus): status is FinalStatus {
  return !(status in ORDER)
}

/**
 * queued ──▶ ringing ──▶ in-progress ──▶ completed
 *      └──────────┴──▶ busy, no-answer, failed, canceled
 *
 * Returns the status after `wanted` was requested: a call never goes back, and a call that is over stays over.
 */
export function after(status: CallStatus, wanted: CallStatus): CallStatus {
  if (isFinal(status)) return status
  if (isFinal(wanted)) return wanted
  return (ORDER[wanted] ?? 0) > (ORDER[status] ?? 0) ? wanted : status
}
