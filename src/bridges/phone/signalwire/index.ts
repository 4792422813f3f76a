import { z } from 'zod'
import type { CarrierBridge, CarrierBridgeOptions } from '../carrier-bridge.ts'
import { carrierPlugin } from '../carrier-plugin.ts'
import { signalwireCarrier } from './dialect.ts'
import { type SignalwireSettings, signalwireSettingsSchema } from './settings.ts'

/** Options of the bridge. The caller keeps ownership of all objects. */
export interface SignalwireBridgeOptions extends CarrierBridgeOptions {
  /** Signing keys of the project; several during rotation. Excluded by `insecure`. */
  readonly signingKeys?: readonly string[]
  /** Audio of the streams; default `mulaw-8k`. */
  readonly audio?: SignalwireSettings['audio']
}

export type { HostPlugin } from '../../../net/host-plugin.ts'
export { SignalwireCallsApi } from './rest.ts'
export type { SignalwireSettings } from './settings.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the SignalWire bridge is registered. */
    signalwire: CarrierBridge
  }
}

/**
 * Connects SignalWire’s media streams as legs of the relay: the webhooks `voice`, `menu`, `resume`, `status` and `dial/…`, and the
 * socket `media`, all under `path`. Throws `BridgeError` `CONFIG` without a way to verify requests.
 *
 * ```ts
 * await app.register(signalwireBridge, { relay, publicUrl, signingKeys, invite: () => ({ room: 'desk' }) })
 * ```
 */
const signalwireBridge = carrierPlugin<SignalwireBridgeOptions>({
  name: 'signalwire',
  title: 'SignalWire',
  fields: {
    signingKeys: z.array(z.string('a signing key'), "a list of the project's signing keys").optional(),
    audio: signalwireSettingsSchema.shape.audio.optional(),
  },
  credentials: 'signingKeys',
  carrier: ({ audio }, signingKeys) => signalwireCarrier(signingKeys, audio),
})
export default signalwireBridge
