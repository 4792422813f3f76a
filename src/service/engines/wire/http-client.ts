import { type BackoffPolicy, backoffMs } from '../../../common/backoff.ts'
import { type Clock, setTimer } from '../../../common/clock.ts'
import { parseJson } from '../../../common/json.ts'
import type { EngineHttpOptions } from '../definition.ts'
import { EngineError, type EngineKind } from '../engine.ts'
import { FailureCooldown } from './failure-cooldown.ts'

/** A failed attempt at a request. Contains neither the request nor the response. */
export class HttpFault extends Error {
  /** Status of the response, if any. */
  readonly status: number | undefined
  /** True if a retry may succeed. */
  readonly passing: boolean
  /** The request parameter that the server rejected, if it named one. */
  readonly parameter: string | undefined

  constructor(
    message: string,
    how: { status?: number; passing?: boolean; cause?: unknown; parameter?: string | undefined } = {},
  ) {
    super(message, { cause: how.cause })
    this.name = 'HttpFault'
    this.status = how.status
    this.passing = how.passing ?? false
    this.parameter = how.parameter
  }
}

/** Callbacks of the request to which a response belongs. */
export interface AnswerOwner {
  /** Called at the end of the response, at least once. */
  ended(): void
  /** Converts a fault that occurs while reading. */
  explained(fault: HttpFault): unknown
}

/**
 * A response whose head has arrived. The holder reads it to its end or closes it; the request's deadline applies until
 * then.
 */
export class HttpAnswer {
  /** Content type in lower case, without parameters; empty if missing. */
  readonly type: string
  readonly #response: Response
  readonly #owner: AnswerOwner

  constructor(response: Response, owner: AnswerOwner) {
    this.#response = response
    this.#owner = owner
    this.type = (response.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
  }

  /** Yields the bytes as they arrive. Throws if there are more than `most`, or if the connection breaks. */
  async *bytes(most: number): AsyncGenerator<Uint8Array> {
    let count = 0
    try {
      for await (const piece of this.#response.body ?? []) {
        count += piece.length
        if (count > most) throw new HttpFault(`returned more than ${most} bytes`)
        yield piece
      }
    } catch (cause) {
      if (cause instanceof HttpFault) throw this.#owner.explained(cause)
      throw this.#owner.explained(new HttpFault('interrupted its response', { passing: true, cause }))
    } finally {
      this.#owner.ended()
    }
  }

  /** Reads all bytes as text. */
  async text(most: number): Promise<string> {
    const pieces: Uint8Array[] = []
    for await (const piece of this.bytes(most)) pieces.push(piece)
    return Buffer.concat(pieces).toString('utf8')
  }

  async json(most: number): Promise<unknown> {
    const text = await this.text(most)
    try {
      return JSON.parse(text)
    } catch {
      // The cause would quote the text.
      throw new HttpFault(`returned ${this.type || 'a body'} that is not JSON`)
    }
  }

  /** Discards the rest. Idempotent. */
  async close(): Promise<void> {
    this.#owner.ended()
    await this.#response.body?.cancel().catch(() => {})
  }
}

/** The parts of an error's body that are safe to log: single words. Messages are skipped, as they may quote the request. */
export interface ErrorDetails {
  readonly code: string | undefined
  /** The request parameter that the server rejected. */
  readonly parameter: string | undefined
}

/** Reads an error response. `parameters` are searched for in its message if the body has no field for them. */
async function errorDetails(
  answer: HttpAnswer,
  most: number,
  parameters: readonly string[] = [],
): Promise<ErrorDetails> {
  let text: string
  try {
    text = await answer.text(most)
  } catch {
    return { code: undefined, parameter: undefined }
  }
  const { code, type, param } = errorIn(text)
  // A message often recommends the replacement after the rejected parameter: the first one mentioned counts.
  const [mentioned] = parameters
    .map(name => ({ name, at: text.search(new RegExp(`(?<![a-z_])${name}(?![a-z_])`)) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
  return { code: word(code) ?? word(type), parameter: word(param) ?? mentioned?.name }
}

function errorIn(text: string): { code?: unknown; type?: unknown; param?: unknown } {
  const body = parseJson(text) as { error?: unknown } | null | undefined
  return typeof body?.error === 'object' && body.error ? body.error : {}
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && /^[a-z_]{1,40}$/.test(value) ? value : undefined
}

export interface EngineRequest {
  readonly method?: 'GET' | 'POST'
  /** Sent as JSON. */
  readonly json?: object
  readonly body?: FormData | string
  /** Further headers, such as a key that is not a bearer token; undefined ones are left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Content type of a text body. */
  readonly type?: string
  /** Optional parameters in it, searched for in the message when the server rejects the request. */
  readonly optional?: readonly string[]
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined
}

/** One request with all its attempts. */
interface Call {
  readonly signal: AbortSignal
  readonly deadline: Disposable
  /** Converts a fault to the error for the caller. */
  explained(error: unknown): unknown
}

/** For responses that are read within the request: nothing to do at their end, and faults are not converted. */
const PLAIN: AnswerOwner = { ended() {}, explained: fault => fault }

/**
 * Further attempts within the deadline of a request, such as for a kept connection that the server has just closed. The
 * next engine serves after that.
 */
const RETRIES = 1
const RETRY: BackoffPolicy = { firstMs: 100, maxMs: 5_000, jitter: 0 }
/** Time for a request with its attempts, from the first to the last byte (ms): later speech is of no use in a call. */
const TIMEOUT_MS = 10_000
/** Time without requests after repeated failures (ms). */
const COOLDOWN_MS = 5_000
/** Maximum number of bytes read of an error response. */
const ERROR_BYTES = 4_096
/** Maximum size of a JSON response; a transcript with word timestamps is far smaller. */
const JSON_BYTES = 4 << 20

/**
 * HTTP client for one server of an engine: deadlines, retries, limits, no redirects. Every failure is an `EngineError`
 * that describes what happened and never includes request or response, as both contain speech. Retried: failed and
 * broken connections, 429 and 5xx. Not retried: other statuses, invalid responses, and the deadline.
 */
export class EngineHttp {
  readonly #kind: EngineKind
  readonly #engine: string
  readonly #options: EngineHttpOptions
  readonly #clock: Clock
  readonly #closed = new AbortController()
  readonly #cooldown: FailureCooldown

  constructor(kind: EngineKind, engine: string, options: EngineHttpOptions, clock: Clock) {
    this.#kind = kind
    this.#engine = engine
    this.#options = options
    this.#clock = clock
    this.#cooldown = new FailureCooldown(clock, COOLDOWN_MS)
  }

  /** True during the cooldown after repeated failures. */
  get resting(): boolean {
    return this.#cooldown.active
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? TIMEOUT_MS
  }

  /** Does not use the server for `ms`. */
  rest(ms: number): void {
    this.#cooldown.rest(ms)
  }

  /** Sends a request and reads the whole JSON response. */
  json(path: string, request: EngineRequest): Promise<unknown> {
    return this.read(path, request, answer => answer.json(JSON_BYTES))
  }

  /** Sends a request and passes the response to `read`; a connection that breaks meanwhile is retried. */
  read<T>(path: string, request: EngineRequest, read: (answer: HttpAnswer) => Promise<T>): Promise<T> {
    return this.#attempts(request, async ({ signal, deadline }) => {
      const answer = new HttpAnswer(await this.#send(path, request, signal), PLAIN)
      try {
        const result = await read(answer)
        deadline[Symbol.dispose]()
        return result
      } finally {
        await answer.close()
      }
    })
  }

  /** Sends a request and resolves with the head of the response; the caller reads it to its end or closes it. */
  open(path: string, request: EngineRequest): Promise<HttpAnswer> {
    return this.#attempts(request, async ({ signal, deadline, explained }) => {
      const response = await this.#send(path, request, signal)
      return new HttpAnswer(response, { ended: () => deadline[Symbol.dispose](), explained })
    })
  }

  /** Creates an error of this engine. */
  error(message: string, cause?: unknown): EngineError {
    return new EngineError(this.#kind, this.#engine, message, { cause })
  }

  /** Ends every request. Idempotent. */
  close(): void {
    this.#closed.abort()
  }

  async #attempts<T>({ signal }: EngineRequest, once: (call: Call) => Promise<T>): Promise<T> {
    if (this.#closed.signal.aborted) throw this.error('is closed')
    if (this.resting) throw this.error('has failed several times and is skipped temporarily')
    const late = new AbortController()
    const deadline = setTimer(this.#clock, this.#timeoutMs, () => late.abort())
    const stops = [late.signal, this.#closed.signal, ...(signal ? [signal] : [])]
    const stop = AbortSignal.any(stops)
    const explained = (error: unknown) => this.#explained(error, late.signal, signal)
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          const result = await once({ signal: stop, deadline, explained })
          this.#cooldown.succeeded()
          return result
        } catch (error) {
          const again = error instanceof HttpFault && error.passing && attempt < RETRIES
          if (!again || stop.aborted) throw error
          await this.#pause(backoffMs(attempt + 1, RETRY), stop)
        }
      }
    } catch (error) {
      deadline[Symbol.dispose]()
      throw explained(error)
    }
  }

  async #send(
    path: string,
    { method = 'POST', json, body, type, headers: further, optional }: EngineRequest,
    signal: AbortSignal,
  ): Promise<Response> {
    const { url, apiKey } = this.#options
    const headers = new Headers({ accept: '*/*' })
    for (const [name, value] of Object.entries(further ?? {}))
      if (value !== undefined) headers.set(name, value)
    if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
    if (json) headers.set('content-type', 'application/json')
    else if (type !== undefined) headers.set('content-type', type)
    const payload = json ? JSON.stringify(json) : (body ?? null)
    let response: Response
    try {
      response = await fetch(url + path, { method, headers, body: payload, redirect: 'manual', signal })
    } catch (cause) {
      throw new HttpFault('cannot be reached', { passing: true, cause })
    }
    if (response.ok) return response
    const { status } = response
    const answer = new HttpAnswer(response, PLAIN)
    const { code, parameter } = await errorDetails(answer, ERROR_BYTES, optional)
    await answer.close()
    if (status >= 300 && status < 400)
      throw new HttpFault(`answered ${status}, a redirect, which is not followed`, { status })
    throw new HttpFault(`answered ${status}${code === undefined ? '' : ` (${code})`}`, {
      status,
      passing: status === 429 || status >= 500,
      parameter,
    })
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimer(this.#clock, ms, resolve)
      const stopped = () => {
        timer[Symbol.dispose]()
        resolve()
      }
      signal.addEventListener('abort', stopped, { once: true })
    })
  }

  #explained(error: unknown, late: AbortSignal, signal: AbortSignal | undefined): unknown {
    if (this.#closed.signal.aborted) return this.error('is closed')
    if (signal?.aborted) return this.error('was stopped')
    if (late.aborted) {
      this.#cooldown.failed()
      return this.error(`no answer within ${this.#timeoutMs} ms`, error)
    }
    if (!(error instanceof HttpFault)) return error
    if (error.passing) this.#cooldown.failed()
    return this.error(error.message, error)
  }
}
