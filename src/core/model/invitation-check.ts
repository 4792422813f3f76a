import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { schemaProblems } from '../../common/schema-problems.ts'
import { languageSchema } from '../../common/setting-fields.ts'
import type { DialPlan, Invitation } from './invitation.ts'

const short = (what: string) => z.string(what).max(256, `${what}, up to 256 characters`)
const flag = z.boolean('true or false')

const participantFields = {
  speaks: languageSchema.optional(),
  hears: languageSchema.optional(),
  voice: short('the id of a voice').optional(),
  translatedVoices: z.record(languageSchema, short('the id of a voice'), 'voices by language').optional(),
  original: z.enum(['off', 'low', 'duck'], "'off', 'low' or 'duck'").optional(),
  interrupt: z.enum(['keep', 'clear'], "'keep' or 'clear'").optional(),
  name: short('a name').optional(),
  sharedSpace: short('the name of a shared space').optional(),
  receives: z.enum(['audio', 'captions', 'none'], "'audio', 'captions' or 'none'").optional(),
  elapsedMs: z.number('a time (ms)').optional(),
} satisfies Record<keyof DialPlan['callee'], z.ZodType>

const dialSchema = z.strictObject(
  {
    to: z.string('a phone number'),
    callee: z.strictObject(participantFields, 'the invitation of the callee'),
    ringSeconds: z.number('a time (s)').optional(),
    unanswered: z.enum(['hang-up', 'stay'], "'hang-up' or 'stay'").optional(),
    resumed: z.literal(true, 'true').optional(),
  } satisfies Record<keyof DialPlan, z.ZodType>,
  'an object with to and callee',
)

const invitationSchema = z.strictObject(
  {
    ...participantFields,
    room: short('the name of a room').min(1, 'the name of a room'),
    echo: flag.optional(),
    dial: dialSchema.optional(),
    called: z.literal(true, 'true').optional(),
  } satisfies Record<keyof Invitation, z.ZodType>,
  'an invitation: { room, speaks, hears, … }',
)

/**
 * Returns what a program decided, with its languages normalized: the same object if nothing changes. Throws `RangeError`
 * for anything else than a valid `what`, with each wrong part, the expected and the actual value.
 */
export function checkedDecision<T>(what: string, schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value)
  if (error) throw new RangeError(`${what}: ${schemaProblems(schema, value, error)}`)
  return isDeepStrictEqual(data, value) ? (value as T) : data
}

/** Returns the invitation with normalized languages. Throws `RangeError` as `checkedDecision` does. */
export function checkedInvitation(value: unknown, what = 'the invitation'): Invitation {
  return checkedDecision<Invitation>(what, invitationSchema, value)
}
