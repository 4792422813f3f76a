import type { z } from 'zod'
import { asterisk } from './asterisk/settings.ts'
import type { CarrierDefinition } from './carrier.ts'
import { jambonz } from './jambonz/settings.ts'
import { plivo } from './plivo/settings.ts'
import { signalwire } from './signalwire/settings.ts'
import { telnyx } from './telnyx/settings.ts'
import { twilio } from './twilio/settings.ts'

/**
 * The carriers of the server, in the order in which they are preferred for outbound calls. A new one is a folder and a line
 * here: settings, routes, metrics and checks follow from its definition. `call` and `demo` also need a simulator of it.
 */
const DEFINITIONS = [twilio, signalwire, telnyx, plivo, jambonz, asterisk] as const

type Definition = (typeof DEFINITIONS)[number]

export type CarrierName = Definition['name']

/** A carrier whose section exists. */
export type RegisteredCarrier = CarrierDefinition<CarrierName>

export const CARRIERS = DEFINITIONS as readonly RegisteredCarrier[]

/** The sections of all carriers. */
export const carrierSchemas = Object.fromEntries(
  DEFINITIONS.map(({ name, schema }) => [name, (schema as z.ZodType).prefault({})]),
) as unknown as { [D in Definition as D['name']]: z.ZodPrefault<D['schema']> }
