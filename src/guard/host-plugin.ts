import type { FastifyInstance } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { z } from 'zod'
import { BridgeError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'

/**
 * A plugin for `app.register` of any Fastify 5. It names no type of Fastify's, so that it fits an app whose copy of Fastify is another than
 * the one these types were resolved with.
 */
export type HostPlugin<Options> = (app: unknown, options: Options) => Promise<void>

/**
 * Makes `plugin` one for somebody else's app: its decorator is the app's, and wrong options fail the registration with `BridgeError`
 * `CONFIG`, naming each with what it must be and what it is. What it registers in a scope of its own stays there.
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

/** What Fastify itself reads among the options of any plugin, `prefix` aside. */
const OF_FASTIFY = new Set(['logLevel', 'logSerializers'])

function checkOptions(name: string, schema: z.ZodType, options: object): void {
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
      .map(key => unknown([...issue.path, key].join('.'), nearest(key, known), known))
      .join('; ')
  }
  const path = issue.path.map(String).join('.')
  const value = issue.path.reduce<unknown>(
    (at, part) => (at as Record<PropertyKey, unknown> | undefined)?.[part],
    options,
  )
  return `${path} must be ${wanted(issue.message)}, got ${shown(path, value)}`
}

/** Of the library's own messages ("Too small: expected number to be >=1") what it expected. */
function wanted(message: string): string {
  const [, expected] = /^[A-Z][a-z ]+: expected (.*?)(?:, received .*)?$/.exec(message) ?? []
  return expected === undefined ? message : `a ${expected}`.replace(/ to be /, ' ')
}

function unknown(key: string, meant: string | undefined, known: readonly string[]): string {
  return `there is no option ${key}${meant === undefined ? ` (there are: ${known.join(', ')})` : `, did you mean ${meant}?`}`
}

/** The keys of the table at `path`. */
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

/** Numbers and the like as they are; of text and tables only what they are, since secrets are among them. */
function shown(path: string, value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined)
    return String(value)
  if (typeof value === 'string' && !/token|key|secret/i.test(path)) return JSON.stringify(value.slice(0, 80))
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** An object of the program that registers the plugin: it has these methods. */
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

/** A function of the program that registers the plugin. */
export function callable<T>(what: string): z.ZodType<T> {
  return z.custom<T>(value => typeof value === 'function', { message: `a function: ${what}` })
}

/** Segments that stand in an address as they are: no parameter, wildcard, query or empty segment. */
const PLAIN = /^\/?([\w.~%$&'()+,;=@!-]+(\/[\w.~%$&'()+,;=@!-]+)*\/?)?$/

/**
 * The path under which the routes of a plugin are reached: the prefix of the scope it is registered in (`app.prefix`), its own `prefix`,
 * and what all its routes begin with. Addresses that are handed out or verified are built from it, so a prefix that cannot be written out
 * (`/:tenant`) is refused. Without a slash at its end; empty at the root.
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
