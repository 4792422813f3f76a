import type { FastifyInstance } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import type { z } from 'zod'
import { BridgeError } from '../common/errors.ts'
import { schemaProblems } from '../common/schema-problems.ts'

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
  if (error) throw new BridgeError('CONFIG', `${name}: ${schemaProblems(schema, own, error)}`)
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

/** Names of bridges that are in use, by server and by relay. */
const used = new WeakMap<object, Set<string>>()

/**
 * Returns a name for the legs of a bridge: `name`, or for further bridges on the same server or relay `name-2`, `name-3`,
 * so that the ids of their legs differ.
 */
export function bridgeName(name: string, ...owners: readonly object[]): string {
  const taken = owners.map(owner => {
    const names = used.get(owner) ?? new Set()
    used.set(owner, names)
    return names
  })
  let distinct = name
  for (let n = 2; taken.some(names => names.has(distinct)); n++) distinct = `${name}-${n}`
  for (const names of taken) names.add(distinct)
  return distinct
}

/**
 * Decorates the scope with the state of a bridge. The first bridge of a scope has the name; a decorator of the host with
 * the same name stays.
 */
export function decorateScope(app: FastifyInstance, name: string, state: object): void {
  if (!Object.hasOwn(app, name)) app.decorate(name, state)
}

/** Throws `BridgeError` `CONFIG` if another plugin has the route `POST` or `GET` at `url`: addresses must differ. */
export function assertFree(app: FastifyInstance, method: 'GET' | 'POST', url: string, name: string): void {
  if (app.hasRoute({ method, url }))
    throw new BridgeError(
      'CONFIG',
      `${name}: ${method} ${url} is taken already; give each bridge of an application its own prefix or path`,
    )
}
