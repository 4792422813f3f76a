import { z } from 'zod'
import type { CarrierBridge, CarrierBridgeOptions } from '../carrier-bridge.ts'
import { carrierPlugin } from '../carrier-plugin.ts'
import type { JambonzRate } from './dialect.ts'
import { jambonzCarrier } from './dialect.ts'

/** The account’s webhook secrets, and the format of its streams. */
export interface JambonzOptions {
  /** Webhook secrets of the account; several during rotation. Excluded by `insecure`. */
  readonly webhookSecrets?: readonly string[]
  /** Sample rate of media streams (Hz). Default 8000. */
  readonly sampleRate?: JambonzRate
}

/** Options of the bridge. The caller keeps ownership of all objects. */
export interface JambonzBridgeOptions extends CarrierBridgeOptions, JambonzOptions {}

export type { HostPlugin } from '../../../net/host-plugin.ts'
export type { JambonzRate } from './dialect.ts'
export { sign } from './dialect.ts'
export { JambonzCallsApi } from './rest.ts'
export type { JambonzRestSettings, JambonzSettings } from './settings.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the jambonz bridge is registered. */
    jambonz: CarrierBridge
  }
}

/** Connects jambonz calls as legs of the relay, by the verb `listen`. */
const jambonzBridge = carrierPlugin<JambonzBridgeOptions>({
  name: 'jambonz',
  title: 'jambonz',
  fields: {
    webhookSecrets: z
      .array(z.string('a webhook secret'), "a list of the account's webhook secrets")
      .optional(),
    sampleRate: z.union([z.literal(8_000), z.literal(16_000)], '8000 or 16000').optional(),
  },
  credentials: 'webhookSecrets',
  carrier: ({ sampleRate }, webhookSecrets) => jambonzCarrier({ webhookSecrets, sampleRate }),
})
export default jambonzBridge
