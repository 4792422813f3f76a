import { isLanguageId, type LanguageId } from '../../core/languages.ts'
import type { ErrorName } from './error-table.ts'
import { ServiceError } from './service-error.ts'

/** So much of a text is shown in a description. */
const SHOWN_CHARACTERS = 60

/** The query of a request or a connection as the libraries parse it. */
export type Query = Readonly<Record<string, unknown>>

/** One value of a parameter, undefined when absent or empty. Throws when it came more than once. */
export function single(query: Query, name: string): string | undefined {
  const value = query[name]
  if (Array.isArray(value))
    throw new ServiceError('parameter_repeated', `${name} came ${value.length} times, allowed is once`)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** All values of a parameter that may be repeated. */
export function several(query: Query, name: string): string[] {
  const value = query[name]
  const values = Array.isArray(value) ? value : [value]
  return values.filter(each => typeof each === 'string' && each !== '')
}

/** `value` if it is one of `allowed`; throws `error` naming both. A number is not taken for a text, nor the other way. */
export function oneOf<T extends string | number>(
  value: unknown,
  allowed: readonly T[],
  name: string,
  error: ErrorName,
): T {
  const found = allowed.find(each => each === value)
  if (found !== undefined) return found
  const isText = typeof value === 'string' && typeof allowed[0] === 'number'
  const are = isText ? ', which is a text; allowed are the numbers' : ', allowed:'
  throw new ServiceError(error, `${name} is ${shown(value)}${are} ${allowed.join(', ') || 'none'}`)
}

/** A language identifier, or undefined when absent. Throws when it has another form. */
export function language(query: Query, name: string): LanguageId | undefined {
  const value = single(query, name)
  if (value === undefined) return undefined
  const id = value.toLowerCase()
  if (!isLanguageId(id))
    throw new ServiceError(
      'language_malformed',
      `${name} is ${shown(value)}, a language is like en-us or es-419`,
    )
  return id
}

/** What a client sent, as it may stand in a description: short, whatever its size, and without control characters. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (value instanceof Uint8Array || value instanceof ArrayBuffer) return `${value.byteLength} bytes`
  return typeof value === 'number' || typeof value === 'boolean' || value === null
    ? String(value)
    : 'an object'
}

function quoted(text: string): string {
  const start = text.slice(0, SHOWN_CHARACTERS).replace(/\p{C}+/gu, ' ')
  return `"${text.length > SHOWN_CHARACTERS ? `${start}…` : start}"`
}
