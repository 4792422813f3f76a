/**
 * What the file of an engine states about it: its settings and how it is created. registry.ts lists all engines, and
 * settings, creation, keys of providers, documentation and the doctor follow from that.
 */
import { z } from 'zod'
import type { Clock } from '../../common/clock.ts'
import { isLanguageId } from '../../common/language.ts'
import { type DeepReadonly, isPlainUrl } from '../../common/setting-fields.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { SpeechToText, SpeechTranslator, Synthesizer, TextTranslator } from './engine.ts'
import type { ThreadUse } from './thread-budget.ts'
import { billed } from './usage/billing.ts'
import type { Vocabulary } from './vocabulary/vocabulary.ts'

/** The interface of each kind of engine. */
export interface Ports {
  transcription: SpeechToText
  translation: TextTranslator
  synthesis: Synthesizer
  interpretation: SpeechTranslator
}

/** The dependencies of engines, apart from their settings. */
export interface EngineContext {
  readonly clock: Clock
  readonly wallClock: WallClock
  /** For engines that load it with their model; the others get it with each request. */
  readonly vocabulary: Vocabulary
  /** Maximum number of simultaneous speakers. */
  readonly maxSpeakers: number
  /** Tracks the work of native engines on the threads of this process. */
  readonly threads: ThreadUse
}

/** Schema of an entry of an engine list. */
type EntrySchema = z.ZodObject<{ engine: z.ZodLiteral<string> }>

/** The settings of an engine: what its schema gives. Tests leave out the name. */
export type SettingsOf<S extends z.ZodType> = DeepReadonly<Omit<z.output<S>, 'engine' | 'enabled'>>

/** The variable in which the tools of a provider expect an API key, which is only sent to its own hosts. */
export interface ProviderKey {
  readonly variable: string
  readonly hosts: RegExp
}

/** An engine that serves once the settings list it. */
export interface ListedEngine<K extends keyof Ports, S extends EntrySchema> {
  readonly kind: K
  /** Its entry in the list of its kind. */
  readonly schema: S
  readonly key?: ProviderKey
  /** Path of a request that its server answers without work, for the doctor. `keyless`: without the key. */
  readonly question?: { readonly path: string; readonly keyless?: boolean }
  /** Rejects with an `EngineError` if it is not available, with a `RangeError` if the settings do not fit. */
  create(settings: SettingsOf<S>, context: EngineContext): Ports[K] | Promise<Ports[K]>
}

/** What the doctor has found: the engine, or what is missing with the system packages to install. */
export type Examination = { readonly found: string } | { readonly missing: string; readonly packages: string }

/** A program or library of this machine, which serves if it is installed and not disabled. */
export interface InstalledEngine<
  K extends keyof Ports,
  Name extends string,
  S extends z.ZodObject<{ enabled: z.ZodType<boolean> }>,
> {
  readonly kind: K
  readonly name: Name
  /** Its own section of the settings. */
  readonly settings: S
  create(settings: SettingsOf<S>, context: EngineContext): Promise<Ports[K]>
  /** Never rejects. */
  examine(settings: SettingsOf<S>): Promise<Examination>
}

export function listedEngine<K extends keyof Ports, S extends EntrySchema>(
  engine: ListedEngine<K, S>,
): ListedEngine<K, S> {
  return engine
}

/** Adds the entry by which a list places it in its order, optionally for some languages only. */
export function installedEngine<
  K extends keyof Ports,
  const Name extends string,
  S extends z.ZodObject<{ enabled: z.ZodType<boolean> }>,
>(engine: InstalledEngine<K, Name, S>) {
  const schema = z.strictObject({ engine: engineName(engine.name), languages: languagesSchema.optional() })
  return { ...engine, schema }
}

/** Discriminator of the entries of an engine list. */
export const engineName = <T extends string>(name: T) => z.literal(name).meta({ about: 'Kind of engine.' })

/** Schema of the entry of an engine at a server, which can have a price and a budget. */
export function serverEntry<const Name extends string, Shape extends z.core.$ZodLooseShape>(
  name: Name,
  shape: Shape,
) {
  return billed(z.strictObject({ engine: engineName(name), ...shape }))
}

export const enabledField = z
  .boolean()
  .default(true)
  .meta({ about: '`false` disables the engine even if installed.' })

export const languageSchema = z
  .string()
  .refine(isLanguageId, 'expected a language like en-us (<language>-<region>)')
export const languagesSchema = z
  .array(languageSchema)
  .min(1)
  .meta({ about: 'Languages for which this engine is used.' })

/** Languages of a translator that translates each into all others. */
export const translatedLanguages = z
  .array(languageSchema)
  .min(2)
  .meta({ about: 'Languages it translates, each into all others.' })

/** Languages of an engine from speech to speech. */
export const interpretedLanguages = z.array(languageSchema).min(2).meta({
  about: 'Languages of the calls, each translated into those of the others that the model speaks.',
})

/** Name of a model; without a default, it is required. */
export const modelField = z.string().min(1).meta({ about: 'Name of the model.' })

/** The pause that ends an utterance (ms). */
export const pauseField = (least: number, most: number, fallback: number) =>
  z.int().min(least).max(most).default(fallback).meta({ about: 'Pause that ends an utterance (ms).' })

/** Speaking rate, relative to normal. */
export const speedField = (least: number, most: number) =>
  z.number().min(least).max(most).default(1).meta({ about: 'Speaking rate; 1 is normal.' })

/** Address of a server, with or without the `/v1` of its paths. */
const addressSchema = z
  .string()
  .refine(isPlainUrl, 'an http:// or https:// address without user, query or fragment')
  .transform(text => text.replace(/\/+$/, '').replace(/\/v1$/, ''))

/** Address of a server or resource of the operator. */
export const ownUrlField = (about: string) => addressSchema.meta({ about })

/** Address of a hosted service, which only tests and proxies change. */
export const urlField = (fallback: string) =>
  addressSchema.default(fallback).meta({ about: 'URL of the service.' })

/** The key of a server or service: as text or in a file. */
export const keyFields = {
  apiKey: z.string().min(1).optional().meta({ about: 'API key for the server.' }),
  apiKeyFile: z.string().min(1).optional().meta({ about: 'File with the API key.' }),
}

/** Address, key and time of an HTTP server of any operator: a large model on a small machine takes long. */
export const serverFields = {
  url: ownUrlField('URL of the server.'),
  ...keyFields,
  timeoutMs: z.int().min(1).default(10_000).meta({ about: 'Timeout of a request, including retries (ms).' }),
}

/** Access to an HTTP server. `apiKey` is sent as `Authorization: Bearer`, and is never part of an error or a log line. */
export type EngineHttpOptions = Omit<DeepReadonly<z.infer<z.ZodObject<typeof serverFields>>>, 'timeoutMs'> & {
  /** Default: 10 000 ms. */
  readonly timeoutMs?: number
}

/** Voices of a server. */
export const voicesSchema = z
  .array(
    z.strictObject({
      voice: z.string().min(1).meta({ about: 'Name of the voice at the server.' }),
      languages: languagesSchema,
      gender: z.enum(['M', 'F']).meta({ about: 'Gender of the voice.' }),
    }),
  )
  .min(1)
  .meta({ about: 'Voices of the server, each with the languages it speaks.' })

/** A voice of a server. The settings supply what the server does not report: the gender and usually the language. */
export type ServerVoice = DeepReadonly<z.infer<typeof voicesSchema>[number]>
