import { inputOf } from '../telephony/markup/call-form.ts'
import type { DialInput } from '../telephony/outbound/outbound-call-state.ts'
import { type CallOrder, type CarrierApi, CarrierError } from '../telephony/ports/carrier-api.ts'
import { basicAuthorization } from '../telephony/ports/credentials.ts'
import {
  CarrierRest,
  callParameters,
  type RestFailure,
  type RestFields,
} from '../telephony/rest/carrier-rest.ts'
import type { SignalwireOutbound } from './settings.ts'

const EVENTS = ['initiated', 'ringing', 'answered', 'completed']
const SID = /^[A-Za-z0-9-]{2,64}$/
/** Codes that follow Twilio’s: the call is over, or the account has too many calls. */
const OVER = ['20404', '21220']
const TOO_MANY_CALLS = '10004'

/** `CarrierApi` on the Compatibility API (SignalWire: Create a Call, Update a Call, Retrieve a Call). */
export class SignalwireCallsApi implements CarrierApi {
  readonly #rest: CarrierRest
  readonly #calls: string

  constructor({ space, projectId, apiToken, apiUrl }: SignalwireOutbound) {
    this.#rest = new CarrierRest({
      title: 'SignalWire',
      base: (apiUrl ?? `https://${space}`).replace(/\/+$/, ''),
      authorization: basicAuthorization(projectId, apiToken),
      failure: failureOf,
    })
    this.#calls = `/api/laml/2010-04-01/Accounts/${projectId}/Calls`
  }

  async place(order: CallOrder): Promise<string> {
    const { sid } = await this.#rest.request('POST', `${this.#calls}.json`, callParameters(order, EVENTS))
    if (typeof sid === 'string' && SID.test(sid)) return sid
    throw new CarrierError('unsure', 'SignalWire returned an invalid call resource')
  }

  async hangUp(callId: string): Promise<void> {
    try {
      await this.#rest.request('POST', this.#path(callId), new URLSearchParams({ Status: 'completed' }))
    } catch (failure) {
      if (!(failure instanceof CarrierError) || failure.kind !== 'gone') throw failure
    }
  }

  async status(callId: string): Promise<DialInput | undefined> {
    const { status } = await this.#rest.request('GET', this.#path(callId))
    if (typeof status === 'string') return inputOf(status)
    throw new CarrierError('unsure', 'SignalWire returned an invalid call resource')
  }

  #path(callId: string): string {
    return `${this.#calls}/${encodeURIComponent(callId)}.json`
  }
}

/** Assumed: errors as in Twilio’s API, `{ code, message }`, whose message can contain phone numbers. */
function failureOf(_status: number, { code }: RestFields): RestFailure {
  const carrierCode = typeof code === 'string' || typeof code === 'number' ? String(code) : undefined
  if (carrierCode === undefined) return {}
  return {
    carrierCode,
    busy: carrierCode === TOO_MANY_CALLS,
    kind: OVER.includes(carrierCode) ? 'gone' : undefined,
  }
}
