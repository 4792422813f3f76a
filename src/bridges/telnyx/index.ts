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
import { telnyxCarrier } from './carrier.ts'

/** Options of the bridge. The caller keeps ownership of all objects. */
export interface TelnyxBridgeOptions extends CarrierBridgeOptions {
  /** Public keys of the account, in base64. Excluded by `insecure`. */
  readonly publicKeys?: readonly string[]
  /** Maximum age of a signed request (s); default 300. */
  readonly toleranceSeconds?: number
}

const optionsSchema = z.strictObject({
  ...carrierBridgeFields,
  publicKeys: z.array(z.string('a public key'), "a list of the account's public keys").optional(),
  toleranceSeconds: z.number('a number of seconds').optional(),
} satisfies Record<keyof TelnyxBridgeOptions, z.ZodType>)

export type { HostPlugin } from '../../net/host-plugin.ts'
export { TelnyxCallsApi } from './calls-api.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the Telnyx bridge is registered. */
    telnyx: CarrierBridge
  }
}

async function register(app: FastifyInstance, options: TelnyxBridgeOptions): Promise<void> {
  const { publicKeys = [], insecure = false, toleranceSeconds } = options
  if (insecure && publicKeys.length > 0)
    throw new BridgeError('CONFIG', 'publicKeys and insecure are mutually exclusive')
  const carrier = telnyxCarrier({ publicKeys, toleranceSeconds })
  app.decorate('telnyx', await registerCarrier(app, carrier, options))
}

/** Connects Telnyx’s media streams as legs of the relay. Throws `BridgeError` `CONFIG` without a public key. */
const telnyxBridge: HostPlugin<TelnyxBridgeOptions> = hostPlugin('telnyx-bridge', optionsSchema, register)
export default telnyxBridge
