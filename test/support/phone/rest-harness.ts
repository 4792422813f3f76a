import { CarrierDialer, type DialerSettings } from '../../../src/bridges/phone/index.ts'
import { TwilioCallsApi } from '../../../src/bridges/phone/twilio/index.ts'
import { LogLines } from '../log-lines.ts'
import { ACCOUNT, RestStandIn } from './rest-simulator.ts'
import { fieldsOf, Harness, PUBLIC_URL, tokenIn, until } from './twilio-bridge-harness.ts'

export const TO = '+15005550006'
export const FROM = '+15005550001'

/** The bridge with a dialer, Twilio’s client, and an API on loopback. */
export async function open(more: Partial<DialerSettings> = {}) {
  const rest = await RestStandIn.open()
  let calls = 0
  rest.reply = ({ method, path }) =>
    method === 'POST' && path.endsWith('/Calls.json')
      ? { status: 201, body: { sid: `CA${++calls}`, status: 'queued' } }
      : { body: { sid: 'CA', status: 'completed' } }
  const settings = { from: FROM, allowedPrefixes: ['+1500'], machineDetection: false, ...more }
  const api = new TwilioCallsApi({ accountSid: ACCOUNT, authToken: 'key', apiUrl: rest.url })
  const log = new LogLines()
  const dialer = new CarrierDialer(settings, { api, log })
  const bridge = await Harness.open({ dialer, invite: () => ({ room: 'not this one' }) })
  const dial = (to = TO) => dialer.dial({ to, invitation: { room: 'r', hears: 'en-us' } })
  /** The parameters of the newest call. */
  const ordered = async (count = 1) => {
    const order = await until(
      () => rest.requests.filter(({ path }) => path.endsWith('/Calls.json'))[count - 1],
    )
    const path = (name: string) => String(order.fields[name] ?? '').replace(PUBLIC_URL, '')
    return {
      fields: order.fields,
      answer: path('Url'),
      status: path('StatusCallback'),
      machine: path('AsyncAmdStatusCallback'),
    }
  }
  const outbound = (callSid: string, more: Record<string, string> = {}) => ({
    ...fieldsOf(callSid),
    From: FROM,
    To: TO,
    Direction: 'outbound-api',
    CallStatus: 'in-progress',
    ...more,
  })
  /** Opens the stream that `twiml` requests. */
  const stream = async (callSid: string, twiml: string) => {
    const party = await bridge.dial()
    party.start({ callSid, streamSid: `MZ${callSid}${bridge.sockets.length}`, token: tokenIn(twiml) })
    return party
  }
  return {
    bridge,
    rest,
    log,
    dialer,
    dial,
    ordered,
    outbound,
    stream,
    async [Symbol.asyncDispose]() {
      await bridge[Symbol.asyncDispose]()
      await rest[Symbol.asyncDispose]()
    },
  }
}
