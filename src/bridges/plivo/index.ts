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
import { plivoCarrier } from './carrier.ts'
import { plivoSettingsSchema } from './settings.ts'
import type { PlivoAudio } from './wire.ts'

/** Options of the bridge. The caller keeps ownership of all objects. */
export interface PlivoBridgeOptions extends CarrierBridgeOptions {
  /** Auth tokens of the account; several during rotation. Excluded by `insecure`. */
  readonly authTokens?: readonly string[]
  /** Audio of the streams; default `mulaw-8k`. */
  readonly audio?: PlivoAudio
}

const optionsSchema = z.strictObject({
  ...carrierBridgeFields,
  authTokens: z.array(z.string('an auth token'), "a list of the account's auth tokens").optional(),
  audio: plivoSettingsSchema.shape.audio.optional(),
} satisfies Record<keyof PlivoBridgeOptions, z.ZodType>)

export type { HostPlugin } from '../../net/host-plugin.ts'
export { PlivoCallsApi } from './calls-api.ts'
export { sign } from './signature.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the Plivo bridge is registered. */
    plivo: CarrierBridge
  }
}

async function register(app: FastifyInstance, options: PlivoBridgeOptions): Promise<void> {
  const { authTokens = [], insecure = false, audio } = options
  if (insecure && authTokens.length > 0)
    throw new BridgeError('CONFIG', 'authTokens and insecure are mutually exclusive')
  app.decorate('plivo', await registerCarrier(app, plivoCarrier(authTokens, audio), options))
}

/** Connects Plivo’s audio streams as legs of the relay. Throws `BridgeError` `CONFIG` without an auth token. */
const plivoBridge: HostPlugin<PlivoBridgeOptions> = hostPlugin('plivo-bridge', optionsSchema, register)
export default plivoBridge
