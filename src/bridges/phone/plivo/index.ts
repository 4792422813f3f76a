import { z } from 'zod'
import type { CarrierBridge, CarrierBridgeOptions } from '../carrier-bridge.ts'
import { carrierPlugin } from '../carrier-plugin.ts'
import type { PlivoAudio } from './dialect.ts'
import { plivoCarrier } from './dialect.ts'
import { plivoSettingsSchema } from './settings.ts'

/** Options of the bridge. The caller keeps ownership of all objects. */
export interface PlivoBridgeOptions extends CarrierBridgeOptions {
  /** Auth tokens of the account; several during rotation. Excluded by `insecure`. */
  readonly authTokens?: readonly string[]
  /** Audio of the streams; default `mulaw-8k`. */
  readonly audio?: PlivoAudio
}

export type { HostPlugin } from '../../../net/host-plugin.ts'
export type { PlivoAudio } from './dialect.ts'
export { sign } from './dialect.ts'
export type { PlivoRestSettings } from './rest.ts'
export { PlivoCallsApi } from './rest.ts'
export type { PlivoOutbound, PlivoSettings } from './settings.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the Plivo bridge is registered. */
    plivo: CarrierBridge
  }
}

/**
 * Connects Plivo’s audio streams as legs of the relay: the webhooks `voice`, `menu`, `resume`, `status` and `dial/…`, and the
 * socket `media`, all under `path`. Throws `BridgeError` `CONFIG` without a way to verify requests.
 *
 * ```ts
 * await app.register(plivoBridge, { relay, publicUrl, authTokens, invite: () => ({ room: 'desk' }) })
 * ```
 */
const plivoBridge = carrierPlugin<PlivoBridgeOptions>({
  name: 'plivo',
  title: 'Plivo',
  fields: {
    authTokens: z.array(z.string('an auth token'), "a list of the account's auth tokens").optional(),
    audio: plivoSettingsSchema.shape.audio.optional(),
  },
  credentials: 'authTokens',
  carrier: ({ audio }, authTokens) => plivoCarrier(authTokens, audio),
})
export default plivoBridge
