import { z } from 'zod'
import type { CarrierBridge, CarrierBridgeOptions } from '../carrier-bridge.ts'
import { carrierPlugin } from '../carrier-plugin.ts'
import { twilioCarrier } from './dialect.ts'

/** Options of the bridge. The caller keeps ownership of all objects. */
export interface TwilioBridgeOptions extends CarrierBridgeOptions {
  /** Auth tokens of the account; several during rotation. Excluded by `insecure`. */
  readonly authTokens?: readonly string[]
}

export type { HostPlugin } from '../../../net/host-plugin.ts'
export { sign } from '../markup/form-signature.ts'
export { twilioCarrier } from './dialect.ts'
export { TwilioCallsApi } from './rest.ts'
export type { RestSettings, TwilioOutboundSettings } from './settings.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the Twilio bridge is registered. */
    twilio: CarrierBridge
  }
}

/**
 * Connects Twilio Media Streams as legs of the relay: the webhooks `voice`, `menu`, `resume`, `status` and `dial/…`, and the
 * socket `media`, all under `path`. Throws `BridgeError` `CONFIG` without a way to verify requests.
 *
 * ```ts
 * await app.register(twilioBridge, { relay, publicUrl, authTokens, invite: () => ({ room: 'desk' }) })
 * ```
 */
const twilioBridge = carrierPlugin<TwilioBridgeOptions>({
  name: 'twilio',
  title: 'Twilio',
  fields: {
    authTokens: z.array(z.string('an auth token'), "a list of the account's auth tokens").optional(),
  },
  credentials: 'authTokens',
  carrier: (_options, authTokens) => twilioCarrier(authTokens),
})
export default twilioBridge
