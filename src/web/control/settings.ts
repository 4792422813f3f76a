import { z } from 'zod'

/** Keys are too long to be guessed. */
const LEAST_KEY = 24

const KEY_NAME = 'letters, digits and . _ - only, 64 at most'

const controlKeySchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, KEY_NAME)
    .describe(`a name: ${KEY_NAME}`)
    .meta({ about: 'Name of the key, for the log.' }),
  key: z
    .string()
    .min(LEAST_KEY)
    .describe(`a key of at least ${LEAST_KEY} characters`)
    .meta({ about: 'The key.' }),
})

/** Settings of the control API. */
export const controlSettingsSchema = z.strictObject({
  keys: z
    .array(controlKeySchema)
    .default([])
    .describe(`a list of { name, key }, keys of at least ${LEAST_KEY} characters`)
    .meta({ about: 'API keys. Empty: the control API is disabled.' }),
  requestsPerMinute: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(600)
    .meta({ about: 'Maximum number of requests per key and minute.' }),
  maxAttemptsPerMinute: z
    .int()
    .min(1)
    .max(10_000)
    .default(10)
    .meta({ about: 'Maximum number of wrong keys per address and minute.' }),
  readersPerLink: z
    .int()
    .min(1)
    .max(1_000)
    .default(200)
    .meta({ about: 'Maximum number of concurrent caption streams per link.' }),
  readersPerAddress: z.int().min(1).max(1_000).default(48).meta({
    about:
      'Maximum number of concurrent caption streams opened by links from one address. limits.connectionsPerAddress also applies.',
  }),
})

export type ControlSettings = z.infer<typeof controlSettingsSchema>
