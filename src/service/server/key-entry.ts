import { z } from 'zod'

/** A name that can be typed, logged and shown in a table. */
const keyNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'a name has letters, digits and . _ - only, 64 at most')

/** What a key may use; what is absent is bounded by the service alone. */
export const keyLimitsShape = {
  sessions: z.int().min(1).optional().meta({ about: 'Its sessions at a time.' }),
  minutesPerDay: z
    .int()
    .min(1)
    .optional()
    .meta({ about: 'Its minutes of audio in any 24 hours; 900 characters of text are a minute.' }),
}

const limitsSchema = z.strictObject(keyLimitsShape)
export type KeyLimits = Readonly<z.output<typeof limitsSchema>>

/** A key as the key file has it: everything but the key. */
export const keyEntrySchema = z.strictObject({
  name: keyNameSchema,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits'),
  createdAt: z.iso.datetime(),
  ...keyLimitsShape,
})
export type KeyEntry = Readonly<z.output<typeof keyEntrySchema>>
