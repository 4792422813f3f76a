import { BridgeError } from '../../../common/errors.ts'
import type { Carrier } from '../ports/carrier.ts'
import type { CarrierModule } from '../ports/carrier-module.ts'
import { JambonzCallsApi } from './calls-api.ts'
import { jambonzRequests } from './requests.ts'
import { type JambonzSettings, secretsOf } from './settings.ts'
import { JambonzVerifier } from './signature.ts'
import { jambonzVerbs, streamLogin } from './verbs.ts'
import { type JambonzRate, jambonzMedia, SUBPROTOCOL } from './wire.ts'

export interface JambonzCarrierOptions {
  /** Webhook secrets of the account; several during rotation. */
  readonly webhookSecrets: readonly string[]
  /** Sample rate of media streams (Hz). Default 8000. */
  readonly sampleRate?: JambonzRate | undefined
}

/** jambonz, with the webhook secrets of an account. */
export function jambonzCarrier({ webhookSecrets, sampleRate = 8_000 }: JambonzCarrierOptions): Carrier {
  const [secret] = webhookSecrets
  return {
    name: 'jambonz',
    title: 'jambonz',
    media: jambonzMedia(sampleRate),
    subprotocol: SUBPROTOCOL,
    instructions: jambonzVerbs(sampleRate, secret ? streamLogin(secret) : undefined),
    requests: jambonzRequests,
    verifier: () => {
      if (webhookSecrets.length === 0 || webhookSecrets.some(each => each === ''))
        throw new BridgeError(
          'CONFIG',
          'the jambonz bridge needs a webhook secret; set insecure: true to run without one',
        )
      return new JambonzVerifier(webhookSecrets)
    },
    secrets: webhookSecrets,
  }
}

/** jambonz as a part of the server. */
export const jambonzModule: CarrierModule<JambonzSettings> = {
  // The first secret stays first, because other instances sign with it.
  carrier: (settings, ownKeys) =>
    jambonzCarrier({
      webhookSecrets: [...secretsOf(settings), ...ownKeys],
      sampleRate: settings.sampleRate,
    }),
  api: ({ outbound }) => new JambonzCallsApi(outbound!),
}
