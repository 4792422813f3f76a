import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimer } from '../../../src/common/clock.ts'
import { readBody } from '../../rest-faults.ts'
import { isJson, type Json, objectsIn } from '../json.ts'
import type { Upload } from '../model/message-draft.ts'
import { isSnowflake } from '../model/snowflake.ts'
import type { World } from '../model/world.ts'
import { OpenSockets } from '../open-sockets.ts'
import { ApiError, type DiscordRestFaults, type RestFault } from './api-error.ts'
import { bucketHeaders, limitedReply, RateLimits, type RawReply } from './rate-limits.ts'
import { type ApiReply, type FoundRoute, type Route, Routes } from './route.ts'
import { CHANNEL_ROUTES } from './routes/channels.ts'
import { COMMAND_ROUTES, INTERACTION_ROUTES } from './routes/commands.ts'
import { GUILD_ROUTES, MEMBER_ROUTES } from './routes/guilds.ts'
import { MESSAGE_ROUTES } from './routes/messages.ts'
import { GATEWAY_ROUTES, USER_ROUTES } from './routes/users.ts'
import { WEBHOOK_MESSAGE_ROUTES, WEBHOOK_ROUTES } from './routes/webhooks.ts'

/** All routes; the first match is used. */
export const ROUTES: readonly Route[] = [
  ...GATEWAY_ROUTES,
  ...USER_ROUTES,
  ...COMMAND_ROUTES,
  ...INTERACTION_ROUTES,
  ...WEBHOOK_MESSAGE_ROUTES,
  ...WEBHOOK_ROUTES,
  ...GUILD_ROUTES,
  ...MEMBER_ROUTES,
  ...MESSAGE_ROUTES,
  ...CHANNEL_ROUTES,
]

const MAX_BYTES = 10_485_760

/** The parsed body, or undefined without one. For a form with files, its `payload_json`. Throws `ApiError`. */
export async function parsed(bytes: Buffer, type: string): Promise<unknown> {
  if (bytes.length === 0) return undefined
  if (!type.startsWith('multipart/form-data')) return json(bytes.toString('utf8'))
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw ApiError.of(50035)
    })
  const payload = form.get('payload_json')
  const body = typeof payload === 'string' ? json(payload) : {}
  return isJson(body) ? withUploads(body, await uploadsOf(form)) : body
}

/** The files of a form, by the number in the name of their part: `files[0]`. */
async function uploadsOf(form: FormData): Promise<ReadonlyMap<string, Upload>> {
  const uploads = new Map<string, Upload>()
  for (const [name, part] of form) {
    const [, id] = /^files\[(\d+)\]$/.exec(name) ?? []
    if (id === undefined || typeof part === 'string') continue
    uploads.set(id, { filename: part.name, bytes: new Uint8Array(await part.arrayBuffer()) })
  }
  return uploads
}

/** Puts each file into its entry of the message, which is the body or, for an answer to an interaction, its data. */
function withUploads(body: Json, uploads: ReadonlyMap<string, Upload>): Json {
  if (isJson(body.data)) return { ...body, data: withUploads(body.data, uploads) }
  const attachments = objectsIn(body, 'attachments').map(entry => ({
    ...entry,
    upload: uploads.get(String(entry.id)),
  }))
  return attachments.length === 0 ? body : { ...body, attachments }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw ApiError.of(50109)
  }
}

export interface RestApiOptions {
  readonly world: World
  readonly token: string
  readonly faults: DiscordRestFaults
  readonly requests: SeenRequest[]
}

/** The parts of a request that are known before its route is called. */
interface Call {
  readonly method: string
  /** Both unchanged. */
  readonly path: string
  readonly query: string
  readonly found: FoundRoute | undefined
  readonly authorization: string | undefined
  readonly type: string
}

const PREFIX = /^\/api\/v10(?=\/)/

/** Discord's REST API, version 10. */
export class RestApi {
  readonly http: Server
  readonly #options: RestApiOptions
  readonly #open: OpenSockets
  readonly #routes = new Routes(ROUTES)
  readonly #limits: RateLimits

  constructor(options: RestApiOptions) {
    this.#options = options
    this.#limits = new RateLimits(options.world.clock)
    this.http = createServer((request, response) => void this.#serve(request, response))
    this.#open = new OpenSockets(this.http)
  }

  /** Ends every connection, including those of the gateway. */
  async close(): Promise<void> {
    const closed = new Promise<void>(settle => this.http.close(() => settle()))
    this.#open.destroy()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', headers } = request
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s)
    const found = this.#routes.find(method, path.replace(PREFIX, ''))
    const call = {
      ...{ method, path, query, found },
      authorization: headers.authorization,
      type: headers['content-type'] ?? '',
    }
    const fault = this.#options.faults.take(found?.name ?? method)
    let body: unknown
    let reply: RawReply
    try {
      const bytes = await readBody(request, MAX_BYTES)
      if (bytes === undefined) return void response.destroy()
      if (bytes === 'too long') throw ApiError.of(40005)
      body = await parsed(bytes, call.type)
      if (fault.delayMs) await this.#wait(fault.delayMs)
      if (fault.hang || fault.cut === 'before') {
        this.#note(call, body, undefined)
        return void (fault.hang || response.destroy())
      }
      reply = this.#answer(call, body, fault)
    } catch (error) {
      reply = failure(error)
    }
    this.#note(call, body, fault.cut ? undefined : reply)
    if (fault.cut) return void response.destroy()
    response.writeHead(reply.status, reply.headers).end(reply.body)
  }

  #answer(call: Call, body: unknown, fault: RestFault): RawReply {
    if (fault.rateLimited) {
      const { scope = 'user', retryAfterMs } = fault.rateLimited
      return limitedReply(scope, retryAfterMs)
    }
    if (fault.reply) {
      const { status, body: text = '', type = 'text/html' } = fault.reply
      return { status, headers: { 'content-type': type }, body: text }
    }
    const { found, authorization } = call
    if (found?.route.auth !== 'path' && authorization !== `Bot ${this.#options.token}`)
      throw ApiError.plain(401, 'Unauthorized')
    if (!found) throw ApiError.plain(404, 'Not Found')
    if (fault.code !== undefined) throw ApiError.of(fault.code)
    const limit = this.#limit(found)
    if (limit.refusal) return limit.refusal
    checkIds(found.params)
    const { world } = this.#options
    const query = new URLSearchParams(call.query)
    const reply = found.route.handle({ params: found.params, query, body }, world)
    return raw(reply, limit.headers)
  }

  #limit({ name, params, route }: FoundRoute): { headers: Record<string, string>; refusal?: RawReply } {
    if (!this.#options.faults.rateLimits) return { headers: {} }
    const globalMs = route.auth === 'path' ? undefined : this.#limits.takeGlobal()
    if (globalMs !== undefined) return { headers: {}, refusal: limitedReply('global', globalMs) }
    const state = this.#limits.take(name, params)
    if (!state) return { headers: {} }
    const headers = bucketHeaders(state, this.#options.world.wallClock())
    if (state.exceeded) return { headers, refusal: limitedReply('user', state.resetAfterMs, headers) }
    const webhook =
      name === 'POST /webhooks/:webhook/:token' && this.#options.world.webhooks.get(params.webhook ?? '')
    const waitMs = webhook ? this.#limits.takeWebhookMessage(webhook.channel.id) : undefined
    return waitMs === undefined ? { headers } : { headers, refusal: limitedReply('shared', waitMs, headers) }
  }

  #note(call: Call, body: unknown, reply: RawReply | undefined): void {
    const code = reply && reply.status >= 400 ? codeIn(reply.body) : undefined
    this.#options.requests.push({
      method: call.method,
      path: shownPath(call),
      route: call.found?.name,
      body,
      at: this.#options.world.wallClock(),
      status: reply?.status,
      code,
    })
  }

  #wait(ms: number): Promise<void> {
    return new Promise(settle => void setTimer(this.#options.world.clock, ms, settle))
  }
}

/** Checks that ids in a path are ids, or one of the reserved words. Throws `ApiError`. */
function checkIds(params: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(params))
    if (name !== 'token' && !['@me', '@original'].includes(value) && !isSnowflake(value))
      throw ApiError.of(50035)
}

function raw({ status, body }: ApiReply, headers: Readonly<Record<string, string>>): RawReply {
  if (body === undefined) return { status, headers, body: '' }
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** Unchanged, except for the token of a webhook or an interaction. */
function shownPath({ path, query, found }: Call): string {
  const all = path.replace(PREFIX, '').replaceAll('%40', '@') + (query && `?${query}`)
  const token = found?.params.token
  return token === undefined ? all : all.replace(encodeURIComponent(token), ':token')
}

function failure(error: unknown): RawReply {
  const known = error instanceof ApiError ? error : ApiError.plain(500, 'Internal Server Error')
  return raw({ status: known.status, body: known.body }, {})
}

function codeIn(body: string): number | undefined {
  try {
    const { code } = JSON.parse(body) as { code?: unknown }
    return typeof code === 'number' ? code : undefined
  } catch {
    return undefined
  }
}

/** One REST request and its response. Never includes the token. */
export interface SeenRequest {
  readonly method: string
  /** Without `/api/v10`, with the query: `/channels/123/messages?limit=5`. The token of an interaction or webhook is `:token`. */
  readonly path: string
  /** The route's pattern, `PATCH /channels/:channel/messages/:message`; undefined for an unknown route. */
  readonly route: string | undefined
  /** The body, parsed; undefined without one. */
  readonly body: unknown
  /** Milliseconds since 1970. */
  readonly at: number
  /** HTTP; undefined if the connection was cut or never answered. */
  readonly status: number | undefined
  /** Discord's own error code. */
  readonly code: number | undefined
}
