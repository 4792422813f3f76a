import { z } from 'zod'
import { secret } from '../../common/setting-fields.ts'

/** Settings for calls on any channel. */
export const callsSchema = z.strictObject({
  maxMinutes: z
    .number()
    .min(1)
    .max(1_440)
    .default(240)
    .meta({ about: 'Maximum duration of a call. Participants are warned before it ends.' }),
  maxRooms: z.int().min(1).max(100_000).optional().meta({
    about:
      'Maximum number of concurrent conversations. Callers above it hear that all lines are in use. Default: limited only by relay.maxLegs.',
  }),
  roomCodes: z
    .record(z.string().regex(/^\d{6,12}$/, 'a code of 6 to 12 digits, in quotes'), z.string().min(1).max(64))
    .default({})
    .describe('codes in quotes, each with its room, like { "482913": desk }')
    .meta({ about: 'Permanent codes, each with the room that it opens.' }),
  remembered: z
    .strictObject({
      file: z.string().min(1).meta({
        about:
          'File with the last language choice of each caller, keyed by digests instead of phone numbers.',
      }),
      key: secret()
        .describe('a secret of 16 characters or more')
        .min(16)
        .meta({ about: 'Key of those digests.' }),
      days: z
        .int()
        .min(1)
        .max(3_650)
        .optional()
        .meta({ about: 'Days without a call before a caller’s choice is deleted (180).' }),
    })
    .optional(),
})
