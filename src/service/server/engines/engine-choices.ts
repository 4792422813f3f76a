import { z } from 'zod'
import { isLanguageId } from '../../../core/languages.ts'
import { AUDIO_RATES } from '../../contract.ts'

const ms = (fallback: number) => z.int().min(1).default(fallback)
const language = z.string().refine(isLanguageId, 'a language is <language>-<region> like en-us')
const languages = z.array(language).min(1)
/** The server's address, as its makers write it: with or without the `/v1` of its paths. */
const url = z
  .string()
  .refine(isAddress, 'an http:// or https:// address without user, query or fragment')
  .transform(text => text.replace(/\/+$/, '').replace(/\/v1$/, ''))

const server = {
  url,
  apiKey: z.string().min(1).optional(),
  /** Longest a request may take, further attempts included. */
  timeoutMs: ms(10_000),
  /** Attempts after the first. */
  retries: z.int().min(0).max(5).default(1),
  /** After three failures in a row the server is left alone for this long. */
  restMs: ms(5_000),
}

const openAiTranscription = z.strictObject({
  engine: z.literal('openai'),
  ...server,
  model: z.string().min(1),
  languages,
  format: z.enum(['verbose_json', 'json']).default('verbose_json'),
  streaming: z.boolean().default(false),
  prompt: z.string().optional(),
  /** Pause that ends an utterance. */
  pauseMs: z.int().min(100).max(3_000).default(400),
  stallMs: ms(800),
  longMs: ms(15_000),
})

const queue = {
  /** Requests at a time, for each pair. */
  parallel: z.int().min(1).max(64).default(4),
  maxWaiting: z.int().min(1).default(100),
}

const openAiTranslation = z.strictObject({
  engine: z.literal('openai'),
  ...server,
  ...queue,
  model: z.string().min(1),
  languages: z.array(language).min(2),
  context: z.string().optional(),
})

const libreTranslate = z.strictObject({
  engine: z.literal('libretranslate'),
  ...server,
  ...queue,
  languages: languages.optional(),
})

const voices = z
  .array(z.strictObject({ voice: z.string().min(1), languages, gender: z.enum(['M', 'F']) }))
  .min(1)

const openAiSynthesis = z.strictObject({
  engine: z.literal('openai'),
  ...server,
  model: z.string().min(1),
  voices,
  format: z.enum(['pcm', 'wav', 'mp3']).default('pcm'),
  /** Hz of plain samples. */
  pcmRate: z.literal(AUDIO_RATES).default(24_000),
  speed: z.number().min(0.25).max(4).default(1),
  neural: z.boolean().default(true),
})

const piper = z.strictObject({
  engine: z.literal('piper'),
  ...server,
  voices,
  speed: z.number().min(0.25).max(4).default(1),
  /** Servers of the first generation: plain text at `/`. */
  legacy: z.boolean().default(false),
  neural: z.boolean().default(true),
})

/** An installed engine at its place in the order, perhaps for some languages only. */
const installed = <T extends string>(engine: T) =>
  z.strictObject({ engine: z.literal(engine), languages: languages.optional() })

const tableOf = (...engines: string[]) => `a table whose engine is one of ${engines.join(', ')}`

/** Which engine does what, the preferred first. Installed engines that are not named come last. */
export const engineChoicesSchema = {
  transcription: z
    .array(
      z
        .discriminatedUnion('engine', [openAiTranscription, installed('pocketsphinx')])
        .describe(tableOf('openai', 'pocketsphinx')),
    )
    .default([]),
  translation: z
    .array(
      z
        .discriminatedUnion('engine', [openAiTranslation, libreTranslate, installed('apertium')])
        .describe(tableOf('openai', 'libretranslate', 'apertium')),
    )
    .default([]),
  synthesis: z
    .array(
      z
        .discriminatedUnion('engine', [openAiSynthesis, piper, installed('espeak'), installed('flite')])
        .describe(tableOf('openai', 'piper', 'espeak', 'flite')),
    )
    .default([]),
}

const choices = z.strictObject(engineChoicesSchema)
export type EngineChoices = z.output<typeof choices>

function isAddress(text: string): boolean {
  const address = URL.parse(text)
  if (!address || !/^https?:$/.test(address.protocol)) return false
  return !address.username && !address.password && !address.search && !address.hash
}
