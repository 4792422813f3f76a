/** Where a number's calls go: what Twilio keeps of an IncomingPhoneNumber that concerns voice. */
export interface VoiceSettings {
  readonly voiceUrl: string
  readonly voiceMethod: string
  readonly voiceFallbackUrl: string
  readonly voiceFallbackMethod: string
  readonly statusCallback: string
  readonly statusCallbackMethod: string
  /** Set, it wins over `voiceUrl`; empty: none. */
  readonly voiceApplicationSid: string
  /** A SIP trunk; set, it wins over everything; empty: none. */
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

/** What of `number` concerns voice; Twilio answers null for what was never set. */
export function voiceSettingsOf(number: Readonly<Record<keyof VoiceSettings, string | null>>): VoiceSettings {
  const settings = Object.fromEntries(FIELDS.map(field => [field, number[field] ?? '']))
  return settings as Record<keyof VoiceSettings, string>
}

/** The settings of a number whose calls come to a bridge at `publicUrl` (without a slash at its end). */
export function boundSettings(publicUrl: string, path = '/twilio'): VoiceSettings {
  return {
    voiceUrl: `${publicUrl}${path}/voice`,
    voiceMethod: 'POST',
    // Without the bridge there is nobody to interpret: Twilio's own words are as good as any.
    voiceFallbackUrl: '',
    voiceFallbackMethod: 'POST',
    statusCallback: `${publicUrl}${path}/status`,
    statusCallbackMethod: 'POST',
    voiceApplicationSid: '',
    trunkSid: '',
  }
}

/** Whether both send calls to the same place. */
export function sameSettings(a: VoiceSettings, b: VoiceSettings): boolean {
  return FIELDS.every(field => a[field] === b[field])
}
