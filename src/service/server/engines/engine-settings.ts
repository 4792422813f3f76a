import { z } from 'zod'
import { isLanguageId } from '../../../common/language.ts'
import type { DeepReadonly } from '../../../common/setting-fields.ts'
import { AUDIO_RATES } from '../../contract.ts'
import { grammarsSchema } from './pocketsphinx/grammar.ts'
import { billed } from './usage/billing.ts'

/** Discriminator of the list entries. */
const ENGINE = 'Kind of engine.'

const ms = (fallback: number) => z.int().min(1).default(fallback)
const language = z.string().refine(isLanguageId, 'expected a language like en-us (<language>-<region>)')
const languages = z.array(language).min(1).meta({ about: 'Languages for which this engine is used.' })
/** Address of the server, with or without the `/v1` of its paths. */
const url = z
  .string()
  .refine(isAddress, 'an http:// or https:// address without user, query or fragment')
  .transform(text => text.replace(/\/+$/, '').replace(/\/v1$/, ''))
  .meta({ about: 'URL of the server.' })

const server = {
  url,
  apiKey: z.string().min(1).optional().meta({ about: 'API key for the server.' }),
  timeoutMs: ms(10_000).meta({ about: 'Timeout of a request, including retries (ms).' }),
  retries: z.int().min(0).max(5).default(1).meta({ about: 'Number of retries.' }),
  cooldownMs: ms(5_000).meta({ about: 'Cooldown after three consecutive failures (ms).' }),
}

/** An engine behind HTTP. `apiKey` is sent as `Authorization: Bearer`, and is never part of an error or a log line. */
export type EngineHttpOptions = Readonly<z.infer<z.ZodObject<typeof server>>>

const openAiTranscription = z.strictObject({
  engine: z.literal('openai').meta({ about: ENGINE }),
  ...server,
  model: z.string().min(1).meta({ about: 'Name of the model.' }),
  languages,
  // `verbose_json` includes the confidence of the model, by which noise is filtered out; some models support only `json`.
  format: z
    .enum(['verbose_json', 'json'])
    .default('verbose_json')
    .meta({ about: 'Requested response format.' }),
  streaming: z.boolean().default(false).meta({ about: 'Request partial texts.' }),
  prompt: z.string().optional().meta({ about: 'Words and names to expect, as a hint for the model.' }),
  pauseMs: z.int().min(100).max(3_000).default(400).meta({ about: 'Pause that ends an utterance (ms).' }),
  stallMs: ms(800).meta({ about: 'Time without audio after which an utterance is finished (ms).' }),
  maxUtteranceMs: ms(15_000).meta({ about: 'Length from which an utterance is split at a quiet spot (ms).' }),
})

export type OpenAiTranscriberOptions = DeepReadonly<Omit<z.infer<typeof openAiTranscription>, 'engine'>>

const queue = {
  parallel: z.int().min(1).max(64).default(4).meta({ about: 'Concurrent requests per language pair.' }),
  maxWaiting: z.int().min(1).default(100).meta({ about: 'Maximum number of queued requests.' }),
}

export type HttpTranslatorOptions = EngineHttpOptions & Readonly<z.infer<z.ZodObject<typeof queue>>>

const openAiTranslation = z.strictObject({
  engine: z.literal('openai').meta({ about: ENGINE }),
  ...server,
  ...queue,
  model: z.string().min(1).meta({ about: 'Name of the model.' }),
  languages: z.array(language).min(2).meta({ about: 'Languages it translates, each into all others.' }),
  context: z.string().optional().meta({ about: 'Topic of the calls, as context for the model.' }),
})

export type ChatTranslatorOptions = DeepReadonly<Omit<z.infer<typeof openAiTranslation>, 'engine'>>

const libreTranslate = z.strictObject({
  engine: z.literal('libretranslate').meta({ about: ENGINE }),
  ...server,
  ...queue,
  languages: languages.optional(),
})

export type LibreTranslateOptions = DeepReadonly<Omit<z.infer<typeof libreTranslate>, 'engine'>>

const voices = z
  .array(
    z.strictObject({
      voice: z.string().min(1).meta({ about: 'Name of the voice at the server.' }),
      languages,
      gender: z.enum(['M', 'F']).meta({ about: 'Gender of the voice.' }),
    }),
  )
  .min(1)
  .meta({ about: 'Voices of the server, each with the languages it speaks.' })

/** A voice of a server. The settings supply what the server does not report: the gender and usually the language. */
export type ServerVoice = DeepReadonly<z.infer<typeof voices>[number]>

const openAiSynthesis = z.strictObject({
  engine: z.literal('openai').meta({ about: ENGINE }),
  ...server,
  model: z.string().min(1).meta({ about: 'Name of the model.' }),
  voices,
  format: z.enum(['pcm', 'wav', 'mp3']).default('pcm').meta({ about: 'Requested response format.' }),
  pcmRate: z.literal(AUDIO_RATES).default(24_000).meta({ about: 'Sample rate of headerless samples (Hz).' }),
  speed: z.number().min(0.25).max(4).default(1).meta({ about: 'Speaking rate; 1 is normal.' }),
  neural: z
    .boolean()
    .default(true)
    .meta({ about: 'Value of `voiceEngine` in the voice list: neural or standard.' }),
})

export type OpenAiSynthesizerOptions = DeepReadonly<Omit<z.infer<typeof openAiSynthesis>, 'engine'>>

const piper = z.strictObject({
  engine: z.literal('piper').meta({ about: ENGINE }),
  ...server,
  voices,
  speed: z.number().min(0.25).max(4).default(1).meta({ about: 'Speaking rate; 1 is normal.' }),
  legacy: z.boolean().default(false).meta({ about: 'Servers of the first generation: plain text at `/`.' }),
  neural: z
    .boolean()
    .default(true)
    .meta({ about: 'Value of `voiceEngine` in the voice list: neural or standard.' }),
})

export type PiperOptions = DeepReadonly<Omit<z.infer<typeof piper>, 'engine'>>

const espeakSchema = z.strictObject({
  enabled: z.boolean().default(true).meta({ about: '`false` disables the engine even if installed.' }),
  command: z.string().default('espeak-ng').meta({ about: 'Program to run.' }),
  wordsPerMinute: z.int().min(80).max(450).default(165).meta({ about: 'Speaking rate.' }),
  amplitude: z.int().min(1).max(200).default(80).meta({ about: 'Volume of the voice (1–200).' }),
  timeoutMs: ms(10_000).meta({ about: 'Timeout for one utterance (ms).' }),
})

const fliteSchema = z.strictObject({
  enabled: z.boolean().default(true).meta({ about: '`false` disables the engine even if installed.' }),
  command: z.string().default('flite').meta({ about: 'Program to run.' }),
  timeoutMs: ms(10_000).meta({ about: 'Timeout for one utterance (ms).' }),
})

export type EspeakOptions = Readonly<Omit<z.infer<typeof espeakSchema>, 'enabled'>>
export type FliteOptions = Readonly<Omit<z.infer<typeof fliteSchema>, 'enabled'>>

export const pocketSphinxSettingsSchema = z.strictObject({
  enabled: z.boolean().default(true).meta({ about: '`false` disables the engine even if installed.' }),
  library: z.string().default('libpocketsphinx.so.3').meta({ about: 'Shared library of the recognizer.' }),
  base: z
    .string()
    .default('libsphinxbase.so.3')
    .meta({ about: 'Base library that the recognizer depends on.' }),
  models: z
    .string()
    .default('/usr/share/pocketsphinx/model/en-us')
    .meta({ about: 'Folder of the English models.' }),
  warm: z
    .int()
    .min(1)
    .default(1)
    .meta({ about: 'Decoders created at startup (92 MB each); more are created on demand.' }),
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
    .meta({ about: 'Search effort. Higher values are slower and slightly more accurate in noise.' }),
  stallMs: ms(800).meta({ about: 'Time without audio after which an utterance is finished (ms).' }),
  partialMs: ms(200).meta({ about: 'Minimum time between two partial results (ms).' }),
  maxUtteranceMs: ms(10_000).meta({ about: 'Length from which an utterance is split at a quiet spot (ms).' }),
  grammars: grammarsSchema.meta({
    about:
      'Closed vocabularies by name. Only the phrases of the chosen one are recognized, far more accurately.',
  }),
  grammar: z.string().optional().meta({ about: 'Default grammar for connections that name none.' }),
})

export type PocketSphinxSettings = Readonly<Omit<z.infer<typeof pocketSphinxSettingsSchema>, 'enabled'>>

export const apertiumSettingsSchema = z.strictObject({
  enabled: z.boolean().default(true).meta({ about: '`false` disables the engine even if installed.' }),
  modes: z
    .string()
    .default('/usr/share/apertium/modes')
    .meta({ about: 'Folder of the translation modes (language pairs).' }),
  timeoutMs: ms(2_000).meta({ about: 'Timeout for one translation (ms).' }),
  maxWaiting: z
    .int()
    .min(1)
    .default(200)
    .meta({ about: 'Maximum number of queued texts per language pair.' }),
})

export type ApertiumOptions = Readonly<Omit<z.infer<typeof apertiumSettingsSchema>, 'enabled'>>

/** Settings of the local synthesizers by name, in order of preference. `SYNTHESIZERS` in engine-selection.ts creates them. */
export const localSynthesisSchema = {
  espeak: espeakSchema.prefault({}),
  flite: fliteSchema.prefault({}),
}
const LOCAL_SYNTHESIS = z.keyof(z.strictObject(localSynthesisSchema))
export type LocalSynthesisSettings = z.infer<ReturnType<typeof z.strictObject<typeof localSynthesisSchema>>>

/** An installed engine with its position in the order, optionally for some languages only. */
const installed = <T extends string>(engine: T) =>
  z.strictObject({ engine: z.literal(engine).meta({ about: ENGINE }), languages: languages.optional() })

const tableOf = (...engines: string[]) => `a table whose engine is one of ${engines.join(', ')}`

/** Engines by task, in order of preference. Installed engines that are not named come last. */
export const engineChoicesSchema = {
  transcription: z
    .array(
      z
        .discriminatedUnion('engine', [billed(openAiTranscription), installed('pocketsphinx')])
        .describe(tableOf('openai', 'pocketsphinx')),
    )
    .default([])
    .meta({ about: 'Speech recognition engines, in order of preference.' }),
  translation: z
    .array(
      z
        .discriminatedUnion('engine', [
          billed(openAiTranslation),
          billed(libreTranslate),
          installed('apertium'),
        ])
        .describe(tableOf('openai', 'libretranslate', 'apertium')),
    )
    .default([])
    .meta({ about: 'Translation engines, in order of preference.' }),
  synthesis: z
    .array(
      z
        .discriminatedUnion('engine', [
          billed(openAiSynthesis),
          billed(piper),
          z.strictObject({
            engine: LOCAL_SYNTHESIS.meta({ about: ENGINE }),
            languages: languages.optional(),
          }),
        ])
        .describe(tableOf('openai', 'piper', ...LOCAL_SYNTHESIS.options)),
    )
    .default([])
    .meta({ about: 'Speech synthesis engines, in order of preference.' }),
}

const choices = z.strictObject(engineChoicesSchema)
export type EngineChoices = z.output<typeof choices>

function isAddress(text: string): boolean {
  const address = URL.parse(text)
  if (!address || !/^https?:$/.test(address.protocol)) return false
  return !address.username && !address.password && !address.search && !address.hash
}
