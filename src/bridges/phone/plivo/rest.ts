import { type AccountState, type CallOrder, type CarrierApi, CarrierError } from '../carrier.ts'
import { basicAuthorization } from '../credentials.ts'
import type { DialInput } from '../outbound/outbound-call-state.ts'
import { CarrierRest, type RestFailure, type RestFields } from '../rest/carrier-rest.ts'
import { inputOf } from './dialect.ts'
import type { PlivoOutbound } from './settings.ts'

const UUID = /^[A-Za-z0-9-]{2,64}$/
/** Maximum duration of machine detection (ms): a person is assumed after 4 s without a result. */
const DETECTION_MS = 4_000

/** Access to the account’s REST API. */
export type PlivoRestSettings = Pick<PlivoOutbound, 'authId' | 'apiUrl'> & { readonly authToken: string }

/** `CarrierApi` on the Voice API (Plivo: Make a call, Hang up a call, Retrieve a call, Retrieve a live call, Retrieve account details). */
export class PlivoCallsApi implements CarrierApi {
  readonly #rest: CarrierRest

  constructor({ authId, authToken, apiUrl }: PlivoRestSettings) {
    this.#rest = new CarrierRest({
      title: 'Plivo',
      base: `${(apiUrl ?? 'https://api.plivo.com').replace(/\/+$/, '')}/v1/Account/${authId}/`,
      authorization: basicAuthorization(authId, authToken),
      failure: failureOf,
    })
  }

  /** Assumed: the ID of the request is that of its call, if it has only one destination. */
  async place(order: CallOrder): Promise<string> {
    const { request_uuid: uuid } = await this.#rest.request('POST', 'Call/', parametersOf(order))
    if (typeof uuid === 'string' && UUID.test(uuid)) return uuid
    throw new CarrierError('unsure', 'Plivo returned an invalid response to a new call')
  }

  async hangUp(callId: string): Promise<void> {
    try {
      await this.#rest.request('DELETE', `Call/${encodeURIComponent(callId)}/`)
    } catch (failure) {
      if (!isGone(failure)) throw failure
    }
  }

  async status(callId: string): Promise<DialInput | undefined> {
    const path = `Call/${encodeURIComponent(callId)}/`
    try {
      const { call_status: status } = await this.#rest.request('GET', `${path}?status=live`)
      if (typeof status === 'string') return inputOf(status)
    } catch (failure) {
      if (!isGone(failure)) throw failure
      return inputOfRecord(await this.#rest.request('GET', path))
    }
    throw new CarrierError('unsure', 'Plivo returned an invalid call')
  }

  async account(): Promise<AccountState> {
    const { account_type: type } = await this.#rest.request('GET', '')
    return type === 'developer' ? { problem: 'a trial account only calls verified numbers' } : {}
  }
}

function isGone(failure: unknown): boolean {
  return failure instanceof CarrierError && failure.kind === 'gone'
}

function parametersOf({
  to,
  from,
  answerUrl,
  statusUrl,
  machineUrl,
  ringSeconds,
  limitSeconds,
}: CallOrder): object {
  return {
    from: digitsOf(from),
    to: digitsOf(to),
    ...{ answer_url: answerUrl, answer_method: 'POST' },
    ...{ ring_url: statusUrl, ring_method: 'POST' },
    ...{ hangup_url: statusUrl, hangup_method: 'POST' },
    ring_timeout: ringSeconds,
    time_limit: limitSeconds === undefined ? undefined : Math.ceil(limitSeconds),
    ...(machineUrl && {
      machine_detection: 'true',
      machine_detection_time: DETECTION_MS,
      machine_detection_url: machineUrl,
      machine_detection_method: 'POST',
    }),
  }
}

/** Plivo’s numbers have no plus. */
function digitsOf(number: string): string {
  return number.replace(/^\+/, '')
}

const BUSY = [3010, 3020]
const NO_ANSWER = 3000
const CANCELED = 1000

/** The result of a call that is over, from its record (Plivo: Hangup causes). */
function inputOfRecord({ answer_time: answered, hangup_cause_code: code }: RestFields): DialInput {
  if (typeof answered === 'string' && answered !== '') return { type: 'final', status: 'completed' }
  const cause = Number(code)
  if (cause === NO_ANSWER) return { type: 'final', status: 'no-answer' }
  if (cause === CANCELED) return { type: 'final', status: 'canceled' }
  return { type: 'final', status: BUSY.includes(cause) ? 'busy' : 'failed' }
}

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'a parameter is missing or invalid',
  401: 'the auth ID or the auth token is wrong',
  403: 'the account has no permission to call this country',
  404: 'the call is over, or does not exist',
  429: 'too many requests',
}

/** Without the text of the response, which can contain phone numbers. */
function failureOf(status: number): RestFailure {
  return { meaning: MEANINGS[status] }
}
