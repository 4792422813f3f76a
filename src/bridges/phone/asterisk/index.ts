import { z } from 'zod'
import type { CarrierBridge, CarrierBridgeOptions } from '../carrier-bridge.ts'
import { carrierPlugin } from '../carrier-plugin.ts'
import type { AudioServerSettings } from './audio-socket.ts'
import type { AsteriskRate, AsteriskStream } from './dialect.ts'
import { asteriskCarrier } from './dialect.ts'

/** The secret of the dialplan, and the server for its streams. */
export interface AsteriskOptions {
  /** Passwords of the dialplan; several during rotation. Excluded by `insecure`. */
  readonly secrets?: readonly string[]
  /** Sample rate of streams (Hz). Default 8000. */
  readonly sampleRate?: AsteriskRate
  /** Connection of streams. Default `audiosocket`. */
  readonly stream?: AsteriskStream
  /** Default: port 9092 of this machine, for itself. */
  readonly audioSocket?: Partial<AudioServerSettings>
}

/** Options of the bridge. The caller keeps ownership of all objects. */
export interface AsteriskBridgeOptions extends CarrierBridgeOptions, AsteriskOptions {}

export type { HostPlugin } from '../../../net/host-plugin.ts'
export type { AudioServerSettings } from './audio-socket.ts'
export type { AsteriskRate, AsteriskStream } from './dialect.ts'
export { AsteriskCallsApi } from './rest.ts'
export type { AriSettings, AsteriskSettings } from './settings.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the Asterisk bridge is registered. */
    asterisk: CarrierBridge
  }
}

/** Connects calls of an Asterisk as legs of the relay: its dialplan requests the webhooks, and audio goes through AudioSocket or chan_websocket. */
const asteriskBridge = carrierPlugin<AsteriskBridgeOptions>({
  name: 'asterisk',
  title: 'Asterisk',
  fields: {
    secrets: z.array(z.string('a secret'), 'a list of secrets').optional(),
    sampleRate: z.union([z.literal(8_000), z.literal(16_000)], '8000 or 16000').optional(),
    stream: z.enum(['audiosocket', 'websocket'], 'audiosocket or websocket').optional(),
    audioSocket: z
      .strictObject({
        host: z.string('an address').optional(),
        port: z.int('a port').optional(),
        allowedAddresses: z.array(z.string('an address or network'), 'a list of addresses').optional(),
      })
      .optional(),
  },
  credentials: 'secrets',
  carrier: ({ sampleRate, stream, audioSocket }, secrets) =>
    asteriskCarrier({ secrets, sampleRate, stream, audioSocket }),
})
export default asteriskBridge
