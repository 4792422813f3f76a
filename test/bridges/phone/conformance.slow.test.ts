import {
  listenPlivo,
  listenSignalwire,
  listenTelnyx,
  type PhoneProfile,
  plivoProfile,
  signalwireProfile,
  signTelnyx,
  TwilioSimulator,
  telnyxProfile,
  telnyxPublicKey,
} from '../../../simulator/index.ts'
import { twilioProfile } from '../../../simulator/twilio/phone/profile.ts'
import type { Carrier, CarrierApi } from '../../../src/bridges/phone/carrier.ts'
import { plivoCarrier } from '../../../src/bridges/phone/plivo/dialect.ts'
import { PlivoCallsApi } from '../../../src/bridges/phone/plivo/rest.ts'
import { signalwireCarrier } from '../../../src/bridges/phone/signalwire/dialect.ts'
import { SignalwireCallsApi } from '../../../src/bridges/phone/signalwire/rest.ts'
import { telnyxCarrier } from '../../../src/bridges/phone/telnyx/dialect.ts'
import { TelnyxCallsApi } from '../../../src/bridges/phone/telnyx/rest.ts'
import { TwilioCallsApi, twilioCarrier } from '../../../src/bridges/phone/twilio/index.ts'
import { conforms } from '../../support/conformance/suite.ts'
import { type TelephonySubject, telephonyChecks } from '../../support/conformance/telephony.ts'
import { TwilioNetwork } from '../../support/conformance/twilio-network.ts'

const NUMBERS = { numbers: { '+15005550001': {} } }

/** A carrier by its simulator. `shuffled`: its media arrives in any order. */
function simulated(
  simulator: TwilioSimulator,
  profile: PhoneProfile,
  carrier: Carrier,
  api: CarrierApi,
  { forged, shuffled = false }: { forged: Record<string, string>; shuffled?: boolean },
): TelephonySubject {
  const quirks = shuffled ? { quirks: { shuffleMs: 60 } } : undefined
  const network = new TwilioNetwork({ simulator, api, profile, forged, ...(quirks ? { quirks } : {}) })
  return { carrier, network, api, patienceMs: 8_000 }
}

async function twilio(): Promise<TelephonySubject> {
  const simulator = await TwilioSimulator.listen(NUMBERS)
  const { url, accountSid, authToken } = simulator
  const forged = { 'x-twilio-signature': `${'A'.repeat(27)}=` }
  const calls = new TwilioCallsApi({ accountSid, authToken, apiUrl: url })
  return simulated(simulator, twilioProfile, twilioCarrier([authToken]), calls, { forged })
}

async function signalwire(audio: 'mulaw-8k' | 'l16-16k' = 'mulaw-8k'): Promise<TelephonySubject> {
  const simulator = await listenSignalwire(NUMBERS)
  const { url, accountSid: projectId, authToken: apiToken } = simulator
  const outbound = { space: 'example.signalwire.com', projectId, apiToken, apiUrl: url }
  const calls = new SignalwireCallsApi(outbound)
  const forged = { 'x-signalwire-signature': `${'A'.repeat(27)}=`, authorization: 'Bearer wrong' }
  const right = signalwireCarrier([apiToken], audio)
  return simulated(simulator, signalwireProfile, right, calls, { forged })
}

async function telnyx(): Promise<TelephonySubject> {
  const simulator = await listenTelnyx(NUMBERS)
  const { url, accountSid, authToken: apiKey } = simulator
  const outbound = { apiKey, accountSid, applicationId: '1494404757140276705', apiUrl: url }
  const calls = new TelnyxCallsApi({ ...outbound, from: '+15005550001', allowedPrefixes: ['+34'] })
  const right = telnyxCarrier({ publicKeys: [telnyxPublicKey(apiKey)] })
  const forged = signTelnyx('another secret', 'CallSid=CA1&CallStatus=ringing', Date.now() / 1_000)
  return simulated(simulator, telnyxProfile, right, calls, { forged, shuffled: true })
}

async function plivo(audio: 'mulaw-8k' | 'l16-16k' = 'mulaw-8k'): Promise<TelephonySubject> {
  const simulator = await listenPlivo(NUMBERS)
  const { url, accountSid: authId, authToken } = simulator
  const calls = new PlivoCallsApi({ authId, authToken, apiUrl: url })
  const forged = { 'x-plivo-signature-v3': `${'A'.repeat(43)}=`, 'x-plivo-signature-v3-nonce': '1' }
  const right = plivoCarrier([authToken], audio)
  return simulated(simulator, plivoProfile, right, calls, { forged })
}

const done = async ({ network }: TelephonySubject) => network[Symbol.asyncDispose]()

conforms('Twilio is a carrier', telephonyChecks, twilio, done)
conforms('SignalWire is a carrier', telephonyChecks, signalwire, done)
conforms('SignalWire with linear PCM is a carrier', telephonyChecks, () => signalwire('l16-16k'), done)
conforms('Telnyx is a carrier', telephonyChecks, telnyx, done)
conforms('Plivo is a carrier', telephonyChecks, plivo, done)
conforms('Plivo with linear PCM is a carrier', telephonyChecks, () => plivo('l16-16k'), done)
