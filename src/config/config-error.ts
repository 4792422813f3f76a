import { BridgeError } from '../common/errors.ts'

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
