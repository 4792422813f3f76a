import { z } from 'zod'

/** What becomes of transcripts when their rooms end. */
export const transcriptSettingsSchema = z.strictObject({
  keep: z
    .enum(['never', 'memory', 'disk'])
    .default('never')
    .meta({ about: 'What becomes of a transcript when its room ends.' }),
  keepHours: z
    .number()
    .min(0.01)
    .max(24 * 366)
    .default(24)
    .meta({ about: 'How long after the end of its room a transcript is kept; then it is deleted.' }),
  folder: z.string().min(1).default('transcripts').meta({ about: 'Where transcripts are with `disk`.' }),
})

export type TranscriptSettings = z.output<typeof transcriptSettingsSchema>
