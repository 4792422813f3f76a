import type { AccountState } from '../carrier.ts'
import { CallResourceApi } from '../rest/call-resource.ts'
import { CarrierRest, callParameters, type RestFailure, type RestFields } from '../rest/carrier-rest.ts'
import type { TelnyxOutbound } from './settings.ts'

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
export class TelnyxCallsApi extends CallResourceApi {
  constructor({ apiKey, accountSid, applicationId, apiUrl }: TelnyxOutbound) {
    const calls = `/v2/texml/Accounts/${accountSid}/Calls`
    super({
      title: 'Telnyx',
      rest: new CarrierRest({
        title: 'Telnyx',
        base: (apiUrl ?? 'https://api.telnyx.com').replace(/\/+$/, ''),
        authorization: `Bearer ${apiKey}`,
        failure: failureOf,
      }),
      calls,
      path: callId => `${calls}/${callId}`,
      parameters(order) {
        const form = callParameters(order, ['initiated ringing answered completed'])
        form.set('ApplicationSid', applicationId)
        form.delete('Method')
        form.set('UrlMethod', 'POST')
        return form
      },
      idOf: fields => fields.call_sid ?? fields.sid,
      id: /^[A-Za-z0-9_:.-]{2,128}$/,
      account: { path: `/v2/texml_applications/${applicationId}`, state: stateOf },
    })
  }
}

/** The application that places calls (Telnyx: Retrieve a TeXML Application). */
function stateOf({ data }: RestFields): AccountState {
  const { active, voice_url: voiceUrl } = (data ?? {}) as RestFields
  if (active === false) return { problem: 'the TeXML application is not active' }
  return typeof voiceUrl === 'string' ? { voiceUrl } : {}
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
