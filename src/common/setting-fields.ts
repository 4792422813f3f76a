import { z } from 'zod'
import { type LanguageId, languageId } from './language.ts'

/** `T` with everything in it readonly. */
export type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

/** `T` with its fields written out, which is what an editor shows instead of the schema. */
export type Expanded<T> = { [K in keyof T]: T[K] } & {}

/** Settings as written, before defaults are applied. */
export type SettingsInput<Schema extends z.ZodType> = DeepReadonly<z.input<Schema>>

/** Schema of an object, provided by the registering program, that has these methods. */
export function having<T>(what: string, ...methods: readonly string[]): z.ZodType<T> {
  const message = `${what}: an object with ${methods.map(method => `${method}()`).join(', ')}`
  return z.custom<T>(
    value =>
      typeof value === 'object' &&
      value !== null &&
      methods.every(method => typeof (value as Record<string, unknown>)[method] === 'function'),
    { message },
  )
}

/** Schema of a function, provided by the registering program. */
export function callable<T>(what: string): z.ZodType<T> {
  return z.custom<T>(value => typeof value === 'function', { message: `a function: ${what}` })
}

/** Description of a language code. */
export const LANGUAGE = 'a language like en-us: <language>-<region>'
/** E.164, or the address of a SIP or Voice SDK client, in the form that Twilio uses in `To`. */
export const NUMBER = /^(\+[1-9]\d{6,14}|(sip|client):\S+)$/
/** E.164 only: numbers that can be dialed. */
export const DIALED_NUMBER = /^\+[1-9]\d{6,14}$/

export const languageSchema = z
  .string(LANGUAGE)
  .transform((text, context): LanguageId => {
    try {
      return languageId(text)
    } catch {
      context.addIssue({ code: 'custom', message: LANGUAGE })
      return z.NEVER
    }
  })
  .describe(LANGUAGE)

/** Language of a participant, or none. */
export const speaksSchema = z.union([z.literal('none'), languageSchema]).describe(`${LANGUAGE}; or none`)

export const originalSchema = z.enum(['off', 'low', 'duck'])

export const nameSchema = z.string().min(1).max(64).describe('a name, up to 64 characters')

export const secret = () => z.string().min(1)

/** A secret that others sign with: one, or several during rotation. */
export const secrets = () =>
  z
    .union([secret(), z.array(secret())])
    .optional()
    .describe('a text, or a list of several during rotation')

/** Returns the secrets of such a setting. The first one is used to sign. */
export function asList(given: string | readonly string[] | undefined = []): readonly string[] {
  return typeof given === 'string' ? [given] : given
}

/** An address with only a host, port and path. */
export function urlSchema(description: string) {
  return z.string().refine(isPlainUrl, description).describe(description)
}

/** Returns true for an address with only a host, port and path. */
export function isPlainUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  return !url.username && !url.password && !url.search && !url.hash
}
