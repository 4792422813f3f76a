import { basicAuthorization } from '../credentials.ts'
import { CallResourceApi } from '../rest/call-resource.ts'
import { CarrierRest, callParameters, type RestFailure, type RestFields } from '../rest/carrier-rest.ts'
import { type NumbersApi, voiceSettingsOf } from '../rest/numbers.ts'
import type { SignalwireOutbound } from './settings.ts'

const EVENTS = ['initiated', 'ringing', 'answered', 'completed']
/** Codes that follow Twilio’s: the call is over, or the account has too many calls. */
const OVER = ['20404', '21220']
const TOO_MANY_CALLS = '10004'

/** `CarrierApi` on the Compatibility API (SignalWire: Create a Call, Update a Call, Retrieve a Call). */
export class SignalwireCallsApi extends CallResourceApi {
  constructor(access: SignalwireAccess) {
    const { projectId } = access
    const calls = `${accountPath(projectId)}/Calls`
    super({
      title: 'SignalWire',
      rest: restOf(access),
      calls: `${calls}.json`,
      path: callId => `${calls}/${callId}.json`,
      parameters: order => callParameters(order, EVENTS),
      idOf: ({ sid }) => sid,
      id: /^[A-Za-z0-9-]{2,64}$/,
      // SignalWire: Retrieve an Account.
      account: {
        path: `${accountPath(projectId)}.json`,
        state: ({ status }) => (status === 'active' ? {} : { problem: `the project is ${String(status)}` }),
      },
    })
  }
}

/** The numbers of a project (SignalWire: Incoming Phone Numbers). The API token needs the scope Numbers. */
export function signalwireNumbers(access: SignalwireAccess): NumbersApi {
  const rest = restOf(access)
  const numbers = `${accountPath(access.projectId)}/IncomingPhoneNumbers`
  return {
    carrier: 'signalwire',
    async find(phoneNumber) {
      const query = new URLSearchParams({ PhoneNumber: phoneNumber })
      const { incoming_phone_numbers: found } = await rest.request('GET', `${numbers}.json?${query}`)
      const listed: readonly RestFields[] = Array.isArray(found) ? found : []
      const number = listed.find(each => each?.phone_number === phoneNumber)
      if (typeof number?.sid !== 'string') return undefined
      return { sid: number.sid, settings: voiceSettingsOf(camelCased(number)) }
    },
    async update(sid, settings) {
      const form = new URLSearchParams()
      for (const [name, value] of Object.entries(settings)) form.set(capitalized(name), value)
      await rest.request('POST', `${numbers}/${encodeURIComponent(sid)}.json`, form)
    },
  }
}

/** `voice_url` as `voiceUrl`. Fields that are not texts count as unset. */
function camelCased(fields: RestFields): Parameters<typeof voiceSettingsOf>[0] {
  const texts = Object.entries(fields).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    typeof value === 'string' ? value : null,
  ])
  return Object.fromEntries(texts)
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

type SignalwireAccess = Pick<SignalwireOutbound, 'space' | 'projectId' | 'apiToken' | 'apiUrl'>

function accountPath(projectId: string): string {
  return `/api/laml/2010-04-01/Accounts/${projectId}`
}

function restOf({ space, projectId, apiToken, apiUrl }: SignalwireAccess): CarrierRest {
  return new CarrierRest({
    title: 'SignalWire',
    base: (apiUrl ?? `https://${space}`).replace(/\/+$/, ''),
    authorization: basicAuthorization(projectId, apiToken),
    failure: failureOf,
  })
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
