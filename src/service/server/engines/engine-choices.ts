import { z } from 'zod'
import { isLanguageId } from '../../../core/languages.ts'
import { AUDIO_RATES } from '../../contract.ts'

/** What tells the tables of a list apart. */
const ENGINE = 'Which kind of engine it is.'

const ms = (fallback: number) => z.int().min(1).default(fallback)
const language = z.string().refine(isLanguageId, 'a language is <language>-<region> like en-us')
const languages = z.array(language).min(1).meta({ about: 'Languages that it is asked for.' })
/** The server's address, as its makers write it: with or without the `/v1` of its paths. */
const url = z
  .string()
  .refine(isAddress, 'an http:// or https:// address without user, query or fragment')
  .transform(text => text.replace(/\/+$/, '').replace(/\/v1$/, ''))
  .meta({ about: 'The address of the server.' })

const server = {
  url,
  apiKey: z.string().min(1).optional().meta({ about: 'Its key.' }),
  timeoutMs: ms(10_000).meta({ about: 'Longest a request may take, further attempts included.' }),
  retries: z.int().min(0).max(5).default(1).meta({ about: 'Attempts after the first.' }),
  restMs: ms(5_000).meta({ about: 'After three failures in a row the server is left alone for this long.' }),
}

const openAiTranscription = z.strictObject({
  engine: z.literal('openai').meta({ about: ENGINE }),
  ...server,
  model: z.string().min(1).meta({ about: 'Its model.' }),
  languages,
  format: z.enum(['verbose_json', 'json']).default('verbose_json').meta({ about: 'What is asked for.' }),
  streaming: z.boolean().default(false).meta({ about: 'Whether partial texts are asked for.' }),
  prompt: z.string().optional().meta({ about: 'Words that help it.' }),
  pauseMs: z.int().min(100).max(3_000).default(400).meta({ about: 'Pause that ends an utterance.' }),
  stallMs: ms(800).meta({ about: 'Without audio for this long an utterance is finished.' }),
  longMs: ms(15_000).meta({ about: 'From this length an utterance is cut where it is soft.' }),
})

const queue = {
  parallel: z.int().min(1).max(64).default(4).meta({ about: 'Requests at a time, for each pair.' }),
  maxWaiting: z.int().min(1).default(100).meta({ about: 'Requests that may wait.' }),
}

const openAiTranslation = z.strictObject({
  engine: z.literal('openai').meta({ about: ENGINE }),
  ...server,
  ...queue,
  model: z.string().min(1).meta({ about: 'Its model.' }),
  languages: z.array(language).min(2).meta({ about: 'Languages between which it translates.' }),
  context: z.string().optional().meta({ about: 'What it should know about the talk.' }),
})

const libreTranslate = z.strictObject({
  engine: z.literal('libretranslate').meta({ about: ENGINE }),
  ...server,
  ...queue,
  languages: languages.optional(),
})

const voices = z
  .array(
    z.strictObject({
      voice: z.string().min(1).meta({ about: 'Its name there.' }),
      languages,
      gender: z.enum(['M', 'F']).meta({ about: 'Whether it is a man’s or a woman’s.' }),
    }),
  )
  .min(1)
  .meta({ about: 'Its voices, each with the languages that it speaks.' })

const openAiSynthesis = z.strictObject({
  engine: z.literal('openai').meta({ about: ENGINE }),
  ...server,
  model: z.string().min(1).meta({ about: 'Its model.' }),
  voices,
  format: z.enum(['pcm', 'wav', 'mp3']).default('pcm').meta({ about: 'What is asked for.' }),
  pcmRate: z.literal(AUDIO_RATES).default(24_000).meta({ about: 'Hz of plain samples.' }),
  speed: z.number().min(0.25).max(4).default(1).meta({ about: 'How fast it speaks.' }),
  neural: z.boolean().default(true).meta({ about: 'What the list of voices says of it.' }),
})

const piper = z.strictObject({
  engine: z.literal('piper').meta({ about: ENGINE }),
  ...server,
  voices,
  speed: z.number().min(0.25).max(4).default(1).meta({ about: 'How fast it speaks.' }),
  legacy: z.boolean().default(false).meta({ about: 'Servers of the first generation: plain text at `/`.' }),
  neural: z.boolean().default(true).meta({ about: 'What the list of voices says of it.' }),
})

/** An installed engine at its place in the order, perhaps for some languages only. */
const installed = <T extends string>(engine: T) =>
  z.strictObject({ engine: z.literal(engine).meta({ about: ENGINE }), languages: languages.optional() })

const tableOf = (...engines: string[]) => `a table whose engine is one of ${engines.join(', ')}`

/** Which engine does what, the preferred first. Installed engines that are not named come last. */
export const engineChoicesSchema = {
  transcription: z
    .array(
      z
        .discriminatedUnion('engine', [openAiTranscription, installed('pocketsphinx')])
        .describe(tableOf('openai', 'pocketsphinx')),
    )
    .default([])
    .meta({ about: 'Engines that transcribe, in the order in which they are asked.' }),
  translation: z
    .array(
      z
        .discriminatedUnion('engine', [openAiTranslation, libreTranslate, installed('apertium')])
        .describe(tableOf('openai', 'libretranslate', 'apertium')),
    )
    .default([])
    .meta({ about: 'Engines that translate, in the order in which they are asked.' }),
  synthesis: z
    .array(
      z
        .discriminatedUnion('engine', [openAiSynthesis, piper, installed('espeak'), installed('flite')])
        .describe(tableOf('openai', 'piper', 'espeak', 'flite')),
    )
    .default([])
    .meta({ about: 'Engines that speak, in the order in which they are asked.' }),
}

const choices = z.strictObject(engineChoicesSchema)
export type EngineChoices = z.output<typeof choices>

function isAddress(text: string): boolean {
  const address = URL.parse(text)
  if (!address || !/^https?:$/.test(address.protocol)) return false
  return !address.username && !address.password && !address.search && !address.hash
}
