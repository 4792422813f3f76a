import { z } from 'zod'
import { BridgeError } from '../../common/errors.ts'
import { decorateScope, type HostPlugin, hostPlugin } from '../../net/host-plugin.ts'
import type { Carrier } from './carrier.ts'
import { type CarrierBridgeOptions, carrierBridgeFields, registerCarrier } from './carrier-bridge.ts'

/** Options that a carrier adds to those of all bridges. */
type OwnKey<O> = Exclude<keyof O, keyof CarrierBridgeOptions>

export interface CarrierPlugin<O extends CarrierBridgeOptions> {
  /** Name of the carrier, and of the decorator of the app. */
  readonly name: string
  /** The party that calls `publicUrl`, for messages. */
  readonly title: string
  /** Schemas of the options that only this carrier has. */
  readonly fields: Readonly<Record<OwnKey<O>, z.ZodType>>
  /** The option with the credentials that verify requests; excluded by `insecure`. */
  readonly credentials: OwnKey<O>
  readonly carrier: (options: O, credentials: readonly string[]) => Carrier
}

/**
 * Returns a carrier as a Fastify plugin: the webhooks `voice`, `menu`, `resume`, `status` and `dial/…`, and the socket
 * `media`, all under `path`. Registering throws `BridgeError` `CONFIG` without a way to verify requests.
 */
export function carrierPlugin<O extends CarrierBridgeOptions>(plugin: CarrierPlugin<O>): HostPlugin<O> {
  const { name, title, fields, credentials: key, carrier } = plugin
  const schema = z.strictObject({
    ...carrierBridgeFields,
    publicUrl: z.string(`the https:// address that ${title} calls`).optional(),
    ...(fields as Readonly<Record<string, z.ZodType>>),
  })
  return hostPlugin<O>(`${name}-bridge`, schema, async (app, options) => {
    const credentials = (options[key] ?? []) as readonly string[]
    if (options.insecure && credentials.length > 0)
      throw new BridgeError('CONFIG', `${String(key)} and insecure are mutually exclusive`)
    decorateScope(app, name, await registerCarrier(app, carrier(options, credentials), options))
  })
}
