import { z } from 'zod'

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
