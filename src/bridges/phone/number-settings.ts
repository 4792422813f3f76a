import { z } from 'zod'
import {
  type DeepReadonly,
  DIALED_NUMBER,
  languageSchema,
  NUMBER,
  nameSchema,
  originalSchema,
  speaksSchema,
} from '../../common/setting-fields.ts'

/** A number that can be called. */
export const dialed = () => z.string().regex(DIALED_NUMBER).describe('a number in quotes like "+15551234567"')

/** Number to which callers are connected. */
const dialSettingsSchema = z.strictObject({
  to: dialed().meta({ about: 'Number to which callers of this number are connected.' }),
  speaks: speaksSchema.meta({ about: 'Language of the called participant.' }),
  hears: languageSchema
    .optional()
    .meta({ about: 'Language that the called participant hears. Default: the language they speak.' }),
  original: originalSchema
    .optional()
    .meta({ about: 'Volume of the caller’s original voice under the translation.' }),
  name: nameSchema.optional().meta({ about: 'Name shown with captions.' }),
  unanswered: z
    .enum(['hang-up', 'stay'])
    .optional()
    .meta({ about: 'Handling of the caller when the call is not answered.' }),
})

/** Language menu for callers of a number. */
const menuSettingsSchema = z.strictObject({
  languages: z
    .array(languageSchema)
    .min(2)
    .max(9)
    .describe('2 to 9 languages, like [en-us, es-es]')
    .meta({ about: 'Languages in the menu, the first on key 1.' }),
  mode: z
    .enum(['menu', 'remembered', 'fixed'])
    .optional()
    .meta({ about: 'Ask callers on each call, once (needs calls.callerLanguages), or never.' }),
})

/** One phone number; what is absent follows from the defaults of callers. */
const numberSettingsSchema = z.strictObject({
  speaks: speaksSchema
    .optional()
    .meta({ about: 'Language of callers of this number. none: callers only listen.' }),
  hears: languageSchema.optional().meta({ about: 'Language that callers hear.' }),
  room: z.string().min(1).max(64).optional().describe('the name of a room, up to 64 characters').meta({
    about: 'Room that callers share. Without a room, each call is separate and hears its own translation.',
  }),
  original: originalSchema.optional().meta({ about: 'Volume of original voices under the translation.' }),
  name: nameSchema.optional().meta({ about: 'Name shown with captions.' }),
  dial: dialSettingsSchema.optional(),
  menu: menuSettingsSchema.optional(),
  roomCode: z.boolean().optional().meta({ about: 'Callers enter the code of a room on the keypad.' }),
  maxCalls: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .meta({ about: 'Maximum number of concurrent calls to this number. Default: unlimited.' }),
  maxMinutesPerDay: z
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .meta({ about: 'Maximum minutes of calls to this number per day (UTC). Default: unlimited.' }),
})

export type DialSettings = DeepReadonly<z.infer<typeof dialSettingsSchema>>
export type NumberSettings = DeepReadonly<z.infer<typeof numberSettingsSchema>>

/** Settings of a carrier’s numbers. */
export const numbersSchema = z
  .record(z.string().regex(NUMBER, 'a number in quotes like "+15551234567"'), numberSettingsSchema)
  .default({})
  .describe('numbers like "+15551234567", each with its settings')
  .meta({ about: 'Your numbers, each with the languages that its callers speak and hear.' })
