import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Clock } from '../../common/clock.ts'
import { errorFields } from '../../common/log.ts'
import type { ControlContext } from './control-context.ts'
import { ControlError, toErrorBody } from './errors.ts'
import { type AnyOperation, Document, type Intake, STREAMING } from './operation.ts'

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
      const { status, body, specific } = toErrorBody(error)
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

/** Lifetime of a stored response (ms). */
const KEEP_MS = 24 * 3_600_000
/** Maximum number of responses; above it, the oldest are removed early. */
const MOST_KEPT = 10_000

/** A response: a value or an error. */
export interface Answered {
  readonly status: number
  readonly body: unknown
}

interface Known {
  readonly digest: string
  readonly answer: Promise<Answered>
  readonly until: number
  settled: boolean
}

/**
 * Executes requests with an `Idempotency-Key` once: a repeated request gets the same response for 24 h, even while the
 * first is in progress. Retryable failures (503) are not kept, so that a retry can succeed.
 */
export class Idempotency {
  readonly #clock: Clock
  readonly #most: number
  /** In insertion order, which is also the order of expiry. */
  readonly #known = new Map<string, Known>()
  /** Responses removed early. */
  evicted = 0

  constructor(clock: Clock, most = MOST_KEPT) {
    this.#clock = clock
    this.#most = most
  }

  get size(): number {
    return this.#known.size
  }

  /**
   * Returns the response to the request of `holder` under `key`: that of `work`, or of the first request. `request` is
   * everything that identifies a request. Throws `idempotency_reused` for another request with the same key, or
   * `capacity` when too many are in progress.
   */
  async once(
    holder: string,
    key: string,
    request: unknown,
    work: () => Promise<Answered>,
  ): Promise<{ readonly answered: Answered; readonly again: boolean }> {
    const place = `${holder} ${key}`
    const digest = createHash('sha256').update(JSON.stringify(request)).digest('base64')
    this.#forgetOld()
    const known = this.#known.get(place)
    if (known && known.digest !== digest) throw new ControlError('idempotency_reused')
    if (known) return { answered: await known.answer, again: true }
    if (this.#known.size >= this.#most && !this.#evict()) throw new ControlError('capacity')
    const fresh: Known = {
      digest,
      answer: work(),
      until: this.#clock.now() + KEEP_MS,
      settled: false,
    }
    this.#known.set(place, fresh)
    const answered = await fresh.answer
    fresh.settled = true
    if (answered.status === 503) this.#known.delete(place)
    return { answered, again: false }
  }

  #forgetOld(): void {
    const now = this.#clock.now()
    for (const [place, { until }] of this.#known) {
      if (until > now) return
      this.#known.delete(place)
    }
  }

  #evict(): boolean {
    for (const [place, known] of this.#known) {
      if (!known.settled) continue
      this.evicted++
      return this.#known.delete(place)
    }
    return false
  }
}
