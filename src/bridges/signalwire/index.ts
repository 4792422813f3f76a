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
import { signalwireCarrier } from './carrier.ts'
import { type SignalwireSettings, signalwireSettingsSchema } from './settings.ts'

/** Options of the bridge. The caller keeps ownership of all objects. */
export interface SignalwireBridgeOptions extends CarrierBridgeOptions {
  /** Signing keys of the project; several during rotation. Excluded by `insecure`. */
  readonly signingKeys?: readonly string[]
  /** Audio of the streams; default `mulaw-8k`. */
  readonly audio?: SignalwireSettings['audio']
}

const optionsSchema = z.strictObject({
  ...carrierBridgeFields,
  signingKeys: z.array(z.string('a signing key'), "a list of the project's signing keys").optional(),
  audio: signalwireSettingsSchema.shape.audio.optional(),
} satisfies Record<keyof SignalwireBridgeOptions, z.ZodType>)

export type { HostPlugin } from '../../net/host-plugin.ts'
export { SignalwireCallsApi } from './calls-api.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the SignalWire bridge is registered. */
    signalwire: CarrierBridge
  }
}

async function register(app: FastifyInstance, options: SignalwireBridgeOptions): Promise<void> {
  const { signingKeys = [], insecure = false, audio } = options
  if (insecure && signingKeys.length > 0)
    throw new BridgeError('CONFIG', 'signingKeys and insecure are mutually exclusive')
  app.decorate('signalwire', await registerCarrier(app, signalwireCarrier(signingKeys, audio), options))
}

/** Connects SignalWire’s media streams as legs of the relay. Throws `BridgeError` `CONFIG` without a signing key. */
const signalwireBridge: HostPlugin<SignalwireBridgeOptions> = hostPlugin(
  'signalwire-bridge',
  optionsSchema,
  register,
)
export default signalwireBridge
