import { z } from 'zod'

/** Keys are long enough that trying is hopeless. */
const LEAST_KEY = 24

const KEY_NAME = 'letters, digits and . _ - only, 64 at most'

const controlKeySchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, KEY_NAME)
    .describe(`a name: ${KEY_NAME}`)
    .meta({ about: 'Whose key it is, for the log.' }),
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
    .meta({ about: 'Who may use it. None: it is closed.' }),
  requestsPerMinute: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(600)
    .meta({ about: 'Requests a minute that each key may make.' }),
  maxAttemptsPerMinute: z
    .int()
    .min(1)
    .max(10_000)
    .default(10)
    .meta({ about: 'Wrong keys that may come from one address in a minute.' }),
  readersPerLink: z
    .int()
    .min(1)
    .max(1_000)
    .default(200)
    .meta({ about: 'Streams of captions that may be read by one link at a time.' }),
  readersPerAddress: z.int().min(1).max(1_000).default(48).meta({
    about:
      'Streams of captions that may be read by links from one address at a time; limits.connectionsPerAddress holds as well.',
  }),
})

export type ControlSettings = z.output<typeof controlSettingsSchema>
