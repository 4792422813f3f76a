import { z } from 'zod'

/** Settings of recording. */
export const recordingOptionsSchema = z.strictObject({
  when: z
    .enum(['off', 'asked', 'always'])
    .default('off')
    .meta({ about: 'Who may record: nobody; the API or a key; or every conversation, from its beginning.' }),
  folder: z
    .string()
    .min(1)
    .default('recordings-made')
    .meta({ about: 'Where recordings go, one folder each.' }),
  keepHours: z
    .number()
    .int()
    .min(0)
    .max(100_000)
    .default(720)
    .meta({ about: 'Recordings older than this are deleted (hours); 0: never.' }),
  maxMinutes: z
    .number()
    .int()
    .min(1)
    .max(1_440)
    .default(240)
    .meta({ about: 'A recording ends after this long (minutes).' }),
  maxRecordings: z.number().int().min(1).max(1_000).default(50).meta({ about: 'Recordings at a time.' }),
})

export type RecordingOptions = z.output<typeof recordingOptionsSchema>
/** As they are written. */
export type RecordingSettings = Readonly<z.input<typeof recordingOptionsSchema>>
