import { z } from 'zod'

/** A name that can be typed, logged and shown in a table. */
const keyNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'a name consists of letters, digits and . _ -, at most 64')

/** Limits of a key; absent limits are those of the service. */
export const keyLimitsShape = {
  sessions: z.int().min(1).optional().meta({ about: 'Maximum number of concurrent sessions of this key.' }),
  minutesPerDay: z.int().min(1).optional().meta({
    about: 'Minutes of audio this key can use in any 24 hours; 900 characters of text count as one minute.',
  }),
}

const limitsSchema = z.strictObject(keyLimitsShape)
export type KeyLimits = Readonly<z.output<typeof limitsSchema>>

/** A key in the key file: everything except the key itself. */
export const keyEntrySchema = z.strictObject({
  name: keyNameSchema,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits'),
  createdAt: z.iso.datetime(),
  ...keyLimitsShape,
})
export type KeyEntry = Readonly<z.output<typeof keyEntrySchema>>
