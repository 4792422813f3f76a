import { BridgeError } from '../core/errors.ts'

/** One thing that is wrong with the settings. Secrets are not in it. */
export interface Problem {
  /** `twilio.authToken`, or the name of a variable nobody knows. */
  readonly key: string
  /** Where it was read: `dragoman.yaml:12`, `DRAGOMAN_PORT`, `command line`. */
  readonly source: string
  /** What was found, in words; absent when there is nothing to show. */
  readonly found?: string
  readonly allowed: string
  /** What was probably meant. */
  readonly meant?: string
}

/** The settings are wrong. Names every fault at once, so that they can be mended at once. */
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

/** A value as it may be shown: short, and without a user and password in an address. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'nothing (null)'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object') return 'a table'
  const text = JSON.stringify(value) ?? String(value)
  const safe = text.replace(/\/\/[^/@"]*@/g, '//…@')
  return safe.length > 80 ? `${safe.slice(0, 77)}…` : safe
}

/** What kind of value it is, for secrets and for text where a table belongs. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a table'
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}
