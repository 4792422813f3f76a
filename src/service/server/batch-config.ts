import { z } from 'zod'

/** Settings of `POST /api/batch/file`, part of the service settings. */
export const batchShape = {
  maxFileBytes: z
    .int()
    .min(1)
    .default(32 * 1024 * 1024)
    .meta({ about: 'Maximum file size of a batch job (bytes).' }),
  maxFileMs: z.int().min(1).default(600_000).meta({ about: 'Maximum duration of an audio file (ms).' }),
  maxFileTextLength: z
    .int()
    .min(1)
    .default(20_000)
    .meta({ about: 'Maximum text length of a batch job (characters).' }),
  maxBatchJobs: z.int().min(1).default(4).meta({
    about:
      'Maximum number of concurrent batch jobs, counted from the first byte of the request to the last byte of the response.',
  }),
  batchWorkers: z.int().min(1).default(1).meta({
    about: 'Batch jobs processed in parallel; others wait, which leaves CPU cores to live sessions.',
  }),
  uploadTimeoutMs: z
    .int()
    .min(1)
    .default(60_000)
    .meta({ about: 'Maximum time to receive the request of a batch job (ms).' }),
  batchTimeoutMs: z.int().min(1).default(300_000).meta({ about: 'Maximum time for a whole batch job (ms).' }),
}

/** Settings with defaults applied. */
export type BatchSettings = { [K in keyof typeof batchShape]: number }
