/** Settings of AssemblyAI's streaming transcription. */
import { z } from 'zod'
import type { DeepReadonly } from '../../../../common/setting-fields.ts'
import { engineName, languagesSchema, urlField } from '../engine-fields.ts'
import { liveFields } from '../live/live-settings.ts'

export const assemblyAiSchema = z.strictObject({
  engine: engineName('assemblyai'),
  url: urlField('https://streaming.assemblyai.com'),
  ...liveFields,
  model: z.string().min(1).default('universal-3-5-pro').meta({ about: 'Name of the model.' }),
  languages: languagesSchema,
  keyterms: z.array(z.string().min(1)).max(100).default([]).meta({ about: 'Names and terms to expect.' }),
})

export type AssemblyAiOptions = DeepReadonly<Omit<z.infer<typeof assemblyAiSchema>, 'engine'>>
