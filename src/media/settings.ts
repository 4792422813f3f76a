import { z } from 'zod'
import { NOTICES } from '../core/model/announcer.ts'
import { TONE_PLANS } from './sounds/tones.ts'

/** Settings of notices and sounds. */
export const soundSettingsSchema = z.strictObject({
  tones: z
    .enum(TONE_PLANS)
    .default('us')
    .meta({ about: 'Ringing and busy tones of the United States, most of Europe or the United Kingdom.' }),
  notices: z
    .record(z.string(), z.partialRecord(z.enum(NOTICES), z.string().min(1)))
    .default({})
    .describe(
      `files by language and notice, like { es: { busy: ocupado.ogg } }; notices are ${NOTICES.join(', ')}`,
    )
    .meta({
      about: 'Custom recordings of notices: file paths by language or language with region, then by notice.',
    }),
  files: z
    .record(z.string().regex(/^[\w-]{1,64}$/), z.string().min(1))
    .default({})
    .describe('files by a name of letters, digits, _ and -')
    .meta({ about: 'Sounds that can be played in a room: file paths by name.' }),
})

export type SoundSettings = z.infer<typeof soundSettingsSchema>

/** Settings of recording. */
export const recordingSettingsSchema = z.strictObject({
  mode: z.enum(['off', 'asked', 'always']).default('off').meta({
    about:
      'Recording: off; on request through the API or a key command; or every conversation from its start.',
  }),
  folder: z
    .string()
    .min(1)
    .default('recordings-made')
    .meta({ about: 'Folder of the recordings, with a subfolder for each.' }),
  keepHours: z
    .number()
    .int()
    .min(0)
    .max(100_000)
    .default(720)
    .meta({ about: 'Time before recordings are deleted (hours); 0: never.' }),
})

export type RecordingSettings = z.infer<typeof recordingSettingsSchema>
