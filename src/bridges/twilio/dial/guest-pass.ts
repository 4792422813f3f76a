import { z } from 'zod'
import type { Invitation } from '../../../core/invitation.ts'
import { isLanguageId } from '../../../core/languages.ts'

/** Twilio takes addresses of 4 000 characters; with this one every name has room. */
const MAX_CHARACTERS = 2_000
const LONGEST = 256

const language = z.string().refine(isLanguageId)
const short = z.string().max(LONGEST)

/** Everything of an invitation that goes with the call. A new field is missed here by the compiler. */
const fields = {
  room: short.min(1),
  speaks: language,
  hears: language,
  voice: short,
  original: z.enum(['off', 'low', 'duck']),
  interrupt: z.enum(['keep', 'clear']),
  name: short,
  echo: z.boolean(),
  place: short,
  takes: z.enum(['voice', 'text', 'nothing']),
  called: z.literal(true),
} satisfies Record<Exclude<keyof Invitation, 'dial'>, z.ZodType>

/** What a newer server adds is passed over: the call goes on without it. */
const passSchema = z.object(fields).partial().required({ room: true })

/** What a pass does without, if it would be too long otherwise. */
const DISPENSABLE = ['name', 'voice', 'place'] as const satisfies readonly (keyof Invitation)[]

/**
 * What somebody was asked in to who was called from here, as a field of the addresses that their call is resumed by: Twilio
 * signs it with the whole address, so another server can let them in again. Numbers are not in it. Whatever does not fit is
 * left out; only a room whose name is too long by itself makes a pass that no server takes.
 */
export function passOf({ dial: _dial, ...invitation }: Invitation): string {
  const carried: Partial<Record<keyof Invitation, unknown>> = { ...invitation }
  for (const name of DISPENSABLE) if (!fields[name].safeParse(carried[name]).success) delete carried[name]
  for (const name of DISPENSABLE) if (JSON.stringify(carried).length > MAX_CHARACTERS) delete carried[name]
  return JSON.stringify(carried)
}

/** What the pass says; undefined for none, or one that cannot be. */
export function guestOf(pass: string | undefined): Invitation | undefined {
  if (pass === undefined || pass.length > MAX_CHARACTERS) return undefined
  try {
    return passSchema.parse(JSON.parse(pass)) as Invitation
  } catch {
    return undefined
  }
}
