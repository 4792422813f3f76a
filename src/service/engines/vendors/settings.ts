/** Settings of the engines at hosted services. Light: the configuration loads it. */
import { z } from 'zod'
import type { DeepReadonly } from '../../../common/setting-fields.ts'
import {
  engineName,
  languageSchema,
  languagesSchema,
  queueFields,
  requestFields,
  resourceUrlField,
  urlField,
  voicesSchema,
} from '../fields.ts'
import { liveFields, sharedSpeechFields } from '../wire/live-settings.ts'

const openAiUrl = urlField('https://api.openai.com')

export const openAiLiveSchema = z.strictObject({
  engine: engineName('openai-live'),
  url: openAiUrl,
  ...liveFields,
  model: z.string().min(1).default('gpt-live-transcribe').meta({ about: 'Name of the model.' }),
  languages: languagesSchema,
  pauseMs: z.int().min(100).max(3_000).default(500).meta({ about: 'Pause that ends an utterance (ms).' }),
  delay: z
    .enum(['low', 'medium', 'high'])
    .default('low')
    .meta({ about: 'Delay of the model, to collect context: lower is faster, higher more accurate.' }),
})

export type OpenAiLiveOptions = DeepReadonly<Omit<z.infer<typeof openAiLiveSchema>, 'engine'>>

const interpretedLanguages = z.array(languageSchema).min(2).meta({
  about: 'Languages of the calls, each translated into those of the others that the model speaks.',
})

export const openAiInterpretationSchema = z.strictObject({
  engine: engineName('openai'),
  url: openAiUrl,
  ...liveFields,
  model: z.string().min(1).default('gpt-realtime-translate').meta({ about: 'Name of the model.' }),
  transcriptionModel: z
    .string()
    .min(1)
    .default('gpt-realtime-whisper')
    .meta({ about: 'Model that transcribes the speech, for captions.' }),
  languages: interpretedLanguages,
})

export type OpenAiInterpretationOptions = DeepReadonly<
  Omit<z.infer<typeof openAiInterpretationSchema>, 'engine'>
>

export const deepgramSchema = z.strictObject({
  engine: engineName('deepgram'),
  url: urlField('https://api.deepgram.com'),
  ...liveFields,
  model: z.string().min(1).default('nova-3').meta({ about: 'Name of the model.' }),
  languages: languagesSchema,
  protocol: z
    .enum(['nova', 'flux'])
    .optional()
    .meta({ about: 'Protocol of the model; by default, that of its name.' }),
  pauseMs: z.int().min(100).max(5_000).default(300).meta({ about: 'Pause that ends an utterance (ms).' }),
  keyterms: z.array(z.string().min(1)).default([]).meta({ about: 'Names and terms to expect.' }),
})

export type DeepgramOptions = DeepReadonly<Omit<z.infer<typeof deepgramSchema>, 'engine'>>

export const assemblyAiSchema = z.strictObject({
  engine: engineName('assemblyai'),
  url: urlField('https://streaming.assemblyai.com'),
  ...liveFields,
  model: z.string().min(1).default('universal-3-5-pro').meta({ about: 'Name of the model.' }),
  languages: languagesSchema,
  keyterms: z.array(z.string().min(1)).max(100).default([]).meta({ about: 'Names and terms to expect.' }),
})

export type AssemblyAiOptions = DeepReadonly<Omit<z.infer<typeof assemblyAiSchema>, 'engine'>>

const terms = z.array(z.string().min(1)).default([]).meta({ about: 'Names and terms to expect.' })
const sonioxRecognition = {
  url: urlField('https://stt-rt.soniox.com'),
  ...liveFields,
  model: z.string().min(1).default('stt-rt-v5').meta({ about: 'Name of the model.' }),
  pauseMs: z
    .int()
    .min(500)
    .max(3_000)
    .default(700)
    .meta({ about: 'Pause after which an utterance ends at the latest (ms).' }),
  terms,
}

export const sonioxLiveSchema = z.strictObject({
  engine: engineName('soniox'),
  ...sonioxRecognition,
  languages: languagesSchema,
})

export type SonioxLiveOptions = DeepReadonly<Omit<z.infer<typeof sonioxLiveSchema>, 'engine'>>

export const sonioxInterpretationSchema = z.strictObject({
  engine: engineName('soniox'),
  ...sonioxRecognition,
  languages: interpretedLanguages,
  voiceUrl: urlField('https://tts-rt.soniox.com'),
  voiceModel: z.string().min(1).default('tts-rt-v2').meta({ about: 'Name of the model that speaks.' }),
  idleMs: sharedSpeechFields.idleMs,
  voices: z
    .array(voicesSchema.element.extend({ languages: languagesSchema.optional() }))
    .min(1)
    .default([
      { voice: 'Adrian', gender: 'M' },
      { voice: 'Maya', gender: 'F' },
    ])
    .meta({ about: 'Voices, the default first; each speaks all languages, or only its `languages`.' }),
})

export type SonioxInterpretationOptions = DeepReadonly<
  Omit<z.infer<typeof sonioxInterpretationSchema>, 'engine'>
>
/** The resource of Azure Speech. */
const azureResource = resourceUrlField(
  'Endpoint of the speech resource, like https://westeurope.api.cognitive.microsoft.com.',
)

export const azureTranscriptionSchema = z.strictObject({
  engine: engineName('azure'),
  url: azureResource,
  ...liveFields,
  languages: languagesSchema,
  pauseMs: z.int().min(100).max(5_000).default(500).meta({ about: 'Pause that ends an utterance (ms).' }),
  detectLanguage: z.boolean().default(false).meta({
    about: 'Detect which of the languages (up to 10) is spoken.',
  }),
})

export type AzureTranscriptionOptions = DeepReadonly<Omit<z.infer<typeof azureTranscriptionSchema>, 'engine'>>

export const azureSynthesisSchema = z.strictObject({
  engine: engineName('azure'),
  url: azureResource,
  ...requestFields,
  voices: voicesSchema,
  speed: z.number().min(0.5).max(2).default(1).meta({ about: 'Speaking rate; 1 is normal.' }),
})

export type AzureSynthesisOptions = DeepReadonly<Omit<z.infer<typeof azureSynthesisSchema>, 'engine'>>

export const sonioxSynthesisSchema = z.strictObject({
  engine: engineName('soniox'),
  url: urlField('https://tts-rt.soniox.com'),
  ...sharedSpeechFields,
  model: z.string().min(1).default('tts-rt-v2').meta({ about: 'Name of the model.' }),
  voices: voicesSchema,
})

export type SonioxSynthesisOptions = DeepReadonly<Omit<z.infer<typeof sonioxSynthesisSchema>, 'engine'>>

export const cartesiaSchema = z.strictObject({
  engine: engineName('cartesia'),
  url: urlField('https://api.cartesia.ai'),
  ...sharedSpeechFields,
  model: z.string().min(1).default('sonic-3.5').meta({ about: 'Name of the model.' }),
  voices: voicesSchema,
})

export type CartesiaOptions = DeepReadonly<Omit<z.infer<typeof cartesiaSchema>, 'engine'>>

export const elevenLabsSchema = z.strictObject({
  engine: engineName('elevenlabs'),
  url: urlField('https://api.elevenlabs.io'),
  ...sharedSpeechFields,
  model: z.string().min(1).default('eleven_flash_v2_5').meta({ about: 'Name of the model.' }),
  voices: voicesSchema,
})

export type ElevenLabsOptions = DeepReadonly<Omit<z.infer<typeof elevenLabsSchema>, 'engine'>>

const translated = z
  .array(languageSchema)
  .min(2)
  .meta({ about: 'Languages it translates, each into all others.' })
const restTranslation = { ...requestFields, ...queueFields, languages: translated }

export const deeplSchema = z.strictObject({
  engine: engineName('deepl'),
  url: urlField('https://api.deepl.com'),
  ...restTranslation,
  formality: z
    .enum(['default', 'prefer_more', 'prefer_less'])
    .default('default')
    .meta({ about: 'Politeness of the translations, where the language has it.' }),
  glossaryId: z.string().min(1).optional().meta({ about: 'Glossary of the account that is applied.' }),
})

export type DeepLOptions = DeepReadonly<Omit<z.infer<typeof deeplSchema>, 'engine'>>

export const deeplVoiceSchema = z.strictObject({
  engine: engineName('deepl'),
  url: urlField('https://api.deepl.com'),
  ...liveFields,
  languages: interpretedLanguages,
  formality: z
    .enum(['default', 'formal', 'informal'])
    .default('default')
    .meta({ about: 'Politeness of the translations, where the language has it.' }),
  glossaryId: z.string().min(1).optional().meta({ about: 'Glossary of the account that is applied.' }),
})

export type DeepLVoiceOptions = DeepReadonly<Omit<z.infer<typeof deeplVoiceSchema>, 'engine'>>

export const geminiInterpretationSchema = z.strictObject({
  engine: engineName('gemini'),
  url: urlField('https://generativelanguage.googleapis.com'),
  ...liveFields,
  model: z.string().min(1).default('gemini-3.5-live-translate-preview').meta({ about: 'Name of the model.' }),
  languages: interpretedLanguages,
})

export type GeminiInterpretationOptions = DeepReadonly<
  Omit<z.infer<typeof geminiInterpretationSchema>, 'engine'>
>

export const googleTranslationSchema = z.strictObject({
  engine: engineName('google'),
  url: urlField('https://translation.googleapis.com'),
  ...restTranslation,
})

export type GoogleTranslationOptions = DeepReadonly<Omit<z.infer<typeof googleTranslationSchema>, 'engine'>>

export const azureTranslationSchema = z.strictObject({
  engine: engineName('azure'),
  url: urlField('https://api.cognitive.microsofttranslator.com'),
  ...restTranslation,
  region: z.string().min(1).optional().meta({ about: 'Region of the resource, such as westeurope.' }),
})

export type AzureTranslationOptions = DeepReadonly<Omit<z.infer<typeof azureTranslationSchema>, 'engine'>>
