import { z } from 'zod'
import { parseJsonAs } from '../../common/json.ts'
import { isLanguageId } from '../../common/language.ts'
import type { Invitation } from '../../core/model/invitation.ts'
import type { StreamWatch } from './incoming-call.ts'

/** Field of the resume URL with the number of resumptions, so that a restarted server continues the count. */
export const RESUMES_FIELD = 'dragoman-resumes'
/** Field with the attempt of the lost stream. */
export const ATTEMPT_FIELD = 'dragoman-attempt'

/** Field with the time of the instructions (s since 1970). */
export const ISSUED_FIELD = 'dragoman-issued'

/** Field with the time at which the call was admitted (s since 1970), so that a limit of its duration continues. */
export const BEGAN_FIELD = 'dragoman-began'

/** Field with the invitation of a called participant, for a server that does not know the call. */
export const CALLEE_FIELD = 'dragoman-callee'

/** A called participant who has answered, possibly called by a server that has ended. */
export interface Callee {
  readonly invitation: Invitation
  readonly watch?: StreamWatch
  /** Resumptions before this server knew the call. */
  readonly resumes?: number
  readonly attempt?: number
}

/** Twilio accepts addresses of 4,000 characters; this limit leaves room for long names. */
const MAX_CHARACTERS = 2_000
const LONGEST = 256

const language = z.string().refine(isLanguageId)
const short = z.string().max(LONGEST)

/** Field with the number of times that the call had to wait for the home of its room. */
export const HELD_FIELD = 'dragoman-held'

/** The fields of an invitation carried with the call. The compiler reports a missing new field. */
export const invitationFields = {
  room: short.min(1),
  speaks: language,
  hears: language,
  voice: short,
  original: z.enum(['off', 'low', 'duck']),
  interrupt: z.enum(['keep', 'clear']),
  name: short,
  echo: z.boolean(),
  sharedSpace: short,
  receives: z.enum(['audio', 'captions', 'none']),
  called: z.literal(true),
} satisfies Record<Exclude<keyof Invitation, 'dial' | 'elapsedMs' | 'translatedVoices'>, z.ZodType>

/** Fields of a newer server are ignored. */
const passSchema = z.object(invitationFields).partial().required({ room: true })

/** Fields dropped if the pass would otherwise be too long. */
const DISPENSABLE = ['name', 'voice', 'sharedSpace'] as const satisfies readonly (keyof Invitation)[]

/**
 * Serializes the invitation of a called participant for the addresses that resume their call. The carrier signs it with
 * the whole address, so another server can admit the call again. It contains no phone numbers. Fields that do not fit
 * are omitted; only an overlong room name makes a pass that servers reject.
 */
export function passOf({ dial: _, elapsedMs: __, translatedVoices: ___, ...invitation }: Invitation): string {
  const carried: Partial<Record<keyof Invitation, unknown>> = { ...invitation }
  for (const name of DISPENSABLE)
    if (!invitationFields[name].safeParse(carried[name]).success) delete carried[name]
  for (const name of DISPENSABLE) if (JSON.stringify(carried).length > MAX_CHARACTERS) delete carried[name]
  return JSON.stringify(carried)
}

/** Parses a pass; returns undefined if it is missing or invalid. */
export function calleeOf(pass: string | undefined): Invitation | undefined {
  if (pass === undefined || pass.length > MAX_CHARACTERS) return undefined
  return parseJsonAs(pass, passSchema) as Invitation | undefined
}
