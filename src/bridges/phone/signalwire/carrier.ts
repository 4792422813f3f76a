import { randomBytes } from 'node:crypto'
import { BridgeError } from '../../../common/errors.ts'
import { jsonMedia } from '../json-media/json-media.ts'
import { rawCallForm } from '../markup/call-form.ts'
import { callXml } from '../markup/call-xml.ts'
import type { Carrier } from '../ports/carrier.ts'
import type { CarrierModule } from '../ports/carrier-module.ts'
import { type LineFormat, PHONE_LINE } from '../ports/media-dialect.ts'
import { SignalwireCallsApi } from './calls-api.ts'
import { type SignalwireSettings, signingKeysOf } from './settings.ts'
import { SignalwireVerifier } from './signature.ts'

type Audio = NonNullable<SignalwireSettings['audio']>

const FORMATS: Readonly<Record<Audio, LineFormat & { readonly attribute: string }>> = {
  'mulaw-8k': { ...PHONE_LINE, attribute: 'PCMU@8000h' },
  'l16-16k': { codec: 'l16', rate: 16_000, attribute: 'L16@16000h' },
  'l16be-16k': { codec: 'l16be', rate: 16_000, attribute: 'L16@16000h' },
}

/**
 * SignalWire’s cXML: Twilio’s messages and markup, its own signatures, and a bearer token at the upgrade, which the
 * instructions for each stream name (SignalWire: `<Stream>`).
 */
export function signalwireCarrier(signingKeys: readonly string[], audio: Audio = 'mulaw-8k'): Carrier {
  const { attribute, ...format } = FORMATS[audio]
  // Streams connect to the process that wrote their instructions.
  const bearer = randomBytes(24).toString('base64url')
  return {
    name: 'signalwire',
    title: 'SignalWire',
    media: jsonMedia(format),
    instructions: callXml({ codec: attribute, authBearerToken: bearer }),
    requests: rawCallForm,
    verifier: publicUrl => {
      if (signingKeys.length === 0 || signingKeys.some(key => key === ''))
        throw new BridgeError(
          'CONFIG',
          'the SignalWire bridge needs a signing key; set insecure: true to run without one',
        )
      return new SignalwireVerifier(signingKeys, bearer, publicUrl)
    },
    secrets: signingKeys,
  }
}

/** SignalWire as a part of the server. */
export const signalwireModule: CarrierModule<SignalwireSettings> = {
  carrier: (settings, ownKeys) => signalwireCarrier([...signingKeysOf(settings), ...ownKeys], settings.audio),
  api: ({ outbound }) => new SignalwireCallsApi(outbound!),
}
