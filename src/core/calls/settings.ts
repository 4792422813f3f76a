import { z } from 'zod'
import { type Expanded, languageSchema, type SettingsInput, secret } from '../../common/setting-fields.ts'
import { KEY_ACTIONS } from '../model/key-commands.ts'

/** Settings of the key commands of participants. */
export const keypadSettingsSchema = z.strictObject({
  keys: z
    .array(z.enum(KEY_ACTIONS))
    .default([...KEY_ACTIONS])
    .describe(`a list of ${KEY_ACTIONS.join(', ')}`)
    .meta({ about: 'Actions that participants can trigger with keys, such as *1 for `pause`.' }),
  languages: z
    .array(languageSchema)
    .max(9)
    .default([])
    .describe('up to 9 languages, like [en-us, es-es]')
    .meta({
      about:
        'Languages selected by the digits 1 to 9, in this order. If empty, keys cannot change the language.',
    }),
})

export type KeypadSettings = Expanded<z.infer<typeof keypadSettingsSchema>>

/** Fills in the defaults. Throws on an unknown key or an invalid value. */
export function keypadOptions(given: SettingsInput<typeof keypadSettingsSchema> = {}): KeypadSettings {
  return keypadSettingsSchema.parse(given)
}

/** Default of `callerLanguages.days`. */
export const CALLER_LANGUAGE_DAYS = 180

/** Storage of callers’ last language choice. */
const callerLanguageSettingsSchema = z.strictObject({
  key: secret().describe('a secret of 16 characters or more').min(16).meta({
    about:
      'Remembers the last language choice of each caller in the state file. The key of the digests that are stored instead of phone numbers.',
  }),
  days: z
    .int()
    .min(1)
    .max(3_650)
    .optional()
    .meta({ about: `Days without a call before a caller’s choice is deleted (${CALLER_LANGUAGE_DAYS}).` }),
})

/** Settings for calls on any channel. */
export const callsSettingsSchema = z.strictObject({
  maxMinutes: z
    .number()
    .min(1)
    .max(1_440)
    .default(240)
    .meta({ about: 'Maximum duration of a call. Participants are warned before it ends.' }),
  roomCodes: z
    .record(z.string().regex(/^\d{8,12}$/, 'a code of 8 to 12 digits, in quotes'), z.string().min(1).max(64))
    .default({})
    .describe('codes in quotes, each with its room, like { "48291375": desk }')
    .meta({ about: 'Permanent codes, each with the room that it opens.' }),
  callerLanguages: callerLanguageSettingsSchema.optional(),
})

/** Languages of callers without other settings. */
export const languageSettingsSchema = z.strictObject({
  speaks: languageSchema.prefault('en-us').meta({ about: 'Default language of callers.' }),
  hears: languageSchema.prefault('es-es').meta({ about: 'Default language that callers hear.' }),
})

export type LanguageSettings = Readonly<z.infer<typeof languageSettingsSchema>>

/** Handling of calls on shutdown. */
export const drainSettingsSchema = z.strictObject({
  seconds: z
    .int()
    .min(0)
    .max(86_400)
    .default(600)
    .meta({ about: 'Time for calls in progress to end before they are handed over (s).' }),
  newCalls: z.enum(['busy', 'unavailable']).default('busy').meta({
    about: 'Response to new calls meanwhile: a spoken notice, or 503, so that another server answers.',
  }),
  resumeDelaySeconds: z
    .int()
    .min(1)
    .max(60)
    .default(2)
    .meta({ about: 'Delay before a handed-over call is redirected (s).' }),
})

export type DrainSettings = z.infer<typeof drainSettingsSchema>
