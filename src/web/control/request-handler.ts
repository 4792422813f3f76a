import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { errorFields } from '../../common/log.ts'
import type { ControlContext } from './control-context.ts'
import { ControlError, toControlError } from './errors.ts'
import type { Answered, Idempotency } from './idempotency.ts'
import { type AnyOperation, Document, type Intake, STREAMING } from './operation.ts'

const nothing = z.strictObject({})

/** Validates `raw` with the schemas of `operation`. Throws `value_not_allowed` or `field_unknown`. */
function readRequest(operation: AnyOperation, raw: FastifyRequest): Intake<unknown, unknown, unknown> {
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

const KEY_HEADER = 'idempotency-key'
const KEY = /^[\x21-\x7e]{1,128}$/

/** Responds to an authenticated request: validates and executes it, or returns the response of its first execution. */
export async function answer(
  operation: AnyOperation,
  context: ControlContext,
  idempotency: Idempotency,
  holder: string,
  raw: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const request = readRequest(operation, raw)
  const run = () => operation.run(context, { ...request, holder, raw, reply } as never)
  const key = operation.method === 'GET' ? undefined : idempotencyKey(raw)
  if (key === undefined) {
    send(reply, operation.status, await run())
    return
  }
  const work = async (): Promise<Answered> => {
    try {
      return { status: operation.status, body: await run() }
    } catch (error) {
      const { status, body, specific } = toControlError(error)
      if (specific === 'unexpected') logFault(context, operation, error)
      return { status, body }
    }
  }
  const { answered, again } = await idempotency.once(holder, key, [operation.id, request], work)
  if (again) void reply.header('idempotency-replayed', 'true')
  send(reply, answered.status, answered.body)
}

/** Details of the fault go only to the log. */
export function logFault(
  { log }: Pick<ControlContext, 'log'>,
  operation: AnyOperation | undefined,
  error: unknown,
): void {
  log.error({ operation: operation?.id, ...errorFields(error) }, 'control request failed')
}

function send(reply: FastifyReply, status: number, result: unknown): void {
  if (result === STREAMING) return
  if (result instanceof Document) void reply.status(status).type(result.type).send(result.text)
  else void reply.status(status).type('application/json; charset=utf-8').send(JSON.stringify(result))
}

function idempotencyKey(raw: FastifyRequest): string | undefined {
  const given = raw.headers[KEY_HEADER]
  if (given === undefined) return undefined
  if (typeof given === 'string' && KEY.test(given)) return given
  throw new ControlError(
    'value_not_allowed',
    'Idempotency-Key: 1 to 128 visible ASCII characters, without spaces',
  )
}
