import { isLanguageId, type LanguageId } from '../../common/language.ts'
import { closestMatch } from '../../common/suggest.ts'
import type { ErrorName } from './errors.ts'
import { ServiceError } from './errors.ts'

/** Fields of the two JSON objects. */
export const SEND_AUDIO_FIELDS = ['broadcastVia', 'codec', 'sampleRate'] as const
export const RECEIVE_AUDIO_FIELDS = ['obtainVia', 'codec', 'sampleRate', 'mode'] as const

/** Maximum length of client text in a description. */
const SHOWN_CHARACTERS = 60

/** The query of a request or a connection, as parsed by the libraries. */
export type Query = Readonly<Record<string, unknown>>

/** A name with brackets, as programs write repeated (`name[]`, `name[0]`) and nested (`name[field]`) parameters. */
const BRACKETS = /^([^[\]]*)\[([^\]]*)\]/
/** Fields of the JSON objects, by the parameter that has them. */
const NESTED = { sendAudio: SEND_AUDIO_FIELDS, receiveAudio: RECEIVE_AUDIO_FIELDS } as const

/**
 * Returns the parameters of `query`, of which the names are `allowed`. `name[]` and `name[0]` mean a repeated `name`. A
 * parameter that is sent but not known would otherwise have no effect, silently: throws `error`, which suggests the
 * right name. `more`: names that are accepted elsewhere, for the message.
 */
export function knownQuery(
  query: Query,
  allowed: readonly string[],
  error: ErrorName = 'parameter_unknown',
  more: readonly string[] = [],
): Query {
  const known: Record<string, unknown> = Object.create(null)
  for (const [sent, value] of Object.entries(query)) {
    const [, base = sent, index = ''] = BRACKETS.exec(sent) ?? []
    const name = /^\d*$/.test(index) && !/\].+/.test(sent) ? base : sent
    if (!allowed.includes(name)) throw unknownName(sent, allowed, error, more)
    const values = [known[name] ?? [], value].flat()
    known[name] = values.length === 1 ? values[0] : values
  }
  return known
}

function unknownName(
  sent: string,
  allowed: readonly string[],
  error: ErrorName,
  more: readonly string[],
): ServiceError {
  const all = [...more, ...allowed]
  const meant = meantName(sent, all)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  return new ServiceError(
    error,
    `${shown(sent)} is unknown, allowed: ${all.join(', ') || 'no parameters'}${hint}`,
  )
}

/** Returns what was probably meant by an unknown name, among `allowed`. */
function meantName(sent: string, allowed: readonly string[]): string | undefined {
  // A longer name is no typing error, and the comparison costs time.
  if (sent.length > SHOWN_CHARACTERS) return undefined
  const [, base = sent, field = ''] = BRACKETS.exec(sent) ?? []
  for (const [name, fields] of Object.entries(NESTED)) {
    const nested = fields.find(each => each === (base === name ? field : base))
    if (nested !== undefined && allowed.includes(name)) return `${name}, a JSON object like {"${nested}":…}`
  }
  const plain = base.toLowerCase().replace(/[-_.]/g, '')
  return (
    closestMatch(base, allowed) ??
    (plain.length < 3 ? undefined : allowed.find(each => each.toLowerCase().includes(plain)))
  )
}

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
