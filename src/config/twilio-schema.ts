import { z } from 'zod'
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
const ringSeconds = () => z.int().min(5).max(120).optional()

/** Whom callers of a number are connected with. */
const dialSchema = z.strictObject({
  to: dialled(),
  speaks: speaksSchema,
  hears: languageSchema.optional(),
  original: originalSchema.optional(),
  name: nameSchema.optional(),
  ringSeconds: ringSeconds(),
  unanswered: z.enum(['hang-up', 'stay']).optional(),
})

/** How callers of a number say which language is theirs. */
const menuSchema = z.strictObject({
  languages: z.array(languageSchema).min(2).max(9).describe('2 to 9 languages, like [en-us, es-es]'),
  mode: z.enum(['menu', 'remembered', 'fixed']).optional(),
})

const numberSchema = z.strictObject({
  speaks: speaksSchema.optional(),
  hears: languageSchema.optional(),
  room: z.string().min(1).max(64).optional().describe('the name of a room, up to 64 characters'),
  original: originalSchema.optional(),
  name: nameSchema.optional(),
  dial: dialSchema.optional(),
  menu: menuSchema.optional(),
  roomCode: z.boolean().optional(),
})

/** Dialling out; without it nobody is called. Its defaults are the dialler's own. */
const outboundSchema = z.strictObject({
  accountSid: z.string().regex(ACCOUNT_SID).describe('the account SID: AC and 32 characters'),
  authToken: secret().optional(),
  apiKeySid: z.string().regex(KEY_SID).optional().describe('the SID of an API key: SK and 32 characters'),
  apiKeySecret: secret().optional(),
  from: dialled(),
  allow: z
    .array(z.string().regex(PREFIX))
    .min(1)
    .describe('prefixes of numbers in quotes, like ["+34", "+1212"]'),
  ringSeconds: ringSeconds(),
  maxConcurrent: z.int().min(1).max(1_000).optional(),
  perMinute: z.int().min(1).max(6_000).optional(),
  perHourEach: z.int().min(1).max(1_000).optional(),
  maxMinutesPerDay: z.int().min(1).max(1_000_000).optional(),
  maxMinutesPerNumber: z.int().min(1).max(1_440).optional(),
  machineDetection: z.boolean().optional(),
  apiUrl: urlSchema('an http:// or https:// address without user, query or fragment').optional(),
  region: z
    .string()
    .regex(/^[a-z]{2}\d$/)
    .optional()
    .describe('a region of Twilio, like ie1'),
  edge: z
    .string()
    .regex(/^[a-z-]{2,40}$/)
    .optional()
    .describe('an edge of Twilio, like dublin'),
})

/** What a media stream may take; as in the bridge's `TwilioLimits`. */
const streamSchema = z.strictObject({
  maxMessageBytes: z.int().min(1_024).max(65_536).default(65_536),
  messagesPerSecond: z.int().min(50).max(1_000).default(60),
  messageBurst: z.int().min(1).max(10_000).default(250),
  maxUnsentBytes: z.int().min(65_536).max(16_777_216).default(1_048_576),
  maxCalls: z.int().min(1).max(1_000_000).default(10_000),
})

export const twilioSchema = z.strictObject({
  authToken: secret().optional(),
  authTokens: z.array(secret()).optional(),
  insecure: z.boolean().default(false),
  limits: streamSchema.prefault({}),
  outbound: outboundSchema.optional(),
  numbers: z
    .record(z.string().regex(NUMBER, 'a number in quotes like "+15551234567"'), numberSchema)
    .default({})
    .describe('numbers like "+15551234567", each with its settings'),
})
