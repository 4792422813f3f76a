import { z } from 'zod'
import { closestMatch } from './suggest.ts'

type Issue = z.core.$ZodIssue

/**
 * Describes why `value` does not fit `schema`: each part that is wrong, with the expected and the actual value. Only values
 * that are no secret, name or phone number are shown.
 */
export function schemaProblems(schema: z.ZodType, value: unknown, error: z.ZodError): string {
  return error.issues.map(issue => told(issue, value, schema)).join('; ')
}

/** `limits.maxCalls must be …, got "many"`. */
function told(issue: Issue, whole: unknown, schema: z.ZodType): string {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path)
    return issue.keys
      .map(key => unknown([...issue.path, key].join('.'), closestMatch(key, known), known))
      .join('; ')
  }
  const path = issue.path.map(String).join('.')
  const value = issue.path.reduce<unknown>(
    (at, part) => (at as Record<PropertyKey, unknown> | undefined)?.[part],
    whole,
  )
  return `${path === '' ? 'it' : path} must be ${wanted(issue.message)}, got ${shown(path, value)}`
}

/** Extracts the expectation from zod's messages ("Too small: expected number to be >=1"). */
function wanted(message: string): string {
  const [, expected] = /^[A-Z][a-z ]+: expected (.*?)(?:, received .*)?$/.exec(message) ?? []
  return expected === undefined ? message : `a ${expected}`.replace(/ to be /, ' ')
}

function unknown(key: string, meant: string | undefined, known: readonly string[]): string {
  return `unknown option ${key}${meant === undefined ? ` (options: ${known.join(', ')})` : `, did you mean ${meant}?`}`
}

/** Returns the keys of the table at `path`. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = schema
  for (const part of path) at = tableOf(at)?.[String(part)]
  return Object.keys(tableOf(at) ?? {})
}

function tableOf(schema: unknown): Record<string, unknown> | undefined {
  let at = schema
  while (at instanceof z.ZodOptional || at instanceof z.ZodDefault || at instanceof z.ZodPrefault)
    at = at.unwrap()
  return at instanceof z.ZodObject ? at.shape : undefined
}

/** Paths of values that are secret, or about a person. */
const HIDDEN = /token|key|secret|(^|\.)(to|from|name|room|text)$/i

/** Shows numbers, booleans and short text; for objects and hidden values only their type. */
function shown(path: string, value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined)
    return String(value)
  if (typeof value === 'string' && !HIDDEN.test(path)) return JSON.stringify(value.slice(0, 80))
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
