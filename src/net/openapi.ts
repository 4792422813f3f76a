import type { FastifyInstance } from 'fastify'
import { z } from 'zod'

/**
 * The OpenAPI document of an HTTP interface, from the schemas that also validate its requests and type its responses.
 * Hosts of the plugins document routes with `@fastify/swagger` instead (`routeSchema`).
 */

type Json = Readonly<Record<string, unknown>>

/** The part of a JSON schema that descriptions show. */
export interface JsonSchema extends Json {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly contentMediaType?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** A parameter, as OpenAPI describes it. */
export interface ParameterDescription {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
  readonly example?: unknown
  /** `explode`: a repeatable parameter of the query. */
  readonly style?: 'form'
  readonly explode?: boolean
}

interface BodyDescription {
  readonly type: 'application/json' | 'multipart/form-data'
  readonly required: boolean
  readonly schema: JsonSchema
}

/** An error of an operation: a row of the table of the interface, with its name. */
export interface ErrorDescription {
  readonly name: string
  readonly code: string
  readonly status: number
  readonly cause: string
}

export interface OperationDescription {
  readonly id: string
  readonly method: string
  /** Path under that of the interface; names in braces are parameters. */
  readonly path: string
  readonly group: string
  readonly summary: string
  /** Sentences with code between backticks; can be empty. */
  readonly about: string
  /** Security requirements, of which one suffices. Default: those of the interface. Empty: no authentication. */
  readonly security?: readonly Json[]
  readonly parameters: readonly ParameterDescription[]
  readonly body?: BodyDescription
  /** Status of a successful response. */
  readonly status: number
  /** Response schema by media type; null for bytes or a page. */
  readonly answers: Readonly<Record<string, JsonSchema | null>>
  readonly errors: readonly ErrorDescription[]
}

/** An HTTP interface. */
export interface ApiDescription {
  readonly title: string
  /** Sentences with code between backticks. */
  readonly about: string
  /** Path of the interface: `/`, or the prefix of all operations. */
  readonly base: string
  /** Paths under it of this description, as a document and as a page for people. */
  readonly document: string
  readonly page: string
  readonly securitySchemes: Readonly<Record<string, Json>>
  readonly security: readonly Json[]
  /** Every error has this body. */
  readonly error: z.ZodType
  /** Limits of clients by setting. */
  readonly limits?: Readonly<Record<string, number>>
  readonly operations: readonly OperationDescription[]
}

/** Returns the interface as an OpenAPI 3.1 document. */
export function openApiDocument(api: ApiDescription): Json {
  const { title, about, base, securitySchemes, security, error, limits, operations } = api
  const byPath = Map.groupBy(operations, ({ path }) => path)
  return {
    openapi: '3.1.0',
    info: { title, version: '1', description: about },
    servers: [{ url: base }],
    security,
    tags: Array.from(new Set(operations.map(({ group }) => group)), name => ({ name })),
    ...(limits && { 'x-limits': limits }),
    paths: Object.fromEntries(
      Array.from(byPath, ([path, all]) => [
        path,
        Object.fromEntries(all.map(each => [each.method.toLowerCase(), operationObject(each)])),
      ]),
    ),
    components: { securitySchemes, schemas: { Error: jsonSchema(error) } },
  }
}

function operationObject(operation: OperationDescription): Json {
  const { id, summary, about, group, security, parameters, body, status, answers, errors } = operation
  return {
    operationId: id,
    summary,
    ...(about !== '' && { description: about }),
    tags: [group],
    ...(security && { security }),
    parameters,
    ...(body && {
      requestBody: { required: body.required, content: { [body.type]: { schema: body.schema } } },
    }),
    responses: { [status]: { description: summary, content: contents(answers) }, ...errorResponses(errors) },
  }
}

function contents(answers: OperationDescription['answers']): Json {
  return Object.fromEntries(
    Object.entries(answers).map(([type, schema]) => [type, schema === null ? {} : { schema }]),
  )
}

/** Groups errors by status, each with its cause. */
function errorResponses(errors: readonly ErrorDescription[]): Json {
  const byStatus = Object.groupBy(errors, ({ status }) => status)
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, all = []]) => {
      const names = {
        type: 'object',
        properties: { error: { type: 'string', enum: all.map(each => each.name) } },
      }
      const schema = { allOf: [{ $ref: '#/components/schemas/Error' }, names] }
      const causes = all.map(({ code, name, cause }) => `\`${code}/${name}\`: ${cause}`)
      return [status, { description: causes.join('\n\n'), content: { 'application/json': { schema } } }]
    }),
  )
}

/** Returns the JSON schema of `schema`, of its input or its output, without the dialect. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output' = 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io })
  return rest as JsonSchema
}

/** Returns the fields of an object schema as parameters. */
export function schemaParameters(
  schema: z.ZodType | undefined,
  place: 'path' | 'query',
): ParameterDescription[] {
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input')
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    description,
    schema: rest,
  }))
}

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
