import type { z } from 'zod'
import { BridgeError } from '../../common/errors.ts'
import { closestMatch } from '../../common/suggest.ts'
import { allowedBy, isSecret, KEYS, propertiesOf, type Shape, shapeAt } from './keys.ts'

/** One invalid setting. Never contains secrets. */
export interface Problem {
  /** `twilio.authToken`, or the name of an unknown variable. */
  readonly key: string
  /** Origin of the value: `dragoman.yaml:12`, `DRAGOMAN_PORT`, `command line`. */
  readonly source: string
  /** Description of the value found; absent if there is nothing to show. */
  readonly found?: string
  readonly allowed: string
  /** Suggested correction. */
  readonly meant?: string
}

/** The settings are invalid. Lists every problem, so that they can all be fixed in one go. */
export class ConfigError extends BridgeError {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super('CONFIG', problems.map(describeProblem).join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** `dragoman.yaml:3: port: found "eighty", allowed: a whole number from 0 to 65535`. */
function describeProblem({ key, source, found, allowed, meant }: Problem): string {
  const where = source === key ? source : `${source}: ${key}`
  const what = found === undefined ? '' : `found ${found}; `
  return `${where}: ${what}allowed: ${allowed}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`
}

/** Formats a value for display: shortened, and without user and password in a URL. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'nothing (null)'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object') return 'a table'
  const text = JSON.stringify(value) ?? String(value)
  const safe = text.replace(/\/\/[^/@"]*@/g, '//…@')
  return safe.length > 80 ? `${safe.slice(0, 77)}…` : safe
}

/** Returns the kind of a value, for secrets and for text found instead of a table. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a table'
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}

type Issue = z.core.$ZodIssue

/** Converts the schema’s issues to problems. `source` returns where a key was read. */
export function problemsOf(
  issues: readonly Issue[],
  values: unknown,
  source: (path: readonly PropertyKey[]) => string,
): Problem[] {
  return issues.flatMap(issue => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map(key => unknownKey([...issue.path, key], source))
    if (issue.code === 'invalid_key') return [wrongName(issue, source)]
    return [wrongValue(issue, values, source)]
  })
}

function unknownKey(path: readonly PropertyKey[], source: (path: readonly PropertyKey[]) => string): Problem {
  const name = String(path.at(-1))
  const above = path.slice(0, -1)
  const siblings = Object.keys(propertiesOf(shapeAt(above)))
  const prefix = above.map(part => `${String(part)}.`).join('')
  const near = closestMatch(name, siblings)
  // The key may belong to another table: `authToken` without `twilio:` around it.
  const elsewhere = KEYS.find(key => key.path.endsWith(`.${name}`))?.path
  const meant = near === undefined ? elsewhere : prefix + near
  return {
    key: path.map(String).join('.'),
    source: source(path),
    found: 'an unknown key',
    allowed: siblings.join(', '),
    meant,
  }
}

function wrongName(
  issue: Issue & { code: 'invalid_key' },
  source: (path: readonly PropertyKey[]) => string,
): Problem {
  const name = String(issue.path.at(-1))
  const digits = /^\d{7,15}$/.test(name)
  return {
    key: issue.path.map(String).join('.'),
    source: source(issue.path),
    found: JSON.stringify(name),
    allowed: issue.issues[0]?.message ?? 'another name',
    ...(digits ? { meant: `"+${name}", with the quotes` } : {}),
  }
}

/** Returns the shape that describes the allowed values: for a discriminator key, the shape above it. */
function telling(issue: Issue, shape: Shape | undefined): Shape {
  const discriminator = issue.code === 'invalid_union' && 'discriminator' in issue
  return (discriminator ? shapeAt(issue.path.slice(0, -1)) : shape) ?? {}
}

function wrongValue(
  issue: Issue,
  values: unknown,
  source: (path: readonly PropertyKey[]) => string,
): Problem {
  const key = issue.path.map(String).join('.')
  const shape = shapeAt(issue.path)
  const value = issue.path.reduce<unknown>(
    (at, part) => (at as Record<PropertyKey, unknown> | undefined)?.[part],
    values,
  )
  const hidden = isSecret(key) || shape === undefined || shape.type === 'object'
  return {
    key,
    source: source(issue.path),
    found: hidden
      ? `${kindOf(value)}${isSecret(key) && value !== undefined ? ' (not shown)' : ''}`
      : shown(value),
    allowed: issue.code === 'custom' ? issue.message : allowedBy(telling(issue, shape)),
  }
}
