import { randomUUID } from 'node:crypto'
import { LinearWire, linearReader } from '../phone/linear-audio.ts'
import { signRequest } from '../twilio/phone/form-signature.ts'
import { type PhoneProfile, type PhoneReader, twilioProfile } from '../twilio/phone/profile.ts'
import type { StreamIds } from '../twilio/phone/wire.ts'
import { Wire } from '../twilio/phone/wire.ts'
import { type RestProfile, twilioRest } from '../twilio/rest/rest-profile.ts'
import { TwilioSimulator, type TwilioSimulatorOptions } from '../twilio/rest/twilio-simulator.ts'

const CODECS = ['PCMU@8000h', 'L16@16000h']

/** Messages with the differences that SignalWire documents: a version, and no `streamSid` next to the audio. */
class SignalwireWire extends Wire {
  override connected(): string {
    return '{"event":"connected","protocol":"Call","version":"0.2.0"}'
  }

  override media(timestampMs: number, payload: string): string {
    return super.media(timestampMs, payload).replace(/,"streamSid":"[^"]*"\}$/, '}')
  }

  override stop(): string {
    return '{"event":"stop"}'
  }
}

/** Phones of SignalWire: cXML, IDs that are UUIDs, its own signature header, and a bearer token at the upgrade. */
export const signalwireProfile: PhoneProfile = {
  ...twilioProfile,
  name: 'signalwire',
  webhookAgent: 'SignalWire',
  streamAgent: 'SignalWire',
  newSid: () => randomUUID(),
  webhookHeaders: (key, { url, fields }) => ({ 'x-signalwire-signature': signRequest(key, url, fields) }),
  upgradeHeaders: (_key, { attributes }): Readonly<Record<string, string>> => {
    const token = attributes.get('authBearerToken')
    return token === undefined ? {} : { authorization: `Bearer ${token}` }
  },
  streamFault: attributes => {
    for (const name of attributes.keys())
      if (!['codec', 'realtime', 'authBearerToken'].includes(name)) return `<Stream> has no attribute ${name}`
    const codec = attributes.get('codec') ?? 'PCMU@8000h'
    return CODECS.includes(codec) ? undefined : `codec_error: ${codec}`
  },
  wire: (ids, attributes) => (isLinear(attributes) ? new LinearWire(ids) : new SignalwireWire(ids)),
  reader: (ids: StreamIds, attributes): PhoneReader => {
    const reader = twilioProfile.reader(ids, attributes)
    return isLinear(attributes) ? linearReader(reader) : reader
  },
}

function isLinear(attributes: ReadonlyMap<string, string>): boolean {
  return attributes.get('codec') === 'L16@16000h'
}

const BASE = '/api/laml'

/** SignalWire’s Compatibility API: Twilio’s, below another path. */
const signalwireRest: RestProfile = {
  ...twilioRest,
  phone: signalwireProfile,
  target: ({ method, path }) => ({
    method,
    path: path.startsWith(`${BASE}/`) ? path.slice(BASE.length) : '/unknown',
  }),
}

/** SignalWire on loopback: its API, and phones. The project ID is `accountSid`, the API token and signing key `authToken`. */
export function listenSignalwire(options: TwilioSimulatorOptions = {}): Promise<TwilioSimulator> {
  return TwilioSimulator.listen({ ...options, profile: signalwireRest })
}
