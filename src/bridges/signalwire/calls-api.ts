import { basicAuthorization } from '../telephony/ports/credentials.ts'
import { CallResourceApi } from '../telephony/rest/call-resource.ts'
import {
  CarrierRest,
  callParameters,
  type RestFailure,
  type RestFields,
} from '../telephony/rest/carrier-rest.ts'
import type { SignalwireOutbound } from './settings.ts'

const EVENTS = ['initiated', 'ringing', 'answered', 'completed']
/** Codes that follow Twilio’s: the call is over, or the account has too many calls. */
const OVER = ['20404', '21220']
const TOO_MANY_CALLS = '10004'

/** `CarrierApi` on the Compatibility API (SignalWire: Create a Call, Update a Call, Retrieve a Call). */
export class SignalwireCallsApi extends CallResourceApi {
  constructor({ space, projectId, apiToken, apiUrl }: SignalwireOutbound) {
    const calls = `/api/laml/2010-04-01/Accounts/${projectId}/Calls`
    super({
      title: 'SignalWire',
      rest: new CarrierRest({
        title: 'SignalWire',
        base: (apiUrl ?? `https://${space}`).replace(/\/+$/, ''),
        authorization: basicAuthorization(projectId, apiToken),
        failure: failureOf,
      }),
      calls: `${calls}.json`,
      path: callId => `${calls}/${callId}.json`,
      parameters: order => callParameters(order, EVENTS),
      idOf: ({ sid }) => sid,
      id: /^[A-Za-z0-9-]{2,64}$/,
      // SignalWire: Retrieve an Account.
      account: {
        path: `/api/laml/2010-04-01/Accounts/${projectId}.json`,
        state: ({ status }) => (status === 'active' ? {} : { problem: `the project is ${String(status)}` }),
      },
    })
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
