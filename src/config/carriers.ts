import { signalwireModule } from '../bridges/signalwire/carrier.ts'
import { signalwireSettingsSchema } from '../bridges/signalwire/settings.ts'
import type { CarrierModule } from '../bridges/telephony/ports/carrier-module.ts'
import { telnyxModule } from '../bridges/telnyx/carrier.ts'
import { telnyxSettingsSchema } from '../bridges/telnyx/settings.ts'
import { twilioModule } from '../bridges/twilio/carrier.ts'
import { twilioSettingsSchema } from '../bridges/twilio/settings.ts'

/** The sections of all carriers. A new carrier is registered here, in both lists. */
export const carrierSchemas = {
  twilio: twilioSettingsSchema.prefault({}),
  signalwire: signalwireSettingsSchema.prefault({}),
  telnyx: telnyxSettingsSchema.prefault({}),
}

export type CarrierName = keyof typeof carrierSchemas

/** All carriers, in the order in which they are preferred for outbound calls. */
export const CARRIERS: readonly (CarrierModule & { readonly name: CarrierName })[] = [
  twilioModule,
  signalwireModule,
  telnyxModule,
] as readonly (CarrierModule & { readonly name: CarrierName })[]
