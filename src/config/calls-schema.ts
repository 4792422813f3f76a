import { z } from 'zod'
import { secret } from './fields.ts'

/** What holds for calls by whatever channel. */
export const callsSchema = z.strictObject({
  maxMinutes: z.number().min(1).max(1_440).default(240),
  maxRooms: z.int().min(1).max(100_000).default(100),
  roomCodes: z
    .record(z.string().regex(/^\d{6,12}$/, 'a code of 6 to 12 digits, in quotes'), z.string().min(1).max(64))
    .default({})
    .describe('codes in quotes, each with the room it lets in to, like { "482913": desk }'),
  remembered: z
    .strictObject({
      file: z.string().min(1),
      key: secret().describe('a secret of 16 characters or more').min(16),
      days: z.int().min(1).max(3_650).optional(),
    })
    .optional(),
})
