import { z } from 'zod'
import type { Invitation } from '../../../core/invitation.ts'
import { isLanguageId } from '../../../core/languages.ts'

/** Twilio takes addresses of 4 000 characters; with this one every name has room. */
const MAX_CHARACTERS = 2_000

const language = z.string().refine(isLanguageId)
const passSchema = z
  .strictObject({
    room: z.string().min(1).max(256),
    speaks: language,
    hears: language,
    original: z.enum(['off', 'low', 'duck']),
    interrupt: z.enum(['keep', 'clear']),
    name: z.string().max(256),
    echo: z.boolean(),
    place: z.string().max(256),
    takes: z.enum(['voice', 'text', 'nothing']),
    called: z.literal(true),
  })
  .partial()
  .required({ room: true })

/**
 * What somebody was asked in to who was called from here, as a field of the addresses that their call is resumed by: Twilio
 * signs it with the whole address, so another server can let them in again. Numbers are not in it.
 */
export function passOf({ dial: _dial, ...invitation }: Invitation): string {
  return JSON.stringify(invitation)
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
