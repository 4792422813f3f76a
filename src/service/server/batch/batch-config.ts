import { z } from 'zod'

/** Settings of `POST /api/batch/file`, among those of the service. */
export const batchShape = {
  maxFileBytes: z
    .int()
    .min(1)
    .default(32 * 1024 * 1024)
    .meta({ about: 'Largest file of a batch job (bytes).' }),
  maxFileMs: z.int().min(1).default(600_000).meta({ about: 'Longest sound of a file (ms).' }),
  maxFileTextLength: z
    .int()
    .min(1)
    .default(20_000)
    .meta({ about: 'Longest text of a batch job in characters.' }),
  maxBatchJobs: z.int().min(1).default(4).meta({
    about: 'Most batch jobs at a time, from the first byte of the request to the last of the answer.',
  }),
  batchWorkers: z
    .int()
    .min(1)
    .default(1)
    .meta({ about: 'Batch jobs that work at a time; the others wait, so that sessions keep their cores.' }),
  uploadTimeoutMs: z
    .int()
    .min(1)
    .default(60_000)
    .meta({ about: 'Longest time for the request of a batch job to come (ms).' }),
  batchTimeoutMs: z.int().min(1).default(300_000).meta({ about: 'Longest time for a whole batch job (ms).' }),
}

/** Settings in force. */
export type BatchSettings = { [K in keyof typeof batchShape]: number }
