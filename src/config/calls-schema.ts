import { z } from 'zod'
import { secret } from './fields.ts'

/** What holds for calls by whatever channel. */
export const callsSchema = z.strictObject({
  maxMinutes: z
    .number()
    .min(1)
    .max(1_440)
    .default(240)
    .meta({ about: 'A call ends after this long; everybody is told first.' }),
  maxRooms: z.int().min(1).max(100_000).optional().meta({
    about:
      'Most conversations at a time; whoever would begin one more hears that all lines are in use. Not set: as many as relay.maxLegs lets in.',
  }),
  roomCodes: z
    .record(z.string().regex(/^\d{6,12}$/, 'a code of 6 to 12 digits, in quotes'), z.string().min(1).max(64))
    .default({})
    .describe('codes in quotes, each with the room it lets in to, like { "482913": desk }')
    .meta({ about: 'Codes that never change, each with the room it lets in to.' }),
  remembered: z
    .strictObject({
      file: z
        .string()
        .min(1)
        .meta({ about: 'Where it is kept which language callers chose last: digests, no numbers.' }),
      key: secret()
        .describe('a secret of 16 characters or more')
        .min(16)
        .meta({ about: 'The key of those digests.' }),
      days: z
        .int()
        .min(1)
        .max(3_650)
        .optional()
        .meta({ about: 'A caller is forgotten after so many days without a call (180).' }),
    })
    .optional(),
})
