import { signalwireProfile } from './signalwire/signalwire-simulator.ts'
import { telnyxProfile } from './telnyx/telnyx-simulator.ts'
import { type PhoneProfile, twilioProfile } from './twilio/phone/profile.ts'

/** Simulated phones of every carrier that shares Twilio’s markup, by name. */
export const PHONE_PROFILES: Readonly<Record<string, PhoneProfile>> = Object.fromEntries(
  [twilioProfile, signalwireProfile, telnyxProfile].map(profile => [profile.name, profile]),
)
