import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { errorFields, type Logger } from '../../common/log.ts'
import type { Fleet, FleetNode } from '../../core/model/fleet.ts'
import { ControlError } from './errors.ts'

/** Marks a request that another node has forwarded: it is answered here. */
export const FORWARDED = 'x-dragoman-forwarded'
/** Time until another node must start its reply (ms). */
const REPLY_MS = 5_000
/** Time for the parts of a list from other nodes, and for the question where something is (ms). */
const PART_MS = 1_000
const HAS = 'control.has'
const questionSchema = z.object({ kind: z.string().max(32), id: z.string().max(256) })

/** Request headers that the other node needs. */
const HEADERS = ['authorization', 'accept', 'idempotency-key', 'last-event-id'] as const
/** Reply headers that belong to the connection between the nodes. */
const CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date'])

/** Returns whether this node has what a path parameter names. */
export type Owner = (id: string) => boolean

export interface ForwardingOptions {
  readonly fleet: Fleet
  /** Returns the node at which `room` is; undefined: here, or unknown. */
  readonly nodeOf: (room: string) => string | undefined
  /** By path parameter, such as `participant`. */
  readonly owners: Readonly<Record<string, Owner>>
  readonly log: Logger
}

/**
 * Sends requests to the node that can answer them, over HTTP at its address: those about a room to its home, those about
 * something else with an ID to the node that has it. A forwarded request is authenticated again by that node.
 */
export class Forwarding implements Disposable {
  readonly #options: ForwardingOptions
  #answers: Disposable | undefined

  constructor(options: ForwardingOptions) {
    this.#options = options
  }

  /** Starts to tell other nodes what this one has. Call it once. */
  start(): void {
    const { fleet, owners } = this.#options
    this.#answers = fleet.exchange.answer(HAS, questionSchema, ({ kind, id }) => owners[kind]?.(id) ?? false)
  }

  [Symbol.dispose](): void {
    this.#answers?.[Symbol.dispose]()
  }

  /** Resolves to the node that answers `request`; undefined: this one. */
  async target(request: FastifyRequest): Promise<FleetNode | undefined> {
    const { fleet, nodeOf, owners } = this.#options
    if (fleet.status !== 'up' || FORWARDED in request.headers) return undefined
    const params = request.params as Readonly<Record<string, string>>
    const node = params.room === undefined ? undefined : nodeOf(params.room)
    if (node !== undefined) return fleet.nodes.find(each => each.node === node)
    for (const [kind, has] of Object.entries(owners)) {
      const id = params[kind]
      if (id !== undefined && !has(id)) return this.#find(kind, id)
    }
    // The transcript of a room that has ended is where the room was.
    const { life } = request.query as { life?: unknown }
    if (typeof life === 'string' && owners.transcript?.(life) === false) return this.#find('transcript', life)
    return undefined
  }

  /** Sends `request` to `node` and replies with its reply. Rejects with `fleet_away` if the node does not reply. */
  async forward(node: FleetNode, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    let answer: IncomingMessage
    try {
      answer = await this.#send(node, request, REPLY_MS)
    } catch (error) {
      this.#options.log.warn({ node: node.node, ...errorFields(error) }, 'a node did not answer a request')
      throw new ControlError('fleet_away', undefined, { 'retry-after': '1' })
    }
    for (const [name, value] of Object.entries(answer.headers))
      if (value !== undefined && !CONNECTION.has(name)) void reply.header(name, value)
    await reply.status(answer.statusCode ?? 502).send(answer)
  }

  /**
   * Resolves to the replies of all other nodes, or of those that are `asked`, to the same GET request, without those that
   * do not reply in time.
   */
  async others(
    request: FastifyRequest,
    asked: (node: FleetNode) => boolean = () => true,
  ): Promise<unknown[]> {
    const { fleet, log } = this.#options
    if (fleet.status === 'alone' || FORWARDED in request.headers) return []
    const parts = await Promise.all(
      this.#otherNodes()
        .filter(asked)
        .map(async node => {
          try {
            const answer = await this.#send(node, request, PART_MS)
            const chunks = await answer.setEncoding('utf8').toArray()
            return answer.statusCode === 200 ? (JSON.parse(chunks.join('')) as unknown) : undefined
          } catch (error) {
            log.warn({ node: node.node, ...errorFields(error) }, 'a node is missing from a list')
            return undefined
          }
        }),
    )
    return parts.filter(part => part !== undefined)
  }

  #otherNodes(): FleetNode[] {
    const { fleet } = this.#options
    return fleet.nodes.filter(({ node }) => node !== fleet.node)
  }

  async #find(kind: string, id: string): Promise<FleetNode | undefined> {
    const { exchange } = this.#options.fleet
    const found = await Promise.all(
      this.#otherNodes().map(async node => {
        const has = await exchange.ask(node.node, HAS, { kind, id }, PART_MS).catch(() => false)
        return has === true ? node : undefined
      }),
    )
    return found.find(node => node !== undefined)
  }

  #send(node: FleetNode, request: FastifyRequest, withinMs: number): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const body =
      request.body === undefined || request.body === null ? undefined : JSON.stringify(request.body)
    const headers: Record<string, string> = {
      [FORWARDED]: this.#options.fleet.node,
      'x-forwarded-for': request.ip,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    for (const name of HEADERS) {
      const value = request.headers[name]
      if (typeof value === 'string') headers[name] = value
    }
    if (!URL.canParse(node.address)) return Promise.reject(new Error(`node ${node.node} has no address`))
    const { method } = request
    const sent = httpRequest(
      node.address,
      { method, path: pathOf(request), headers, agent: false },
      answer => {
        sent.setTimeout(0)
        resolve(answer)
      },
    )
    sent.setTimeout(withinMs, () => sent.destroy(new Error('no reply in time')))
    sent.on('error', reject)
    sent.end(body)
    return promise
  }
}

/**
 * Returns the path and query of `request`, made of its route and its decoded parameters. What the client wrote in its
 * place could name another server.
 */
export function pathOf({
  routeOptions,
  params,
  query,
}: Pick<FastifyRequest, 'routeOptions' | 'params' | 'query'>): string {
  const named = params as Readonly<Record<string, string>>
  const path = (routeOptions.url ?? '').replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(named[name] ?? ''),
  )
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(query as Readonly<Record<string, string | string[]>>))
    for (const each of [value].flat()) asked.append(name, each)
  return asked.size === 0 ? path : `${path}?${asked}`
}
