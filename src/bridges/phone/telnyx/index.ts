import { z } from 'zod'
import type { CarrierBridge, CarrierBridgeOptions } from '../carrier-bridge.ts'
import { carrierPlugin } from '../carrier-plugin.ts'
import { telnyxCarrier } from './dialect.ts'

/** Options of the bridge. The caller keeps ownership of all objects. */
export interface TelnyxBridgeOptions extends CarrierBridgeOptions {
  /** Public keys of the account, in base64. Excluded by `insecure`. */
  readonly publicKeys?: readonly string[]
}

export type { HostPlugin } from '../../../net/host-plugin.ts'
export { TelnyxCallsApi } from './rest.ts'
export type { TelnyxOutbound, TelnyxSettings } from './settings.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the Telnyx bridge is registered. */
    telnyx: CarrierBridge
  }
}

/**
 * Connects Telnyx’s media streams as legs of the relay: the webhooks `voice`, `menu`, `resume`, `status` and `dial/…`, and the
 * socket `media`, all under `path`. Throws `BridgeError` `CONFIG` without a way to verify requests.
 *
 * ```ts
 * await app.register(telnyxBridge, { relay, publicUrl, publicKeys, invite: () => ({ room: 'desk' }) })
 * ```
 */
const telnyxBridge = carrierPlugin<TelnyxBridgeOptions>({
  name: 'telnyx',
  title: 'Telnyx',
  fields: {
    publicKeys: z.array(z.string('a public key'), "a list of the account's public keys").optional(),
  },
  credentials: 'publicKeys',
  carrier: (_options, publicKeys) => telnyxCarrier({ publicKeys }),
})
export default telnyxBridge
