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
import { jambonzCarrier } from './carrier.ts'
import type { JambonzRate } from './wire.ts'

/** The account’s webhook secrets, and the format of its streams. */
export interface JambonzOptions {
  /** Webhook secrets of the account; several during rotation. Excluded by `insecure`. */
  readonly webhookSecrets?: readonly string[]
  /** Sample rate of media streams (Hz). Default 8000. */
  readonly sampleRate?: JambonzRate
}

/** Options of the bridge. The caller keeps ownership of all objects. */
export interface JambonzBridgeOptions extends CarrierBridgeOptions, JambonzOptions {}

const jambonzBridgeOptionsSchema = z.strictObject({
  ...carrierBridgeFields,
  publicUrl: z.string('the https:// address that jambonz calls').optional(),
  webhookSecrets: z.array(z.string('a webhook secret'), "a list of the account's webhook secrets").optional(),
  sampleRate: z.union([z.literal(8_000), z.literal(16_000)], '8000 or 16000').optional(),
} satisfies Record<keyof JambonzBridgeOptions, z.ZodType>)

export type { HostPlugin } from '../../net/host-plugin.ts'
export { JambonzCallsApi } from './calls-api.ts'
export { sign } from './signature.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the jambonz bridge is registered. */
    jambonz: CarrierBridge
  }
}

async function register(app: FastifyInstance, options: JambonzBridgeOptions): Promise<void> {
  const { webhookSecrets = [], insecure = false } = options
  if (insecure && webhookSecrets.length > 0)
    throw new BridgeError('CONFIG', 'webhookSecrets and insecure are mutually exclusive')
  const carrier = jambonzCarrier({ webhookSecrets, sampleRate: options.sampleRate })
  app.decorate('jambonz', await registerCarrier(app, carrier, options))
}

/**
 * Connects jambonz calls as legs of the relay: the webhooks `voice`, `menu`, `resume`, `status` and `dial/…`, and the
 * socket `media` for the verb `listen`, all under `path`. Throws `BridgeError` `CONFIG` without a way to verify requests.
 */
const jambonzBridge: HostPlugin<JambonzBridgeOptions> = hostPlugin(
  'jambonz-bridge',
  jambonzBridgeOptionsSchema,
  register,
)
export default jambonzBridge
