import { z } from 'zod'
import { streamSettingsSchema } from '../bridges/twilio/limits.ts'
import {
  DIALLED_NUMBER,
  languageSchema,
  NUMBER,
  nameSchema,
  originalSchema,
  secret,
  speaksSchema,
  urlSchema,
} from './fields.ts'

const PREFIX = /^\+\d{1,14}$/
const ACCOUNT_SID = /^AC\w{32}$/
const KEY_SID = /^SK\w{32}$/

const dialled = () => z.string().regex(DIALLED_NUMBER).describe('a number in quotes like "+15551234567"')
const spend = () => z.number().positive().max(1_000_000).optional().describe('an amount of money above 0')
const ringSeconds = () => z.int().min(5).max(120).optional()

/** Whom callers of a number are connected with. */
const dialSchema = z.strictObject({
  to: dialled().meta({ about: 'Whom callers of this number are connected with.' }),
  speaks: speaksSchema.meta({ about: 'What they speak.' }),
  hears: languageSchema.optional().meta({ about: 'What they hear; by default what they speak.' }),
  original: originalSchema
    .optional()
    .meta({ about: 'How loud the caller is under the translation, for them.' }),
  name: nameSchema.optional().meta({ about: 'Their name, shown with captions.' }),
  ringSeconds: ringSeconds().meta({ about: 'How long their telephone rings (30).' }),
  unanswered: z
    .enum(['hang-up', 'stay'])
    .optional()
    .meta({ about: 'What becomes of the caller when nobody answers.' }),
})

/** How callers of a number say which language is theirs. */
const menuSchema = z.strictObject({
  languages: z
    .array(languageSchema)
    .min(2)
    .max(9)
    .describe('2 to 9 languages, like [en-us, es-es]')
    .meta({ about: 'Languages that callers choose from, the first by key 1.' }),
  mode: z
    .enum(['menu', 'remembered', 'fixed'])
    .optional()
    .meta({ about: 'Whether callers are asked each time, once (calls.remembered), or not at all.' }),
})

const numberSchema = z.strictObject({
  speaks: speaksSchema
    .optional()
    .meta({ about: 'What callers of this number speak; none: they only listen.' }),
  hears: languageSchema.optional().meta({ about: 'What they hear.' }),
  room: z.string().min(1).max(64).optional().describe('the name of a room, up to 64 characters').meta({
    about:
      'The room in which they hear each other. Without one every call is alone and hears its own translation.',
  }),
  original: originalSchema.optional().meta({ about: 'How loud original voices are under the translation.' }),
  name: nameSchema.optional().meta({ about: 'Their name, shown with captions.' }),
  dial: dialSchema.optional(),
  menu: menuSchema.optional(),
  roomCode: z.boolean().optional().meta({ about: 'Callers key in the code of a room.' }),
  maxCalls: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .meta({ about: 'Most calls to this number at a time. Not set: no limit.' }),
  maxMinutesPerDay: z
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .meta({ about: 'Minutes of calls to this number, a day (UTC). Not set: no limit.' }),
})

/** Dialling out; without it nobody is called. Its defaults are the dialler's own. */
const outboundSchema = z.strictObject({
  accountSid: z
    .string()
    .regex(ACCOUNT_SID)
    .describe('the account SID: AC and 32 characters')
    .meta({ about: 'The account that calls people. Without this section nobody is ever called.' }),
  authToken: secret().optional().meta({ about: 'Its auth token, if it is another than twilio.authToken.' }),
  apiKeySid: z
    .string()
    .regex(KEY_SID)
    .optional()
    .describe('the SID of an API key: SK and 32 characters')
    .meta({ about: 'An API key instead of the token.' }),
  apiKeySecret: secret().optional().meta({ about: "The API key's secret." }),
  from: dialled().meta({
    about: 'The number shown to those who are called: one of yours, or verified at Twilio.',
  }),
  allow: z
    .array(z.string().regex(PREFIX))
    .min(1)
    .describe('prefixes of numbers in quotes, like ["+34", "+1212"]')
    .meta({
      about:
        'Prefixes of the numbers that may be called. Emergency, short, premium-rate and satellite numbers never are.',
    }),
  ringSeconds: ringSeconds().meta({ about: 'How long a telephone rings (30).' }),
  maxConcurrent: z.int().min(1).max(1_000).optional().meta({ about: 'Most calls out at a time (10).' }),
  perMinute: z.int().min(1).max(6_000).optional().meta({ about: 'Most calls out in a minute (60).' }),
  perHourEach: z.int().min(1).max(1_000).optional().meta({
    about: 'Most calls to one destination in an hour (6); those of numbers.….dial are not counted.',
  }),
  maxMinutesPerDay: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .meta({ about: 'Minutes of all calls out together, a day (UTC). Not set: no limit.' }),
  maxMinutesPerNumber: z
    .int()
    .min(1)
    .max(1_440)
    .optional()
    .meta({ about: 'Minutes of calls to one number, a day (UTC). Not set: no limit.' }),
  maxMinutesPerKey: z.int().min(1).max(1_000_000).optional().meta({
    about: 'Minutes of calls that one key of the control API asks for, a day (UTC). Not set: no limit.',
  }),
  prices: z
    .record(
      z.string().regex(PREFIX, 'a prefix of numbers in quotes, like "+34"'),
      z.number().min(0).max(1_000).describe('what a minute costs, 0 to 1000'),
    )
    .optional()
    .describe('prefixes of numbers, each with what a minute costs, like { "+34": 0.06 }')
    .meta({
      about:
        'What a minute of a call out costs, by the beginning of the number, the longest that fits; in the currency of the account. Needed for the next three.',
    }),
  maxSpendPerDay: spend().meta({
    about: 'Money for all calls out together, a day (UTC). Not set: no limit.',
  }),
  maxSpendPerNumber: spend().meta({
    about: 'Money for calls to one number, a day (UTC). Not set: no limit.',
  }),
  maxSpendPerKey: spend().meta({
    about: 'Money for calls that one key of the control API asks for, a day (UTC). Not set: no limit.',
  }),
  machineDetection: z
    .boolean()
    .optional()
    .meta({ about: 'Whether answering machines are hung up on (true; Twilio charges for telling them).' }),
  apiUrl: urlSchema('an http:// or https:// address without user, query or fragment')
    .optional()
    .meta({ about: 'Another address of the REST API, for tests.' }),
  region: z
    .string()
    .regex(/^[a-z]{2}\d$/)
    .optional()
    .describe('a region of Twilio, like ie1')
    .meta({ about: 'Another region of Twilio than us1.' }),
  edge: z
    .string()
    .regex(/^[a-z-]{2,40}$/)
    .optional()
    .describe('an edge of Twilio, like dublin')
    .meta({ about: 'The edge of that region.' }),
})

export const twilioSchema = z.strictObject({
  authToken: secret().optional().meta({
    about:
      "The account's auth token: verifies that requests come from Twilio. Without one the server answers this machine only.",
  }),
  authTokens: z
    .array(secret())
    .optional()
    .meta({ about: 'Instead of it: several, while the token is being rotated.' }),
  insecure: z
    .boolean()
    .default(false)
    .meta({ about: 'Takes unsigned requests, from this machine only: for trying things out.' }),
  limits: streamSettingsSchema.prefault({}),
  outbound: outboundSchema.optional(),
  usageFile: z.string().min(1).default('dragoman.calls.json').describe('the path of a file').meta({
    about:
      'Where minutes and money of a day are kept that have a ceiling, so that a restart does not begin anew. The file holds no numbers.',
  }),
  numbers: z
    .record(z.string().regex(NUMBER, 'a number in quotes like "+15551234567"'), numberSchema)
    .default({})
    .describe('numbers like "+15551234567", each with its settings')
    .meta({ about: 'Your numbers, each with what its callers speak and hear.' }),
})
