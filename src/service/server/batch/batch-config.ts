import { z } from 'zod'

/** Settings of `POST /api/batch/file`, among those of the service. */
export const batchShape = {
  /** Largest file of a batch job (bytes). */
  maxFileBytes: z
    .int()
    .min(1)
    .default(32 * 1024 * 1024),
  /** Longest sound of a file (ms). */
  maxFileMs: z.int().min(1).default(600_000),
  /** Longest text of a batch job in characters. */
  maxFileTextLength: z.int().min(1).default(20_000),
  /** Most batch jobs at a time, from the first byte of the request to the last of the answer. */
  maxBatchJobs: z.int().min(1).default(4),
  /** Of these, how many work at a time; the others wait, so that sessions keep their cores. */
  batchWorkers: z.int().min(1).default(1),
  /** Longest time for the request of a batch job to come (ms). */
  uploadTimeoutMs: z.int().min(1).default(60_000),
  /** … and for the whole job (ms). */
  batchTimeoutMs: z.int().min(1).default(300_000),
}

/** Settings in force. */
export type BatchSettings = { [K in keyof typeof batchShape]: number }
