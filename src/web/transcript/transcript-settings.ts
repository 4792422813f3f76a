import { z } from 'zod'

/** What becomes of transcripts when their rooms end. */
export const transcriptSettingsSchema = z.strictObject({
  /** `never`: a transcript ends with its room, and is in memory only until then. */
  keep: z.enum(['never', 'memory', 'disk']).default('never'),
  /** How long after the end of its room a transcript is kept; then it is deleted. */
  keepHours: z
    .number()
    .min(0.01)
    .max(24 * 366)
    .default(24),
  /** Where transcripts are with `disk`. */
  folder: z.string().min(1).default('transcripts'),
})

export type TranscriptSettings = z.output<typeof transcriptSettingsSchema>
