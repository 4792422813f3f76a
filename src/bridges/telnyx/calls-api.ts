import { inputOf } from '../telephony/markup/call-form.ts'
import type { DialInput } from '../telephony/outbound/outbound-call-state.ts'
import { type CallOrder, type CarrierApi, CarrierError } from '../telephony/ports/carrier-api.ts'
import {
  CarrierRest,
  callParameters,
  type RestFailure,
  type RestFields,
} from '../telephony/rest/carrier-rest.ts'
import type { TelnyxOutbound } from './settings.ts'

const SID = /^[A-Za-z0-9_:.-]{2,128}$/
/** The call is over (Telnyx: API error 90018). */
const OVER = '90018'
/** Errors that operators meet, with plain explanations (Telnyx: API error codes). */
const MEANINGS: Readonly<Record<string, string>> = {
  10009: 'the API key is wrong',
  10010: 'the API key is not permitted to place calls',
  10019: 'the caller number is not valid',
  90018: 'the call is over',
}

/** `CarrierApi` on the TeXML API (Telnyx: Initiate an outbound call, Update call, Fetch a call). */
export class TelnyxCallsApi implements CarrierApi {
  readonly #rest: CarrierRest
  readonly #calls: string
  readonly #application: string

  constructor({ apiKey, accountSid, applicationId, apiUrl }: TelnyxOutbound) {
    this.#rest = new CarrierRest({
      title: 'Telnyx',
      base: (apiUrl ?? 'https://api.telnyx.com').replace(/\/+$/, ''),
      authorization: `Bearer ${apiKey}`,
      failure: failureOf,
    })
    this.#calls = `/v2/texml/Accounts/${accountSid}/Calls`
    this.#application = applicationId
  }

  async place(order: CallOrder): Promise<string> {
    const form = callParameters(order, ['initiated ringing answered completed'])
    form.set('ApplicationSid', this.#application)
    form.delete('Method')
    form.set('UrlMethod', 'POST')
    const fields = await this.#rest.request('POST', this.#calls, form)
    const sid = fields.call_sid ?? fields.sid
    if (typeof sid === 'string' && SID.test(sid)) return sid
    throw new CarrierError('unsure', 'Telnyx returned an invalid call resource')
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
    throw new CarrierError('unsure', 'Telnyx returned an invalid call resource')
  }

  #path(callId: string): string {
    return `${this.#calls}/${encodeURIComponent(callId)}`
  }
}

/** `{ errors: [{ code, title, detail }] }`, whose details can contain phone numbers. */
function failureOf(_status: number, { errors }: RestFields): RestFailure {
  const [first] = Array.isArray(errors) ? (errors as readonly unknown[]) : []
  const { code } = (typeof first === 'object' && first !== null ? first : {}) as Record<string, unknown>
  const carrierCode = typeof code === 'string' || typeof code === 'number' ? String(code) : undefined
  if (carrierCode === undefined) return {}
  return {
    carrierCode,
    meaning: MEANINGS[carrierCode],
    kind: carrierCode === OVER ? 'gone' : undefined,
  }
}
