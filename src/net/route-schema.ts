import type { FastifyInstance } from 'fastify'

/** Description of a route for a host's OpenAPI document. */
export interface RouteWords {
  readonly tag: string
  readonly summary: string
  /** The fields of its form, with descriptions; other fields are allowed. */
  readonly form?: Readonly<Record<string, string>>
  /** The media type of the response; absent: status only. */
  readonly answers?: string
  readonly status?: number
}

/**
 * Returns the `schema` of a route for `@fastify/swagger`. It is documentation only: handlers validate their input, and
 * their responses define the interface.
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

/** The schema of a route outside the interface, such as a page's file. */
export const HIDDEN: object = { hide: true }

/** Prevents validation and serialization by the schemas of `scope`, even if the host has its own compilers. */
export function onlyDescribe(scope: FastifyInstance): void {
  scope.setValidatorCompiler(() => () => true)
  scope.setSerializerCompiler(() => data => JSON.stringify(data))
}
