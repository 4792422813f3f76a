import { z } from 'zod'
import { type Expanded, languageSchema } from '../../common/setting-fields.ts'

/** Settings of the relay; the defaults suit a phone call. */
export const relaySettingsSchema = z.strictObject({
  maxLagMs: z
    .number()
    .int()
    .min(2_000)
    .max(60_000)
    .default(20_000)
    .meta({ about: 'Maximum delay of a translation; above it, the oldest utterances are dropped (ms).' }),
  /**
   * The default is that of WCAG 2.2, success criterion 1.4.7, for speech over other sounds. Voice-over in television has 15 LU
   * at least, and listeners who do not mix sound for a living prefer 4 LU more than those who do (Torcoli et al., “Preferred
   * Levels for Background Ducking”, J. Audio Eng. Soc. 67, 2019).
   */
  originalDistanceDb: z.number().min(0).max(40).default(20).meta({
    about:
      'Loudness of the original voice below its translation (LU): with `low` always, with `duck` half as much between translations. Raise it if translations are hard to understand.',
  }),
  echoSuppression: z.boolean().default(true).meta({
    about:
      'Suppress acoustic echo: playback that a participant’s microphone picks up is not translated again.',
  }),
  followLanguages: z.array(languageSchema).default([]).meta({
    about:
      'Languages between which a speaker can change by speaking them, with an engine that detects languages. Empty: off.',
  }),
  interrupt: z.enum(['keep', 'clear']).default('keep').meta({
    about: 'Keep or clear pending translations when the listener starts to speak.',
  }),
  maxLegs: z.number().int().min(1).max(100_000).default(300).meta({
    about:
      'Maximum number of legs on all channels together; further callers hear that all lines are in use. A two-person call uses two.',
  }),
})

/** Options of a relay in a program: its settings, and values that no operator has a reason to change. */
export const relayOptionsSchema = relaySettingsSchema.extend({
  /** Lets late translations catch up: trims pauses, then plays up to 25 % faster at the same pitch. */
  catchUp: z.boolean().default(true),
  /** Normalizes the volume of translated voices. */
  normalizeLoudness: z.boolean().default(true),
  /** Loudness of normalized voices: speech without pauses, that of the notices (LUFS). */
  targetLoudnessDb: z.number().min(-40).max(-10).default(-20),
  /** Time without an acknowledgment after which the connection is replaced (ms). */
  ackDeadlineMs: z.number().int().min(200).max(10_000).default(1_500),
  /** Lead of translations over real time (ms). It bridges stalls of the process and the network. */
  leadMs: z.number().int().min(20).max(1_000).default(200),
  /** Length of the audio fragments sent to the service (ms). */
  fragmentMs: z.number().int().min(20).max(200).multipleOf(20).default(100),
  /** Speech kept for replay during an outage (ms): half a minute, and the speech not yet answered before it. */
  replayMs: z.number().int().min(1_000).max(120_000).default(48_000),
  /** Time after which a first connection that is still being opened counts as an outage (ms). */
  connectTimeoutMs: z.number().int().min(0).max(10_000).default(1_000),
  /** Time in which a participant whose connection broke can reconnect (ms); 0 disables reconnection. */
  reconnectWindowMs: z.number().int().min(0).max(120_000).default(10_000),
})

/** Complete options of a relay, with defaults filled in by `relayOptions`. */
export type RelaySettings = Expanded<z.infer<typeof relayOptionsSchema>>

/** Options of a relay as written: those that are absent have their defaults. */
export type RelaySettingsInput = Expanded<z.input<typeof relayOptionsSchema>>

/** Fills in defaults. Throws on an unknown key or an invalid value. */
export function relayOptions(given: RelaySettingsInput = {}): RelaySettings {
  return relayOptionsSchema.parse(given)
}
