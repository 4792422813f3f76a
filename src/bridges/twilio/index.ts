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
import { twilioCarrier } from './carrier.ts'

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
export { twilioCarrier } from './carrier.ts'
export type { RestSettings } from './settings.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the Twilio bridge is registered. */
    twilio: CarrierBridge
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
