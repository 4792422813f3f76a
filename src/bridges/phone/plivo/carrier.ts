import { BridgeError } from '../../../common/errors.ts'
import type { Carrier } from '../ports/carrier.ts'
import type { CarrierModule } from '../ports/carrier-module.ts'
import { PlivoCallsApi } from './calls-api.ts'
import { plivoRequests } from './requests.ts'
import { authTokensOf, type PlivoSettings } from './settings.ts'
import { PlivoVerifier } from './signature.ts'
import { type PlivoAudio, plivoMedia } from './wire.ts'
import { plivoXml } from './xml.ts'

/** Plivo, with the auth tokens of an account; several during rotation. */
export function plivoCarrier(authTokens: readonly string[], audio: PlivoAudio = 'mulaw-8k'): Carrier {
  return {
    name: 'plivo',
    title: 'Plivo',
    media: plivoMedia(audio),
    instructions: plivoXml(audio),
    requests: plivoRequests,
    verifier: publicUrl => {
      if (authTokens.length === 0 || authTokens.some(token => token === ''))
        throw new BridgeError(
          'CONFIG',
          'the Plivo bridge needs an auth token; set insecure: true to run without one',
        )
      return new PlivoVerifier(authTokens, publicUrl)
    },
    secrets: authTokens,
  }
}

/** Plivo as a part of the server. */
export const plivoModule: CarrierModule<PlivoSettings> = {
  // The first token stays first, because other instances sign with it.
  carrier: (settings, ownKeys) => plivoCarrier([...authTokensOf(settings), ...ownKeys], settings.audio),
  api(settings) {
    const { authId, authToken = authTokensOf(settings)[0], apiUrl } = settings.outbound!
    if (authToken === undefined)
      throw new BridgeError('CONFIG', 'plivo.outbound needs an auth token: set plivo.authToken')
    return new PlivoCallsApi({ authId, authToken, apiUrl })
  },
}
