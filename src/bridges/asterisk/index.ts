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
import type { AudioServerSettings } from './audio-server.ts'
import { asteriskCarrier } from './carrier.ts'
import type { AsteriskRate } from './wire.ts'

/** The secret of the dialplan, and the server for its streams. */
export interface AsteriskOptions {
  /** Passwords of the dialplan; several during rotation. Excluded by `insecure`. */
  readonly secrets?: readonly string[]
  /** Sample rate of streams (Hz). Default 8000. */
  readonly sampleRate?: AsteriskRate
  /** Default: port 9092 of this machine, for itself. */
  readonly audioSocket?: Partial<AudioServerSettings>
}

/** Options of the bridge. The caller keeps ownership of all objects. */
export interface AsteriskBridgeOptions extends CarrierBridgeOptions, AsteriskOptions {}

const asteriskBridgeOptionsSchema = z.strictObject({
  ...carrierBridgeFields,
  publicUrl: z.string('the https:// address that Asterisk requests').optional(),
  secrets: z.array(z.string('a secret'), 'a list of secrets').optional(),
  sampleRate: z.union([z.literal(8_000), z.literal(16_000)], '8000 or 16000').optional(),
  audioSocket: z
    .strictObject({
      host: z.string('an address').optional(),
      port: z.int('a port').optional(),
      allowedAddresses: z.array(z.string('an address or network'), 'a list of addresses').optional(),
      maxConnections: z.int('a number of connections').optional(),
    })
    .optional(),
} satisfies Record<keyof AsteriskBridgeOptions, z.ZodType>)

export type { HostPlugin } from '../../net/host-plugin.ts'
export { AsteriskCallsApi } from './calls-api.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the Asterisk bridge is registered. */
    asterisk: CarrierBridge
  }
}

async function register(app: FastifyInstance, options: AsteriskBridgeOptions): Promise<void> {
  const { secrets = [], insecure = false } = options
  if (insecure && secrets.length > 0)
    throw new BridgeError('CONFIG', 'secrets and insecure are mutually exclusive')
  const { sampleRate, audioSocket } = options
  const carrier = asteriskCarrier({ secrets, sampleRate, audioSocket })
  app.decorate('asterisk', await registerCarrier(app, carrier, options))
}

/**
 * Connects calls of an Asterisk as legs of the relay: the dialplan requests instructions from `voice`, `menu`, `resume`,
 * `status` and `dial/…` under `path`, and audio goes through AudioSocket. Throws `BridgeError` `CONFIG` without a way to
 * verify requests.
 */
const asteriskBridge: HostPlugin<AsteriskBridgeOptions> = hostPlugin(
  'asterisk-bridge',
  asteriskBridgeOptionsSchema,
  register,
)
export default asteriskBridge
