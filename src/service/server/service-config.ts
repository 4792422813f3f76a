import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { isLanguageId } from '../../core/languages.ts'
import { serviceLimitsSchema } from '../../guard/limits.ts'
import { trustedProxiesSchema } from '../../guard/trusted-proxies.ts'
import { batchShape } from './batch/batch-config.ts'
import { engineChoicesSchema } from './engines/engine-choices.ts'
import { grammarsSchema } from './engines/grammar.ts'
import { keyLimitsShape } from './key-entry.ts'

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/

/** Whether only this machine can reach `host`. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host)
}

/** Address at which this machine reaches a service that listens at `host`. */
export function serviceUrl(host: string, port: number): string {
  const near = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`
}

const ms = (fallback: number) => z.int().min(1).default(fallback)

const sphinxSchema = z.strictObject({
  enabled: z.boolean().default(true).meta({ about: 'False: as if it were not installed.' }),
  library: z.string().default('libpocketsphinx.so.3').meta({ about: 'The library of the recogniser.' }),
  base: z.string().default('libsphinxbase.so.3').meta({ about: 'The library that it needs.' }),
  models: z
    .string()
    .default('/usr/share/pocketsphinx/model/en-us')
    .meta({ about: 'Folder of its English models.' }),
  warm: z
    .int()
    .min(1)
    .default(1)
    .meta({ about: 'Decoders made at start (92 MB each); the others are made when first needed.' }),
  pauseFrames: z
    .int()
    .min(10)
    .max(200)
    .default(30)
    .meta({ about: 'Pause that ends an utterance, in frames of 10 ms.' }),
  maxHmmPerFrame: z
    .int()
    .min(500)
    .max(30_000)
    .default(3_000)
    .meta({ about: 'Search effort: more is slower and, in noise, a little better.' }),
  stallMs: ms(800).meta({ about: 'An utterance is finished when no audio comes for this long.' }),
  partialMs: ms(200).meta({ about: 'Least time between two unstable captions.' }),
  longMs: ms(10_000).meta({ about: 'From this length an utterance is cut where it is soft.' }),
  grammars: grammarsSchema.meta({
    about: 'Closed vocabularies by name: with one of them nothing else is understood, and that far better.',
  }),
  grammar: z.string().optional().meta({ about: 'The one that holds when a connection names none.' }),
})

const apertiumSchema = z.strictObject({
  enabled: z.boolean().default(true).meta({ about: 'False: as if it were not installed.' }),
  modes: z
    .string()
    .default('/usr/share/apertium/modes')
    .meta({ about: 'Folder of its translation directions.' }),
  timeoutMs: ms(2_000).meta({ about: 'Longest wait for one translation.' }),
  maxWaiting: z.int().min(1).default(200).meta({ about: 'Most texts that wait in one direction.' }),
})

const espeakSchema = z.strictObject({
  enabled: z.boolean().default(true).meta({ about: 'False: as if it were not installed.' }),
  command: z.string().default('espeak-ng').meta({ about: 'The program.' }),
  wordsPerMinute: z.int().min(80).max(450).default(165).meta({ about: 'How fast it speaks.' }),
  amplitude: z.int().min(1).max(200).default(80).meta({ about: 'How loud it speaks.' }),
  timeoutMs: ms(10_000).meta({ about: 'Longest wait for one utterance.' }),
})

const fliteSchema = z.strictObject({
  enabled: z.boolean().default(true).meta({ about: 'False: as if it were not installed.' }),
  command: z.string().default('flite').meta({ about: 'The program.' }),
  timeoutMs: ms(10_000).meta({ about: 'Longest wait for one utterance.' }),
})

/** Settings of the embedded service. Everything has a default except who may use it: `apiKeys`, `keyFile` or `open`. */
export const serviceConfigSchema = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1').meta({ about: 'Where the embedded service listens.' }),
    port: z.int().min(0).max(65_535).default(0).meta({ about: 'Its port; 0: any free one.' }),
    apiKeys: z
      .array(
        z.union([
          z.string().min(1),
          z.strictObject({
            name: z.string().min(1).meta({ about: 'Whose key it is, for the log.' }),
            key: z.string().min(1).meta({ about: 'The key.' }),
            ...keyLimitsShape,
          }),
        ]),
      )
      .default([])
      .meta({
        about:
          'Who may use it: keys, or keys with a name for the log and limits. The bridge always has one of its own.',
      }),
    /** JSON file with more keys, which may change while the service runs: `dragoman keys`. */
    keyFile: z.string().min(1).optional(),
    maxAttemptsPerMinute: z
      .int()
      .min(1)
      .default(10)
      .meta({ about: 'Wrong keys that may come from one address in a minute.' }),
    open: z
      .boolean()
      .default(false)
      .meta({ about: 'No key is needed. Only where nobody but this machine can reach the service.' }),
    maxSessions: z
      .int()
      .min(1)
      .default(() => Math.max(2, availableParallelism() * 2))
      .meta({ about: 'Most sessions at a time.' }),
    idleTimeoutMs: ms(60_000).meta({ about: 'A session without audio for this long ends.' }),
    textIdleTimeoutMs: ms(300_000).meta({ about: 'A session without text for this long ends.' }),
    admitBehindMs: ms(1_000).meta({
      about: 'No new session while the results of another are, or lately were, further behind than this.',
    }),
    maxBehindMs: ms(2_000).meta({
      about: 'A session whose results are further behind than this is told so.',
    }),
    endBehindMs: ms(15_000).meta({ about: 'A session whose results are further behind than this ends.' }),
    maxBacklogMs: ms(40_000).meta({ about: 'Audio that may wait in one session.' }),
    maxFragmentBytes: z
      .int()
      .min(2)
      .default(512 * 1024)
      .meta({ about: 'Largest `write_stream` payload in bytes.' }),
    maxTextLength: z.int().min(1).default(2_000).meta({ about: 'Longest `text` payload in characters.' }),
    maxWaitingTexts: z.int().min(1).default(100).meta({ about: 'Texts that may wait in one session.' }),
    maxBadFragments: z
      .int()
      .min(1)
      .default(50)
      .meta({ about: 'Failed fragments or texts in a row that end a session.' }),
    maxUnreadBytes: z
      .int()
      .min(1)
      .default(4 * 1024 * 1024)
      .meta({ about: 'Bytes that may wait for a client that does not read.' }),
    publicUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .meta({
        about:
          'Address by which clients reach the service, where it is not the one they connect to: behind a proxy.',
      }),
    allowedOrigins: z
      .array(
        z
          .string()
          .describe('an origin like https://app.example.com, or *')
          .refine(
            text => text === '*' || (URL.canParse(text) && new URL(text).origin === text),
            'an origin like https://app.example.com, or *',
          ),
      )
      .default([])
      .meta({
        about:
          'Origins of web pages that may use the service from a browser, like https://app.example.com; `*` with keys only. By default only its own pages may.',
      }),
    /** Proxies that tell the address of who is behind them by `X-Forwarded-For`: where wrong keys are counted by address. */
    trustProxy: trustedProxiesSchema,
    /** How many may knock, how fast, and when nobody else is let in. */
    limits: serviceLimitsSchema.prefault({}),
    phrasebook: z
      .string()
      .optional()
      .meta({ about: 'JSON file with phrases that are consulted before the translator.' }),
    voices: z
      .record(z.string().refine(isLanguageId, 'a language is <language>-<region> like en-us'), z.string())
      .default({})
      .meta({ about: 'The voice of a language, by its id in the voice list.' }),
    ...batchShape,
    engines: z
      .strictObject({
        pocketsphinx: sphinxSchema.prefault({}),
        apertium: apertiumSchema.prefault({}),
        espeak: espeakSchema.prefault({}),
        flite: fliteSchema.prefault({}),
        ...engineChoicesSchema,
      })
      .prefault({}),
  })
  .refine(({ apiKeys }) => new Set(namesOf(apiKeys)).size === namesOf(apiKeys).length, {
    path: ['apiKeys'],
    message: 'a name comes twice',
  })
  .refine(config => config.open || config.keyFile !== undefined || config.apiKeys.length > 0, {
    path: ['apiKeys'],
    message: 'at least one key is needed, or a keyFile, or open: true on loopback',
  })
  .refine(config => !config.open || !config.allowedOrigins.includes('*'), {
    path: ['allowedOrigins'],
    message: 'a service without keys is for listed origins only, not for *',
  })
  .refine(config => !config.open || isLoopback(config.host), {
    path: ['open'],
    message: 'a service without keys listens on loopback only',
  })

function namesOf(keys: readonly (string | { name: string })[]): string[] {
  return keys.flatMap(key => (typeof key === 'string' ? [] : key.name))
}

/** Settings as written: all but the keys may be left out. */
export type ServiceConfig = z.input<typeof serviceConfigSchema>
/** Settings in force. */
export type ServiceSettings = z.output<typeof serviceConfigSchema>

/** `config` checked and filled in. Throws a `RangeError` that names each wrong key and what is allowed. */
export function serviceSettings(config: ServiceConfig): ServiceSettings {
  const parsed = serviceConfigSchema.safeParse(config)
  if (!parsed.success) throw new RangeError(`service settings: ${z.prettifyError(parsed.error)}`)
  return parsed.data
}
