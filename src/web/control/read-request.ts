import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ControlError } from './control-error.ts'
import type { AnyOperation, Intake } from './operation.ts'

const nothing = z.strictObject({})

/** Validates `raw` with the schemas of `operation`. Throws `value_not_allowed` or `field_unknown`. */
export function readRequest(operation: AnyOperation, raw: FastifyRequest): Intake<unknown, unknown, unknown> {
  const { params = nothing, query = nothing, body } = operation
  return {
    params: checked(params, raw.params, ''),
    query: checked(query, { ...(raw.query as object) }, ''),
    body: readBody(body, raw.body),
  }
}

/** An empty body counts as no body; so does an empty object if no body is expected. */
function readBody(schema: z.ZodType | undefined, given: unknown): unknown {
  const body = given === null ? undefined : given
  if (schema) return checked(schema, body, 'body')
  if (body !== undefined) checked(nothing, body, 'body')
  return undefined
}

function checked(schema: z.ZodType, value: unknown, place: string): unknown {
  const { data, error } = schema.safeParse(value)
  const issue = error?.issues[0]
  if (!issue) return data
  const path = [place, ...issue.path.map(String)].filter(Boolean).join('.')
  if (issue.code === 'unrecognized_keys')
    throw new ControlError('field_unknown', `${path ? `${path}: ` : ''}unknown: ${issue.keys.join(', ')}`)
  throw new ControlError('value_not_allowed', `${path || 'request'}: ${issue.message}`)
}
