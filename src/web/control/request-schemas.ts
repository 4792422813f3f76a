import { z } from 'zod'
import { languageId } from '../../common/language.ts'
import { ORIGINAL_VOICES } from '../../core/model/participant-state.ts'

/** Schemas shared by several operations. Every text has a maximum length. */

const LANGUAGE = /^[A-Za-z]{2,3}[-_]([A-Za-z]{2}|[0-9]{3})$/
/** No control characters: the text is displayed, spoken and sent to other programs. */
const PRINTABLE = /^[^\p{Cc}]*$/u

/** `en_US` is accepted and becomes `en-us`. */
export const language = z
  .string()
  .regex(LANGUAGE, 'a language is like en-us')
  .transform(text => languageId(text))
  .describe('A language, like `en-us`.')

/** The name of any room, including rooms not created by the API. */
export const roomName = z.string().min(1).max(128).describe('The name of the room.')

/** Our IDs of participants, calls and so on. */
export const id = z.string().min(1).max(128)

export const roomParams = z.strictObject({ room: roomName })

/** A display name. */
export const displayName = z
  .string()
  .min(1)
  .max(64)
  .regex(PRINTABLE, 'no control characters')
  .describe('Shown with captions.')

export const original = z.enum(ORIGINAL_VOICES).describe('Volume of original voices under their translation.')

/** Whole minutes up to `most`. */
export function minutes(most: number) {
  return z.int().min(1).max(most)
}

/** Recipients of an announcement. */
export const listeners = z
  .array(id)
  .min(1)
  .max(100)
  .optional()
  .describe('IDs of participants of the room. Default: all.')

/** A text to speak. */
export const spokenText = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .regex(/^[^\p{Cc}]*$/u, 'no control characters')

/** In the query, for clients that cannot send headers. */
export const linkToken = z.string().max(1_024).optional().describe('The token of a link, instead of a key.')

/** `true` and `false` in a query. */
export const flag = z.enum(['true', 'false']).transform(text => text === 'true')
