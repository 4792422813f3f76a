/** The voice settings of an IncomingPhoneNumber at Twilio. */
export interface VoiceSettings {
  readonly voiceUrl: string
  readonly voiceMethod: string
  readonly voiceFallbackUrl: string
  readonly voiceFallbackMethod: string
  readonly statusCallback: string
  readonly statusCallbackMethod: string
  /** Takes precedence over `voiceUrl`; empty: none. */
  readonly voiceApplicationSid: string
  /** SIP trunk, takes precedence over everything; empty: none. */
  readonly trunkSid: string
}

const FIELDS = [
  'voiceUrl',
  'voiceMethod',
  'voiceFallbackUrl',
  'voiceFallbackMethod',
  'statusCallback',
  'statusCallbackMethod',
  'voiceApplicationSid',
  'trunkSid',
] as const satisfies (keyof VoiceSettings)[]

/** Returns the voice settings of `number`; Twilio returns null for unset fields. */
export function voiceSettingsOf(number: Readonly<Record<keyof VoiceSettings, string | null>>): VoiceSettings {
  const settings = Object.fromEntries(FIELDS.map(field => [field, number[field] ?? '']))
  return settings as Record<keyof VoiceSettings, string>
}

/** Returns the settings that route calls to a bridge at `publicUrl` (without a trailing slash). */
export function boundSettings(publicUrl: string, path = '/twilio'): VoiceSettings {
  return {
    voiceUrl: `${publicUrl}${path}/voice`,
    voiceMethod: 'POST',
    // Without the bridge, calls cannot be interpreted, so Twilio’s own message is sufficient.
    voiceFallbackUrl: '',
    voiceFallbackMethod: 'POST',
    statusCallback: `${publicUrl}${path}/status`,
    statusCallbackMethod: 'POST',
    voiceApplicationSid: '',
    trunkSid: '',
  }
}

/** Returns true if both route calls to the same place. */
export function sameSettings(a: VoiceSettings, b: VoiceSettings): boolean {
  return FIELDS.every(field => a[field] === b[field])
}
