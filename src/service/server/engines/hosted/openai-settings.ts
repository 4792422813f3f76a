/** Settings of the engines at OpenAI's realtime sessions. */
import { z } from 'zod'
import type { DeepReadonly } from '../../../../common/setting-fields.ts'
import { engineName, languageSchema, languagesSchema, urlField } from '../engine-fields.ts'
import { liveFields } from '../live/live-settings.ts'

const url = urlField('https://api.openai.com')

export const openAiLiveSchema = z.strictObject({
  engine: engineName('openai-live'),
  url,
  ...liveFields,
  model: z.string().min(1).default('gpt-live-transcribe').meta({ about: 'Name of the model.' }),
  languages: languagesSchema,
  pauseMs: z.int().min(100).max(3_000).default(500).meta({ about: 'Pause that ends an utterance (ms).' }),
  delay: z
    .enum(['low', 'medium', 'high'])
    .default('low')
    .meta({ about: 'How long the model waits for more context: lower is faster, higher more accurate.' }),
})

export type OpenAiLiveOptions = DeepReadonly<Omit<z.infer<typeof openAiLiveSchema>, 'engine'>>

export const openAiInterpretationSchema = z.strictObject({
  engine: engineName('openai'),
  url,
  ...liveFields,
  model: z.string().min(1).default('gpt-realtime-translate').meta({ about: 'Name of the model.' }),
  transcriptionModel: z
    .string()
    .min(1)
    .default('gpt-realtime-whisper')
    .meta({ about: 'Model that writes what was said, for captions.' }),
  languages: z.array(languageSchema).min(2).meta({
    about: 'Languages of the calls, each translated into those of the others that the model speaks.',
  }),
})

export type OpenAiInterpretationOptions = DeepReadonly<
  Omit<z.infer<typeof openAiInterpretationSchema>, 'engine'>
>
