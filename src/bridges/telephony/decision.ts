import { z } from 'zod'
import { languageSchema } from '../../common/setting-fields.ts'
import { NOTICES } from '../../core/model/announcer.ts'
import type { Invitation } from '../../core/model/invitation.ts'
import { checkedDecision, checkedInvitation } from '../../core/model/invitation-check.ts'
import type { CallerPrompt, Rejection } from './incoming-call.ts'

/** The decision on a call: admit it to a room, reject it, or ask the caller first. */
export type Decision = Invitation | Rejection | CallerPrompt

const promptSchema = z.discriminatedUnion(
  'ask',
  [
    z.strictObject({ ask: z.literal('language'), languages: z.array(languageSchema, 'languages').min(1) }),
    z.strictObject({
      ask: z.literal('room-code'),
      language: languageSchema,
      wrong: z.boolean('true or false').optional(),
    }),
  ],
  "'language' or 'room-code'",
)

const rejectionSchema = z.strictObject({
  refused: z.enum(['busy', 'rejected'], "'busy' or 'rejected'"),
  notice: z
    .union(
      [
        z.strictObject({ text: z.string(), language: z.string().optional() }),
        z.strictObject({ notice: z.enum(NOTICES), language: languageSchema }),
      ],
      '{ text, language } or { notice, language }',
    )
    .optional(),
})

/**
 * Returns what a program decided on a call, with its languages normalized. Throws `RangeError` with the expected and the
 * actual value.
 */
export function checkedCallDecision(decision: unknown): Decision {
  if (typeof decision !== 'object' || decision === null)
    throw new RangeError(
      `invite must return an invitation { room, … }, { refused } or { ask }, got ${String(decision)}`,
    )
  if ('ask' in decision)
    return checkedDecision<CallerPrompt>('the question of invite', promptSchema, decision)
  if ('refused' in decision)
    return checkedDecision<Rejection>('the answer of invite', rejectionSchema, decision)
  return checkedInvitation(decision, 'the invitation of invite')
}
