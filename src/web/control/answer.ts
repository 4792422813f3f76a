import type { FastifyReply, FastifyRequest } from 'fastify'
import { thrown } from '../../common/log.ts'
import type { Floor } from './control-context.ts'
import { ControlError, told } from './control-error.ts'
import type { Answered, Idempotency } from './idempotency.ts'
import { type AnyOperation, Document, STREAMING } from './operation.ts'
import { readRequest } from './read-request.ts'

const KEY_HEADER = 'idempotency-key'
const KEY = /^[\x21-\x7e]{1,128}$/

/** Responds to an authenticated request: validates and executes it, or returns the response of its first execution. */
export async function answer(
  operation: AnyOperation,
  floor: Floor,
  idempotency: Idempotency,
  holder: string,
  raw: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const request = readRequest(operation, raw)
  const run = () => operation.run(floor, { ...request, holder, raw, reply } as never)
  const key = operation.method === 'GET' ? undefined : idempotencyKey(raw)
  if (key === undefined) {
    send(reply, operation.status, await run())
    return
  }
  const work = async (): Promise<Answered> => {
    try {
      return { status: operation.status, body: await run() }
    } catch (error) {
      const { status, body, specific } = told(error)
      if (specific === 'unexpected') logFault(floor, operation, error)
      return { status, body }
    }
  }
  const { answered, again } = await idempotency.once(holder, key, [operation.id, request], work)
  if (again) void reply.header('idempotency-replayed', 'true')
  send(reply, answered.status, answered.body)
}

/** Details of the fault go only to the log. */
export function logFault(
  { log }: Pick<Floor, 'log'>,
  operation: AnyOperation | undefined,
  error: unknown,
): void {
  log.error({ operation: operation?.id, ...thrown(error) }, 'control request failed')
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
