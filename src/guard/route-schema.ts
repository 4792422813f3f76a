import type { FastifyInstance } from 'fastify'

/** What a route is for, for a host's OpenAPI document. */
export interface RouteWords {
  readonly tag: string
  readonly summary: string
  /** The fields of its form, each with what it is; any others may come as well. */
  readonly form?: Readonly<Record<string, string>>
  /** The media type of what it answers; absent: nothing but the status. */
  readonly answers?: string
  readonly status?: number
}

/**
 * The `schema` of a route, as `@fastify/swagger` reads it. It describes and does not judge: what comes is checked by those who take it,
 * whose answers are the interface.
 */
export function routeSchema({ tag, summary, form, answers, status = 200 }: RouteWords): object {
  const properties = Object.fromEntries(
    Object.entries(form ?? {}).map(([name, description]) => [name, { type: 'string', description }]),
  )
  const content = answers === undefined ? {} : { content: { [answers]: { schema: {} } } }
  return {
    tags: [tag],
    summary,
    ...(form && {
      consumes: ['application/x-www-form-urlencoded'],
      body: { type: 'object', properties, additionalProperties: true },
    }),
    response: { [status]: { description: summary, ...content } },
  }
}

/** Of a route that is no interface: a file of a page. */
export const HIDDEN: object = { hide: true }

/** Keeps the schemas of `scope` from being applied, by Fastify's compilers or by those that the host has set for schemas of its own. */
export function onlyDescribe(scope: FastifyInstance): void {
  scope.setValidatorCompiler(() => () => true)
  scope.setSerializerCompiler(() => data => JSON.stringify(data))
}
