import { isLanguageId, type LanguageId } from '../../common/language.ts'
import type { ErrorName } from './errors.ts'
import { ServiceError } from './errors.ts'

/** Maximum length of client text in a description. */
const SHOWN_CHARACTERS = 60

/** The query of a request or a connection, as parsed by the libraries. */
export type Query = Readonly<Record<string, unknown>>

/** Returns the value of a parameter, undefined when absent or empty. Throws if it was sent more than once. */
export function single(query: Query, name: string): string | undefined {
  const value = query[name]
  if (Array.isArray(value))
    throw new ServiceError('parameter_repeated', `${name} was sent ${value.length} times, expected once`)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns all values of a repeatable parameter. */
export function several(query: Query, name: string): string[] {
  const value = query[name]
  const values = Array.isArray(value) ? value : [value]
  return values.filter(each => typeof each === 'string' && each !== '')
}

/**
 * Returns `value` if it is one of `allowed`; throws `error` naming both. Numbers and strings are not converted into
 * each other.
 */
export function oneOf<T extends string | number>(
  value: unknown,
  allowed: readonly T[],
  name: string,
  error: ErrorName,
): T {
  const found = allowed.find(each => each === value)
  if (found !== undefined) return found
  const isText = typeof value === 'string' && typeof allowed[0] === 'number'
  const are = isText ? ', a string; allowed are the numbers' : ', allowed:'
  throw new ServiceError(error, `${name} is ${shown(value)}${are} ${allowed.join(', ') || 'none'}`)
}

/** Returns a language identifier, or undefined when absent. Throws if it is malformed. */
export function language(query: Query, name: string): LanguageId | undefined {
  const value = single(query, name)
  if (value === undefined) return undefined
  const id = value.toLowerCase()
  if (!isLanguageId(id))
    throw new ServiceError(
      'language_malformed',
      `${name} is ${shown(value)}, expected a language like en-us or es-419`,
    )
  return id
}

/** Formats a client's value for a description: short, for values of any size, and without control characters. */
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
