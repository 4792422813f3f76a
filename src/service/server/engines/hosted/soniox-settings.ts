/** Settings of the engines of Soniox. */
import { z } from 'zod'
import type { DeepReadonly } from '../../../../common/setting-fields.ts'
import { engineName, urlField, voicesSchema } from '../engine-fields.ts'
import { sharedSpeechFields } from '../live/live-settings.ts'

export const sonioxSynthesisSchema = z.strictObject({
  engine: engineName('soniox'),
  url: urlField('https://tts-rt.soniox.com'),
  ...sharedSpeechFields,
  model: z.string().min(1).default('tts-rt-v2').meta({ about: 'Name of the model.' }),
  voices: voicesSchema,
})

export type SonioxSynthesisOptions = DeepReadonly<Omit<z.infer<typeof sonioxSynthesisSchema>, 'engine'>>
