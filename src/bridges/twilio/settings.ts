import { z } from 'zod'
import {
  DIALED_NUMBER,
  languageSchema,
  NUMBER,
  nameSchema,
  originalSchema,
  secret,
  speaksSchema,
  urlSchema,
} from '../../common/setting-fields.ts'
import { streamSettingsSchema } from '../telephony/limits.ts'

const PREFIX = /^\+\d{1,14}$/
const ACCOUNT_SID = /^AC\w{32}$/
const KEY_SID = /^SK\w{32}$/

const dialed = () => z.string().regex(DIALED_NUMBER).describe('a number in quotes like "+15551234567"')
const spend = () => z.number().positive().max(1_000_000).optional().describe('an amount of money above 0')
const ringSeconds = () => z.int().min(5).max(120).optional()

/** Number to which callers are connected. */
const dialSchema = z.strictObject({
  to: dialed().meta({ about: 'Number to which callers of this number are connected.' }),
  speaks: speaksSchema.meta({ about: 'Language of the called participant.' }),
  hears: languageSchema
    .optional()
    .meta({ about: 'Language that the called participant hears. Default: the language they speak.' }),
  original: originalSchema
    .optional()
    .meta({ about: 'Volume of the caller’s original voice under the translation.' }),
  name: nameSchema.optional().meta({ about: 'Name shown with captions.' }),
  ringSeconds: ringSeconds().meta({ about: 'Ringing time of the phone (30).' }),
  unanswered: z
    .enum(['hang-up', 'stay'])
    .optional()
    .meta({ about: 'Handling of the caller when the call is not answered.' }),
})

/** Language menu for callers of a number. */
const menuSchema = z.strictObject({
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

const numberSchema = z.strictObject({
  speaks: speaksSchema
    .optional()
    .meta({ about: 'Language of callers of this number. none: callers only listen.' }),
  hears: languageSchema.optional().meta({ about: 'Language that callers hear.' }),
  room: z.string().min(1).max(64).optional().describe('the name of a room, up to 64 characters').meta({
    about: 'Room that callers share. Without a room, each call is separate and hears its own translation.',
  }),
  original: originalSchema.optional().meta({ about: 'Volume of original voices under the translation.' }),
  name: nameSchema.optional().meta({ about: 'Name shown with captions.' }),
  dial: dialSchema.optional(),
  menu: menuSchema.optional(),
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

/** Outbound calls. Without this section, no calls are placed. The dialer supplies the defaults. */
const outboundSchema = z.strictObject({
  accountSid: z
    .string()
    .regex(ACCOUNT_SID)
    .describe('the account SID: AC and 32 characters')
    .meta({ about: 'Account that places calls. Without this section, no calls are placed.' }),
  authToken: secret()
    .optional()
    .meta({ about: 'Auth token of that account, if it differs from twilio.authToken.' }),
  apiKeySid: z
    .string()
    .regex(KEY_SID)
    .optional()
    .describe('the SID of an API key: SK and 32 characters')
    .meta({ about: 'API key to use instead of the auth token.' }),
  apiKeySecret: secret().optional().meta({ about: 'Secret of the API key.' }),
  from: dialed().meta({
    about: 'Caller ID of outbound calls: one of your Twilio numbers, or a number verified with Twilio.',
  }),
  allowedPrefixes: z
    .array(z.string().regex(PREFIX))
    .min(1)
    .describe('prefixes of numbers in quotes, like ["+34", "+1212"]')
    .meta({
      about:
        'Prefixes of numbers that may be called. Emergency, short, premium-rate and satellite numbers are always rejected.',
    }),
  ringSeconds: ringSeconds().meta({ about: 'Ringing time of the phone (30).' }),
  maxConcurrent: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .meta({ about: 'Maximum number of concurrent outbound calls (10).' }),
  maxCallsPerMinute: z
    .int()
    .min(1)
    .max(6_000)
    .optional()
    .meta({ about: 'Maximum number of outbound calls per minute (60).' }),
  maxCallsPerHourPerDestination: z.int().min(1).max(1_000).optional().meta({
    about:
      'Maximum number of calls to one destination per hour (6). Calls of numbers.….dial are not counted.',
  }),
  maxMinutesPerDay: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .meta({ about: 'Maximum minutes of all outbound calls per day (UTC). Default: unlimited.' }),
  maxMinutesPerNumber: z
    .int()
    .min(1)
    .max(1_440)
    .optional()
    .meta({ about: 'Maximum minutes of calls to one destination per day (UTC). Default: unlimited.' }),
  maxMinutesPerKey: z.int().min(1).max(1_000_000).optional().meta({
    about: 'Maximum minutes of calls placed by one key of the control API per day (UTC). Default: unlimited.',
  }),
  prices: z
    .record(
      z.string().regex(PREFIX, 'a prefix of numbers in quotes, like "+34"'),
      z.number().min(0).max(1_000).describe('the price of a minute, 0 to 1000'),
    )
    .optional()
    .describe('prefixes of numbers, each with the price of a minute, like { "+34": 0.06 }')
    .meta({
      about:
        'Price of an outbound minute by number prefix, in the currency of the account. The longest matching prefix applies. Required for the next three settings.',
    }),
  maxSpendPerDay: spend().meta({
    about: 'Maximum cost of all outbound calls per day (UTC). Default: unlimited.',
  }),
  maxSpendPerNumber: spend().meta({
    about: 'Maximum cost of calls to one destination per day (UTC). Default: unlimited.',
  }),
  maxSpendPerKey: spend().meta({
    about: 'Maximum cost of calls placed by one key of the control API per day (UTC). Default: unlimited.',
  }),
  machineDetection: z
    .boolean()
    .optional()
    .meta({ about: 'Hang up on answering machines (true). Twilio charges for detecting them.' }),
  apiUrl: urlSchema('an http:// or https:// address without user, query or fragment')
    .optional()
    .meta({ about: 'Alternative address of the REST API, for tests.' }),
  region: z
    .string()
    .regex(/^[a-z]{2}\d$/)
    .optional()
    .describe('a Twilio region, like ie1')
    .meta({ about: 'Twilio region, if not us1.' }),
  edge: z
    .string()
    .regex(/^[a-z-]{2,40}$/)
    .optional()
    .describe('a Twilio edge, like dublin')
    .meta({ about: 'Edge of that region.' }),
})

export const twilioSchema = z.strictObject({
  authToken: secret().optional().meta({
    about:
      'Auth token of the account. It verifies that requests come from Twilio. Without it, only local requests are accepted.',
  }),
  authTokens: z
    .array(secret())
    .optional()
    .meta({ about: 'Several auth tokens instead of one, during rotation.' }),
  insecure: z
    .boolean()
    .default(false)
    .meta({ about: 'Accept unsigned requests from this machine, for testing.' }),
  limits: streamSettingsSchema.prefault({}),
  outbound: outboundSchema.optional(),
  usageFile: z.string().min(1).default('dragoman.calls.json').describe('the path of a file').meta({
    about:
      'File with the minutes and costs counted toward daily limits, so that a restart does not reset them. Contains no phone numbers.',
  }),
  numbers: z
    .record(z.string().regex(NUMBER, 'a number in quotes like "+15551234567"'), numberSchema)
    .default({})
    .describe('numbers like "+15551234567", each with its settings')
    .meta({ about: 'Your numbers, each with the languages that its callers speak and hear.' }),
})
