import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { BridgeError } from '../../common/errors.ts'
import { type HostPlugin, hostPlugin } from '../../net/host-plugin.ts'
import {
  type CarrierBridge,
  type CarrierBridgeOptions,
  carrierBridgeFields,
  registerCarrier,
} from '../telephony/carrier-bridge.ts'
import { callForm } from '../telephony/markup/call-form.ts'
import { callXml } from '../telephony/markup/call-xml.ts'
import { FormSignatureVerifier } from '../telephony/markup/form-signature.ts'
import type { Carrier } from '../telephony/ports/carrier.ts'
import { twilioMedia } from './wire.ts'

/** Options of the bridge. The caller keeps ownership of all objects. */
export interface TwilioBridgeOptions extends CarrierBridgeOptions {
  /** Auth tokens of the account; several during rotation. Excluded by `insecure`. */
  readonly authTokens?: readonly string[]
}

const twilioBridgeOptionsSchema = z.strictObject({
  ...carrierBridgeFields,
  publicUrl: z.string('the https:// address that Twilio calls').optional(),
  authTokens: z.array(z.string('an auth token'), "a list of the account's auth tokens").optional(),
} satisfies Record<keyof TwilioBridgeOptions, z.ZodType>)

export type { HostPlugin } from '../../net/host-plugin.ts'
export { sign } from '../telephony/markup/form-signature.ts'
export { TwilioCallsApi } from './calls-api.ts'
export type { RestSettings } from './settings.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the Twilio bridge is registered. */
    twilio: CarrierBridge
  }
}

/** Twilio, with the auth tokens of an account. */
export function twilioCarrier(authTokens: readonly string[]): Carrier {
  return {
    name: 'twilio',
    title: 'Twilio',
    media: twilioMedia,
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

async function register(app: FastifyInstance, options: TwilioBridgeOptions): Promise<void> {
  const { authTokens = [], insecure = false } = options
  if (insecure && authTokens.length > 0)
    throw new BridgeError('CONFIG', 'authTokens and insecure are mutually exclusive')
  app.decorate('twilio', await registerCarrier(app, twilioCarrier(authTokens), options))
}

/**
 * Connects Twilio Media Streams as legs of the relay: the webhooks `voice`, `menu`, `resume`, `status` and `dial/…`,
 * and the socket `media`, all under `path`. Throws `BridgeError` `CONFIG` without a way to verify requests.
 */
const twilioBridge: HostPlugin<TwilioBridgeOptions> = hostPlugin(
  'twilio-bridge',
  twilioBridgeOptionsSchema,
  register,
)
export default twilioBridge
