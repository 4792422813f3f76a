import type { FastifyInstance } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { z } from 'zod'
import { BridgeError } from '../common/errors.ts'
import { closestMatch } from '../common/suggest.ts'

/**
 * A plugin for `app.register` of any Fastify 5. Its type does not mention Fastify, so that it also fits an app with a
 * different copy of Fastify than the one these types were resolved with.
 */
export type HostPlugin<Options> = (app: unknown, options: Options) => Promise<void>

/**
 * Wraps `plugin` for a host app: its decorators belong to the app, and invalid options fail the registration with
 * `BridgeError` `CONFIG`, which lists each option with the expected and actual value. Registrations in the plugin's own
 * scope stay there.
 */
export function hostPlugin<Options extends object>(
  name: string,
  schema: z.ZodType,
  plugin: (app: FastifyInstance, options: Options) => Promise<void>,
): HostPlugin<Options> {
  const checked = async (app: FastifyInstance, options: Options): Promise<void> => {
    checkOptions(name, schema, options)
    await plugin(app, options)
  }
  return fastifyPlugin(checked, { name, fastify: '5.x' }) as HostPlugin<Options>
}

/** Options that Fastify reads from any plugin, except `prefix`. */
const OF_FASTIFY = new Set(['logLevel', 'logSerializers'])

/** Throws `BridgeError` `CONFIG`, which lists each invalid option of `name` with the expected and actual value. */
export function checkOptions(name: string, schema: z.ZodType, options: object): void {
  const own = Object.fromEntries(Object.entries(options).filter(([key]) => !OF_FASTIFY.has(key)))
  const { error } = schema.safeParse(own)
  if (error)
    throw new BridgeError(
      'CONFIG',
      `${name}: ${error.issues.map(issue => told(issue, own, schema)).join('; ')}`,
    )
}

type Issue = z.core.$ZodIssue

/** `limits.maxCalls must be …, got "many"`. */
function told(issue: Issue, options: object, schema: z.ZodType): string {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path)
    return issue.keys
      .map(key => unknown([...issue.path, key].join('.'), closestMatch(key, known), known))
      .join('; ')
  }
  const path = issue.path.map(String).join('.')
  const value = issue.path.reduce<unknown>(
    (at, part) => (at as Record<PropertyKey, unknown> | undefined)?.[part],
    options,
  )
  return `${path} must be ${wanted(issue.message)}, got ${shown(path, value)}`
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

/** Shows numbers, booleans and short text; for objects and for possible secrets only their type. */
function shown(path: string, value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined)
    return String(value)
  if (typeof value === 'string' && !/token|key|secret/i.test(path)) return JSON.stringify(value.slice(0, 80))
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Literal path segments: no parameter, wildcard, query or empty segment. */
const PLAIN = /^\/?([\w.~%$&'()+,;=@!-]+(\/[\w.~%$&'()+,;=@!-]+)*\/?)?$/

/**
 * Returns the path of a plugin's routes: the prefix of its scope (`app.prefix`), its own `prefix`, and `path`, with
 * which all its routes start. URLs are built and verified with it, so a prefix with a parameter (`/:tenant`) is
 * rejected. No trailing slash; empty at the root.
 */
export function mountPath(scopePrefix: string, prefix = '', path = ''): string {
  const named = { 'the prefix of the scope': scopePrefix, prefix, path }
  for (const [name, part] of Object.entries(named))
    if (typeof part !== 'string' || !PLAIN.test(part))
      throw new BridgeError(
        'CONFIG',
        `${name} must be a plain path such as /calls, without parameters or wildcards, got ${JSON.stringify(part)}`,
      )
  const segments = [scopePrefix, prefix, path].flatMap(part => part.split('/')).filter(part => part !== '')
  return segments.map(segment => `/${segment}`).join('')
}
