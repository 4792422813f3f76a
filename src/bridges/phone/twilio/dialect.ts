import { type Carrier, PHONE_LINE } from '../carrier.ts'
import { assertSecrets } from '../credentials.ts'
import { jsonMedia } from '../json-media/json-media.ts'
import { callForm } from '../markup/call-form.ts'
import { callXml } from '../markup/call-xml.ts'
import { FormSignatureVerifier } from '../markup/form-signature.ts'

/** Twilio, with the auth tokens of an account. */
export function twilioCarrier(authTokens: readonly string[]): Carrier {
  return {
    name: 'twilio',
    title: 'Twilio',
    media: jsonMedia(PHONE_LINE),
    instructions: callXml(),
    requests: callForm,
    verifier: publicUrl => {
      assertSecrets(authTokens, 'Twilio', 'an auth token')
      return new FormSignatureVerifier('x-twilio-signature', authTokens, publicUrl)
    },
    secrets: authTokens,
  }
}
