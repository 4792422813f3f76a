import { BridgeError } from '../../../common/errors.ts'
import { jsonMedia } from '../json-media/json-media.ts'
import { callForm } from '../markup/call-form.ts'
import { callXml } from '../markup/call-xml.ts'
import { FormSignatureVerifier } from '../markup/form-signature.ts'
import type { Carrier } from '../ports/carrier.ts'
import type { CarrierModule } from '../ports/carrier-module.ts'
import { PHONE_LINE } from '../ports/media-dialect.ts'
import { TwilioCallsApi } from './calls-api.ts'
import { authTokensOf, type TwilioSettings } from './settings.ts'

/** Twilio, with the auth tokens of an account. */
export function twilioCarrier(authTokens: readonly string[]): Carrier {
  return {
    name: 'twilio',
    title: 'Twilio',
    media: jsonMedia(PHONE_LINE),
    instructions: callXml(),
    requests: callForm,
    verifier: publicUrl => {
      if (authTokens.length === 0 || authTokens.some(token => token === ''))
        throw new BridgeError(
          'CONFIG',
          'the Twilio bridge needs an auth token; set insecure: true to run without one',
        )
      return new FormSignatureVerifier('x-twilio-signature', authTokens, publicUrl)
    },
    secrets: authTokens,
  }
}

/** Twilio as a part of the server. */
export const twilioModule: CarrierModule<TwilioSettings> = {
  // The first token stays first, because other instances sign with it.
  carrier: (settings, ownKeys) => twilioCarrier([...signingTokens(settings), ...ownKeys]),
  api(settings) {
    const outbound = settings.outbound!
    const own = outbound.authToken ?? authTokensOf(settings)[0]
    return new TwilioCallsApi({ ...outbound, authToken: outbound.apiKeySid === undefined ? own : undefined })
  },
}

/** Returns the tokens that can sign webhooks: those of the account, and that of the dialing account. */
function signingTokens(settings: TwilioSettings): readonly string[] {
  const tokens = authTokensOf(settings)
  const own = settings.outbound?.authToken
  return own === undefined || tokens.includes(own) ? tokens : [...tokens, own]
}
