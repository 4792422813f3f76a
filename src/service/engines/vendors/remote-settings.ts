/** Settings of the engines behind HTTP servers of any operator. */
import { z } from 'zod'
import type { DeepReadonly } from '../../../common/setting-fields.ts'
import { AUDIO_RATES } from '../../contract.ts'
import {
  engineName,
  languageSchema,
  languagesSchema,
  ms,
  queueFields,
  serverFields,
  voicesSchema,
} from '../fields.ts'

export const openAiTranscriptionSchema = z.strictObject({
  engine: engineName('openai'),
  ...serverFields,
  model: z.string().min(1).meta({ about: 'Name of the model.' }),
  languages: languagesSchema,
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

export type OpenAiTranscriberOptions = DeepReadonly<Omit<z.infer<typeof openAiTranscriptionSchema>, 'engine'>>

export const openAiTranslationSchema = z.strictObject({
  engine: engineName('openai'),
  ...serverFields,
  ...queueFields,
  model: z.string().min(1).meta({ about: 'Name of the model.' }),
  languages: z.array(languageSchema).min(2).meta({ about: 'Languages it translates, each into all others.' }),
  context: z.string().optional().meta({ about: 'Topic of the calls, as context for the model.' }),
})

export type ChatTranslatorOptions = DeepReadonly<Omit<z.infer<typeof openAiTranslationSchema>, 'engine'>>

export const libreTranslateSchema = z.strictObject({
  engine: engineName('libretranslate'),
  ...serverFields,
  ...queueFields,
  languages: languagesSchema.optional(),
})

export type LibreTranslateOptions = DeepReadonly<Omit<z.infer<typeof libreTranslateSchema>, 'engine'>>

export const openAiSynthesisSchema = z.strictObject({
  engine: engineName('openai'),
  ...serverFields,
  model: z.string().min(1).meta({ about: 'Name of the model.' }),
  voices: voicesSchema,
  format: z.enum(['pcm', 'wav', 'mp3']).default('pcm').meta({ about: 'Requested response format.' }),
  pcmRate: z.literal(AUDIO_RATES).default(24_000).meta({ about: 'Sample rate of headerless samples (Hz).' }),
  speed: z.number().min(0.25).max(4).default(1).meta({ about: 'Speaking rate; 1 is normal.' }),
  neural: z
    .boolean()
    .default(true)
    .meta({ about: 'Value of `voiceEngine` in the voice list: neural or standard.' }),
})

export type OpenAiSynthesizerOptions = DeepReadonly<Omit<z.infer<typeof openAiSynthesisSchema>, 'engine'>>

export const piperSchema = z.strictObject({
  engine: engineName('piper'),
  ...serverFields,
  voices: voicesSchema,
  speed: z.number().min(0.25).max(4).default(1).meta({ about: 'Speaking rate; 1 is normal.' }),
  legacy: z.boolean().default(false).meta({ about: 'Servers of the first generation: plain text at `/`.' }),
  neural: z
    .boolean()
    .default(true)
    .meta({ about: 'Value of `voiceEngine` in the voice list: neural or standard.' }),
})

export type PiperOptions = DeepReadonly<Omit<z.infer<typeof piperSchema>, 'engine'>>
