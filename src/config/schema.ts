import { z } from 'zod'
import { type LanguageId, languageId } from '../core/languages.ts'
import { relayOptionsSchema } from '../core/relay-options.ts'
import { serviceConfigSchema } from '../service/server/service-config.ts'
import { soundOptionsSchema } from '../sounds/sound-options.ts'
import { checkStart, checkTogether, type Started } from './combinations.ts'

const LANGUAGE = 'a language like en-us: <language>-<region>'
const ORIGINAL = ['off', 'low', 'duck'] as const
/** E.164, or the address of a SIP or Voice SDK client, as Twilio writes them in `To`. */
const NUMBER = /^(\+[1-9]\d{6,14}|(sip|client):\S+)$/

const languageSchema = z
  .string()
  .transform((text, context): LanguageId => {
    try {
      return languageId(text)
    } catch {
      context.addIssue({ code: 'custom', message: LANGUAGE })
      return z.NEVER
    }
  })
  .describe(LANGUAGE)

const secret = () => z.string().min(1)

function urlSchema(description: string) {
  return z
    .string()
    .refine(text => isPlainUrl(text), description)
    .describe(description)
}

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  return !url.username && !url.password && !url.search && !url.hash
}

const places = z
  .array(z.string().min(1))
  .min(1)
  .optional()
  .describe('places in a result, like [file.data, audio]')

const serviceSchema = z.strictObject({
  url: urlSchema('an http:// or https:// address without user, query or fragment').optional(),
  apiKey: secret().optional(),
  mode: z.enum(['streaming', 'block']).default('streaming'),
  places: z
    .strictObject({
      audio: places,
      text: places,
      translation: places,
      utterance: places,
      final: places,
      endMs: places,
    })
    .optional(),
})

const numberSchema = z.strictObject({
  speaks: z
    .union([z.literal('none'), languageSchema])
    .optional()
    .describe(`${LANGUAGE}; or none`),
  hears: languageSchema.optional(),
  room: z.string().min(1).max(64).optional().describe('the name of a room, up to 64 characters'),
  original: z.enum(ORIGINAL).optional(),
  name: z.string().min(1).max(64).optional().describe('a name, up to 64 characters'),
})

const twilioSchema = z.strictObject({
  authToken: secret().optional(),
  authTokens: z.array(secret()).optional(),
  insecure: z.boolean().default(false),
  numbers: z
    .record(z.string().regex(NUMBER, 'a number in quotes like "+15551234567"'), numberSchema)
    .default({})
    .describe('numbers like "+15551234567", each with its settings'),
})

/** Everything that can be set: `dragoman.yaml` and the environment are checked against this and nothing else. */
export const configSchema = z
  .strictObject({
    host: z.string().min(1).optional().describe('an address of this machine, like 127.0.0.1 or 0.0.0.0'),
    port: z.int().min(0).max(65_535).default(8080),
    publicUrl: urlSchema('an https:// address without user, query or fragment').optional(),
    log: z
      .strictObject({
        level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
      })
      .prefault({}),
    languages: z
      .strictObject({
        speaks: languageSchema.prefault('en-us'),
        hears: languageSchema.prefault('es-es'),
      })
      .prefault({}),
    service: serviceSchema.prefault({}),
    // Its own rules about keys hold where it is started; here only its settings are of interest.
    embedded: z
      .strictObject({
        ...serviceConfigSchema.shape,
        keyFile: z.string().min(1).default('dragoman.keys.json'),
      })
      .prefault({}),
    relay: relayOptionsSchema.prefault({}),
    sounds: soundOptionsSchema.prefault({}),
    twilio: twilioSchema.prefault({}),
  })
  .superRefine(checkTogether)

/** The same, for what is to be started with them. */
export const START_SCHEMAS = {
  bridge: configSchema.superRefine(checkStart('bridge')),
  service: configSchema.superRefine(checkStart('service')),
} as const satisfies Record<Started, unknown>

/** Settings as written. */
export type ConfigInput = z.input<typeof configSchema>
export type CheckedConfig = z.output<typeof configSchema>

/** Keys whose values are never shown and may come from a file. */
export const SECRETS: readonly string[] = [
  'service.apiKey',
  'twilio.authToken',
  'twilio.authTokens',
  'embedded.apiKeys',
  'embedded.engines.transcription',
  'embedded.engines.translation',
  'embedded.engines.synthesis',
]
