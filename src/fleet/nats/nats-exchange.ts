import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node'
import { z } from 'zod'
import { BridgeError, ERROR_CODES } from '../../common/errors.ts'
import { errorFields, type Logger } from '../../common/log.ts'
import type { Answerer, Exchange, NodeIdentity } from '../../core/model/fleet.ts'
import type { AskResult, FleetCounters } from '../counters.ts'
import { away } from '../key-value-store.ts'
import { NATS_PREFIX } from './nats-connection.ts'

/** Version of the messages; neighboring releases share a fleet. */
const VERSION = 1
const ASK_MS = 2_000
/** Maximum size of a message (bytes). NATS allows 1 MiB. */
const MAX_BYTES = 524_288

const envelopeSchema = z.object({
  v: z.literal(VERSION),
  from: z.string().max(32),
  body: z.unknown().optional(),
})
const replySchema = z.union([
  z.object({
    v: z.literal(VERSION),
    error: z.object({ code: z.enum(ERROR_CODES), message: z.string(), retryable: z.boolean() }),
  }),
  z.object({ v: z.literal(VERSION), body: z.unknown().optional() }),
])

export interface NatsExchangeOptions {
  readonly self: NodeIdentity
  /** Returns the connection, or throws `FLEET_AWAY`. */
  readonly connection: () => NatsConnection
  readonly counters: FleetCounters
  readonly log: Logger
}

interface Channel {
  readonly subject: string
  readonly take: (message: Msg) => void
  subscription: Subscription | undefined
}

/** Messages between nodes over NATS: requests to one node, and messages to all. */
export class NatsExchange implements Exchange {
  readonly #options: NatsExchangeOptions
  readonly #channels = new Set<Channel>()
  #connection: NatsConnection | undefined

  constructor(options: NatsExchangeOptions) {
    this.#options = options
  }

  /** Subscribes with the first connection; the library keeps subscriptions when it reconnects. */
  connected(connection: NatsConnection): void {
    if (this.#connection === connection) return
    this.#connection = connection
    for (const channel of this.#channels) this.#subscribe(channel)
  }

  async ask(node: string, what: string, body: unknown, withinMs = ASK_MS): Promise<unknown> {
    const { counters } = this.#options
    const count = (result: AskResult) => counters.asked(what, result)
    let reply: Msg
    try {
      const connection = this.#options.connection()
      reply = await connection.request(subjectOf('node', node, what), this.#envelope(body), {
        timeout: withinMs,
      })
    } catch (error) {
      const failure = failureOf(error, node, what)
      count(failure.code === 'NODE_GONE' ? 'gone' : failure.code === 'NODE_LATE' ? 'late' : 'away')
      throw failure
    }
    const parsed = read(reply, replySchema)
    if (!parsed) {
      counters.invalid++
      count('failed')
      throw new BridgeError('FLEET_FAILED', `node ${node} gave an invalid answer to ${what}`)
    }
    if (!('error' in parsed)) {
      count('answered')
      return parsed.body
    }
    count('failed')
    const { code, message, retryable } = parsed.error
    throw new BridgeError(code, message, { retryable })
  }

  answer<T>(what: string, schema: z.ZodType<T>, handler: Answerer<T>): Disposable {
    const { self } = this.#options
    const subject = subjectOf('node', self.node, what)
    for (const channel of this.#channels)
      if (channel.subject === subject) throw new BridgeError('STATE', `${what} has a handler already`)
    return this.#add(subject, message => void this.#answer(what, message, schema, handler))
  }

  tell(subject: string, body: unknown): void {
    try {
      this.#options.connection().publish(subjectOf('all', subject), this.#envelope(body))
    } catch (error) {
      // Messages to all are not repeated.
      if (!(error instanceof BridgeError)) throw error
    }
  }

  hear<T>(subject: string, schema: z.ZodType<T>, listener: (body: T, from: string) => void): Disposable {
    return this.#add(subjectOf('all', subject), message => {
      const heard = this.#open(message, schema)
      if (!heard) return
      try {
        listener(heard.body, heard.from)
      } catch (error) {
        this.#options.log.error({ subject, ...errorFields(error) }, 'message of another node failed')
      }
    })
  }

  #envelope(body: unknown): string {
    const text = JSON.stringify({ v: VERSION, from: this.#options.self.node, body })
    if (text.length <= MAX_BYTES) return text
    throw new BridgeError(
      'FLEET_FAILED',
      `a message of ${text.length} bytes is too long, the limit is ${MAX_BYTES}`,
    )
  }

  async #answer<T>(what: string, message: Msg, schema: z.ZodType<T>, handler: Answerer<T>): Promise<void> {
    const asked = this.#open(message, schema)
    const respond = (reply: object) => {
      if (!message.respond(JSON.stringify({ v: VERSION, ...reply }))) this.#options.counters.invalid++
    }
    if (!asked) {
      respond({ error: { code: 'FLEET_FAILED', message: `invalid request ${what}`, retryable: false } })
      return
    }
    try {
      respond({ body: await handler(asked.body, asked.from) })
    } catch (error) {
      if (!(error instanceof BridgeError))
        this.#options.log.error({ what, ...errorFields(error) }, 'request of another node failed')
      const { code, retryable } =
        error instanceof BridgeError ? error : ({ code: 'FLEET_FAILED', retryable: false } as const)
      // Details of internal errors stay in the log of their node.
      const text = error instanceof BridgeError ? error.message : 'internal error'
      respond({ error: { code, message: text, retryable } })
    }
  }

  #open<T>(message: Msg, schema: z.ZodType<T>): { readonly body: T; readonly from: string } | undefined {
    const envelope = read(message, envelopeSchema)
    const body = envelope && schema.safeParse(envelope.body)
    if (!envelope || !body?.success) {
      this.#options.counters.invalid++
      return undefined
    }
    return { body: body.data, from: envelope.from }
  }

  #add(subject: string, take: (message: Msg) => void): Disposable {
    const channel: Channel = { subject, take, subscription: undefined }
    this.#channels.add(channel)
    this.#subscribe(channel)
    return {
      [Symbol.dispose]: () => {
        this.#channels.delete(channel)
        if (this.#connection && !this.#connection.isClosed()) channel.subscription?.unsubscribe()
      },
    }
  }

  #subscribe(channel: Channel): void {
    channel.subscription = this.#connection?.subscribe(channel.subject, {
      callback: (error, message) => {
        if (!error) channel.take(message)
      },
    })
  }
}

/** NATS allows neither spaces nor wildcards in subjects. */
function subjectOf(...parts: readonly string[]): string {
  return [NATS_PREFIX, ...parts].join('.').replaceAll(/[^\w.-]+/g, '_')
}

/** Reads a message; returns undefined if it is too long, not JSON, or does not match. */
function read<T>(message: Msg, schema: z.ZodType<T>): T | undefined {
  if (message.data.length > MAX_BYTES * 2) return undefined
  try {
    return schema.safeParse(message.json()).data
  } catch {
    return undefined
  }
}

function failureOf(error: unknown, node: string, what: string): BridgeError {
  if (error instanceof BridgeError) return error
  const { name, message } = error as Error & { isNoResponders?: () => boolean }
  const gone =
    (error as { isNoResponders?: () => boolean }).isNoResponders?.() ?? name === 'NoRespondersError'
  if (gone)
    return new BridgeError('NODE_GONE', `node ${node} does not listen to ${what}`, { retryable: true })
  if (name === 'TimeoutError')
    return new BridgeError('NODE_LATE', `node ${node} did not answer ${what} in time`, { retryable: true })
  return away(message, error)
}
