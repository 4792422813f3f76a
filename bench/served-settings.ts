import { browserSettingsSchema } from '../src/bridges/browser/settings.ts'
import { relayOptions } from '../src/core/model/relay-settings.ts'
import { telnyxPublicKey } from '../src/simulator/telnyx/telnyx-simulator.ts'
import type { Channel } from './callers.ts'
import type { DiscordAccount } from './messages.ts'
import { languageOf, numberOf } from './subject.ts'

/** Carriers whose phones are measured, with the credential that verifies their calls. */
const CREDENTIALS = {
  twilio: secret => ({ authToken: secret }),
  signalwire: secret => ({ signingKey: secret }),
  telnyx: secret => ({ publicKey: telnyxPublicKey(secret) }),
  plivo: secret => ({ authToken: secret }),
} satisfies Record<string, (secret: string) => object>

export type Carrier = keyof typeof CREDENTIALS

/** A bridge under load has to reach this service, in this mode, for this many legs. */
export interface ServedOptions {
  /** Address of the scripted service. */
  readonly service: string
  readonly mode: 'block' | 'streaming'
  readonly channel: Channel
  readonly discord?: DiscordAccount | undefined
  readonly legs: number
  /** Carrier of the phones. Default: Twilio. */
  readonly carrier?: Carrier | undefined
  /** Sends fragments of the usual length in silence, too. */
  readonly short?: boolean
  /** Addresses of NATS servers: it is a node of a fleet. */
  readonly natsServers?: readonly string[]
}

/** Public address and secret of the bridge, as the simulated carrier knows them. */
export const SERVED_SIGNATURE = {
  publicUrl: 'https://bridge.example.com',
  authToken: '0123456789abcdef0123456789abcdef',
}

/**
 * The settings of a bridge under load: everything that it needs to be called, and defaults for the rest. Each number
 * hears its own language, which identifies the leg at the service. Requests come from this machine, where the limits
 * per address do not apply by default.
 */
export function servedSettings(options: ServedOptions): object {
  const { service, mode, channel, discord, carrier = 'twilio', legs, short, natsServers } = options
  const numbers = Array.from({ length: legs }, (_, index) => [
    numberOf(index),
    { speaks: 'en-us', hears: languageOf(index) },
  ])
  return {
    host: '127.0.0.1',
    port: 0,
    publicUrl: SERVED_SIGNATURE.publicUrl,
    service: { url: service, apiKey: 'simulated-key', ...(mode === 'block' ? { mode } : {}) },
    relay: {
      ...(legs > defaultMaxLegs() ? { maxLegs: legs } : {}),
      ...(short ? { quietFragmentMs: relayOptions({}).fragmentMs } : {}),
    },
    ...(channel === 'browser' ? { browser: { maxVisitors: visitors(legs) } } : {}),
    ...(discord ? { discord: { token: discord.token, apiUrl: discord.apiUrl } } : {}),
    ...(natsServers
      ? { fleet: { node: 'a', key: 'a key of the bench', nats: { servers: natsServers } } }
      : {}),
    [carrier]: {
      ...CREDENTIALS[carrier](SERVED_SIGNATURE.authToken),
      numbers: Object.fromEntries(numbers),
    },
  }
}

/** The differences from the defaults because of the load, for the output; undefined if nothing. */
export function exceptions({ mode, channel, legs }: ServedOptions): string | undefined {
  const changed = [
    ...(mode === 'block' ? ['service.mode: block (--mode)'] : []),
    ...(legs > defaultMaxLegs() ? [`relay.maxLegs: ${legs} (default ${defaultMaxLegs()})`] : []),
    ...(channel === 'browser' ? [`browser.maxVisitors: ${visitors(legs)}`] : []),
  ]
  return changed.length === 0 ? undefined : changed.join(', ')
}

/** One place in five is reserved for invited visitors. */
function visitors(legs: number): number {
  return Math.max(browserSettingsSchema.parse({}).maxVisitors, Math.ceil(legs * 1.25) + 1)
}

function defaultMaxLegs(): number {
  return relayOptions({}).maxLegs
}
