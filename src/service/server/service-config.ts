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
  /** False: as if it were not installed. */
  enabled: z.boolean().default(true),
  library: z.string().default('libpocketsphinx.so.3'),
  base: z.string().default('libsphinxbase.so.3'),
  models: z.string().default('/usr/share/pocketsphinx/model/en-us'),
  /** Decoders made at start (92 MB each); the others are made when first needed. */
  warm: z.int().min(1).default(1),
  /** Pause that ends an utterance, in frames of 10 ms. */
  pauseFrames: z.int().min(10).max(200).default(30),
  maxHmmPerFrame: z.int().min(500).max(30_000).default(3_000),
  /** An utterance is finished when no audio comes for this long. */
  stallMs: ms(800),
  partialMs: ms(200),
  /** From this length an utterance is cut where it is soft. */
  longMs: ms(10_000),
  /** Closed vocabularies by name: with one of them nothing else is understood, and that far better. */
  grammars: grammarsSchema,
  /** The one that holds when a connection names none. */
  grammar: z.string().optional(),
})

const apertiumSchema = z.strictObject({
  enabled: z.boolean().default(true),
  modes: z.string().default('/usr/share/apertium/modes'),
  timeoutMs: ms(2_000),
  maxWaiting: z.int().min(1).default(200),
})

const espeakSchema = z.strictObject({
  enabled: z.boolean().default(true),
  command: z.string().default('espeak-ng'),
  wordsPerMinute: z.int().min(80).max(450).default(165),
  amplitude: z.int().min(1).max(200).default(80),
  timeoutMs: ms(10_000),
})

const fliteSchema = z.strictObject({
  enabled: z.boolean().default(true),
  command: z.string().default('flite'),
  timeoutMs: ms(10_000),
})

/** Settings of the embedded service. Everything has a default except who may use it: `apiKeys`, `keyFile` or `open`. */
export const serviceConfigSchema = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1'),
    /** 0: any free one. */
    port: z.int().min(0).max(65_535).default(0),
    apiKeys: z
      .array(
        z.union([
          z.string().min(1),
          z.strictObject({ name: z.string().min(1), key: z.string().min(1), ...keyLimitsShape }),
        ]),
      )
      .default([]),
    /** JSON file with more keys, which may change while the service runs: `dragoman keys`. */
    keyFile: z.string().min(1).optional(),
    /** Wrong keys that may come from one address in a minute. */
    maxAttemptsPerMinute: z.int().min(1).default(10),
    /** No key is needed. Only where nobody but this machine can reach the service. */
    open: z.boolean().default(false),
    /** Most sessions at a time. */
    maxSessions: z
      .int()
      .min(1)
      .default(() => Math.max(2, availableParallelism() * 2)),
    /** A session without audio for this long ends. */
    idleTimeoutMs: ms(60_000),
    /** A session without text for this long ends. */
    textIdleTimeoutMs: ms(300_000),
    /** No new session while the results of another are, or lately were, further behind than this. */
    admitBehindMs: ms(1_000),
    /** A session whose results are further behind than this is told so. */
    maxBehindMs: ms(2_000),
    /** … and beyond this it ends. */
    endBehindMs: ms(15_000),
    /** Audio that may wait in one session. */
    maxBacklogMs: ms(40_000),
    /** Largest `write_stream` payload in bytes. */
    maxFragmentBytes: z
      .int()
      .min(2)
      .default(512 * 1024),
    /** Longest `text` payload in characters. */
    maxTextLength: z.int().min(1).default(2_000),
    /** Texts that may wait in one session. */
    maxWaitingTexts: z.int().min(1).default(100),
    /** Failed fragments or texts in a row that end a session. */
    maxBadFragments: z.int().min(1).default(50),
    /** Bytes that may wait for a client that does not read. */
    maxUnreadBytes: z
      .int()
      .min(1)
      .default(4 * 1024 * 1024),
    /** Address by which clients reach the service, where it is not the one they connect to: behind a proxy. */
    publicUrl: z.url({ protocol: /^https?$/ }).optional(),
    /** Proxies that tell the address of who is behind them by `X-Forwarded-For`: where wrong keys are counted by address. */
    trustProxy: trustedProxiesSchema,
    /** How many may knock, how fast, and when nobody else is let in. */
    limits: serviceLimitsSchema.prefault({}),
    /** JSON file with phrases that are consulted before the translator. */
    phrasebook: z.string().optional(),
    /** The voice of a language, by its id in the voice list. */
    voices: z
      .record(z.string().refine(isLanguageId, 'a language is <language>-<region> like en-us'), z.string())
      .default({}),
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
