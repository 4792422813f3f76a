import { z } from 'zod'

/** Storage of transcripts after their rooms close. */
export const transcriptSettingsSchema = z.strictObject({
  store: z
    .enum(['never', 'memory', 'disk'])
    .default('never')
    .meta({ about: 'Storage after the room closes: never, memory or disk.' }),
  keepHours: z
    .number()
    .min(0.01)
    .max(24 * 366)
    .default(24)
    .meta({ about: 'Time before stored transcripts are deleted (hours).' }),
  folder: z.string().min(1).default('transcripts').meta({ about: 'Folder of the transcripts with `disk`.' }),
})

export type TranscriptSettings = z.infer<typeof transcriptSettingsSchema>
