import { z } from 'zod'

/** Settings of recording. */
export const recordingOptionsSchema = z.strictObject({
  /** `off`: nobody can. `asked`: by the API or a key. `always`: every conversation, from its beginning. */
  when: z.enum(['off', 'asked', 'always']).default('off'),
  /** Where recordings go, one folder each. */
  folder: z.string().min(1).default('recordings-made'),
  /** Recordings older than this are deleted (hours); 0: never. */
  keepHours: z.number().int().min(0).max(100_000).default(720),
  /** A recording ends after this long (minutes). */
  maxMinutes: z.number().int().min(1).max(1_440).default(240),
  /** Recordings at a time. */
  maxRecordings: z.number().int().min(1).max(1_000).default(50),
})

export type RecordingOptions = z.output<typeof recordingOptionsSchema>
/** As they are written. */
export type RecordingSettings = Readonly<z.input<typeof recordingOptionsSchema>>
