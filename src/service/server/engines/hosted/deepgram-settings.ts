/** Settings of Deepgram's live transcription. */
import { z } from 'zod'
import type { DeepReadonly } from '../../../../common/setting-fields.ts'
import { engineName, languagesSchema, urlField } from '../engine-fields.ts'
import { liveFields } from '../live/live-settings.ts'

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
