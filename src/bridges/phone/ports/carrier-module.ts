import { z } from 'zod'
import { type StreamLimits, streamSettingsSchema } from '../limits.ts'
import { type NumberSettings, numbersSchema } from '../number-settings.ts'
import type { OutboundSettings } from '../outbound/settings.ts'
import type { Carrier } from './carrier.ts'
import type { CarrierApi } from './carrier-api.ts'

/** Schemas of the settings that every carrier has in its section. */
export const carrierFields = {
  insecure: z
    .boolean()
    .default(false)
    .meta({ about: 'Accept unsigned requests from this machine, for testing.' }),
  limits: streamSettingsSchema.prefault({}),
  numbers: numbersSchema,
}

/** Settings that every carrier has; each adds its credentials. */
export interface CarrierSettings {
  readonly insecure?: boolean | undefined
  readonly limits?: { readonly [K in keyof StreamLimits]?: StreamLimits[K] | undefined } | undefined
  readonly outbound?: OutboundSettings | undefined
  readonly numbers?: Readonly<Record<string, NumberSettings>> | undefined
}

/** A carrier as its settings describe it. Loaded with the schema of all settings, so without its other parts. */
export interface CarrierSection<S extends CarrierSettings = CarrierSettings> {
  /** The name of its `Carrier`, and of its section in the settings. */
  readonly name: string
  /** Name in messages, such as `Twilio`. */
  readonly title: string
  /** Its setting that verifies requests, for messages about a missing one. */
  readonly credential: string
  /** Keys of its section whose values are never shown and can be read from a file. */
  readonly secrets: readonly string[]
  /** It listens on another port than the server, so it is opened only with credentials. Default: false. */
  readonly hasOwnPort?: boolean
  /** Returns whether the settings have credentials that verify requests. */
  isSigned(settings: S): boolean
  /** Returns the secret with which a simulated phone can sign requests; undefined if there is none in the settings. */
  signingSecret(settings: S): string | undefined
}

/** A carrier as the server composes it from its settings. */
export interface CarrierModule<S extends CarrierSettings = CarrierSettings> {
  /** Returns the carrier. Requests signed with one of `ownKeys`, secrets of this server, are accepted too. */
  carrier(settings: S, ownKeys: readonly string[]): Carrier
  /** Returns the API for outbound calls; called only if `outbound` is set. */
  api(settings: S): CarrierApi
}
