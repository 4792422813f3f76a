import { asteriskSection, asteriskSettingsSchema } from '../bridges/phone/asterisk/settings.ts'
import { jambonzSection, jambonzSettingsSchema } from '../bridges/phone/jambonz/settings.ts'
import { plivoSection, plivoSettingsSchema } from '../bridges/phone/plivo/settings.ts'
import type { CarrierSection } from '../bridges/phone/ports/carrier-module.ts'
import { signalwireSection, signalwireSettingsSchema } from '../bridges/phone/signalwire/settings.ts'
import { telnyxSection, telnyxSettingsSchema } from '../bridges/phone/telnyx/settings.ts'
import { twilioSection, twilioSettingsSchema } from '../bridges/phone/twilio/settings.ts'

/** The sections of all carriers. A new carrier is registered here, in both lists, and in `app/carriers.ts`. */
export const carrierSchemas = {
  twilio: twilioSettingsSchema.prefault({}),
  signalwire: signalwireSettingsSchema.prefault({}),
  telnyx: telnyxSettingsSchema.prefault({}),
  plivo: plivoSettingsSchema.prefault({}),
  jambonz: jambonzSettingsSchema.prefault({}),
  asterisk: asteriskSettingsSchema.prefault({}),
}

export type CarrierName = keyof typeof carrierSchemas

/** A carrier whose section exists. */
export interface RegisteredCarrier extends CarrierSection {
  readonly name: CarrierName
}

/** All carriers, in the order in which they are preferred for outbound calls. */
export const CARRIERS = [
  twilioSection,
  signalwireSection,
  telnyxSection,
  plivoSection,
  jambonzSection,
  asteriskSection,
] as readonly RegisteredCarrier[]
