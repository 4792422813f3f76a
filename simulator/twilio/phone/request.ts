import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type Clock, setTimer } from '../../../src/common/clock.ts'
import type { FormFields } from './form-signature.ts'
import { type PhoneProfile, twilioProfile } from './profile.ts'
import { MAX_TWIML_BYTES, type Method } from './twiml.ts'

/** Key of an attacker without the token; undefined for an attacker without signatures. */
export function forgedKey(kind: 'none' | 'wrong-token', authToken: string | undefined): string | undefined {
  return kind === 'none' ? undefined : `not-${authToken ?? 'the-token'}`
}

/** Twilio's timeout for the answer to a webhook. */
const WEBHOOK_TIMEOUT_MS = 15_000
const XML_TYPES = ['text/xml', 'application/xml']

export interface WebhookRequest {
  /** The URL as configured at Twilio: the signed address. */
  url: string
  method: Method
  fields: FormFields
  route: Route
  clock: Clock
  /** Signing key; undefined omits the signature. */
  authToken: string | undefined
  /** Default: Twilio. */
  profile?: PhoneProfile | undefined
  signal: AbortSignal
  /** The same for every delivery attempt of one request; default a new one. */
  idempotencyToken?: string
  /**
   * Maximum number of bytes kept of the answer; slightly more is read to detect that it is too long. Default: the
   * maximum for TwiML.
   */
  maxBytes?: number
}

export type WebhookAnswer =
  | { ok: true; status: number; type: string; body: Buffer }
  /** `status` if there was an answer. */
  | { ok: false; code: number; why: string; status?: number }

/** Requests a webhook like Twilio. A status outside 2xx, a timeout and a rejected connection are answers, not errors. */
export function askWebhook(webhook: WebhookRequest): Promise<WebhookAnswer> {
  const { method, route, clock, signal, maxBytes = MAX_TWIML_BYTES } = webhook
  const { url, target, headers, body } = prepared(webhook)
  return new Promise(resolve => {
    const open = target.protocol === 'https:' ? httpsRequest : httpRequest
    const request = open(target, { method, headers, agent: false, signal }, response => {
      read(response, maxBytes).then(answer => settle(checked(answer, url)), fail)
    })
    const timeout = setTimer(clock, WEBHOOK_TIMEOUT_MS, () => {
      settle({ ok: false, code: 11200, why: `${url} did not answer within ${WEBHOOK_TIMEOUT_MS / 1000} s` })
      request.destroy()
    })
    const settle = (answer: WebhookAnswer) => {
      timeout[Symbol.dispose]()
      resolve(answer)
    }
    const fail = (error: Error) => {
      const code = 'code' in error && error.code === 'ENOTFOUND' ? 11210 : 11205
      settle({ ok: false, code, why: error.message || `no connection to ${route.target.host}` })
    }
    request.on('error', fail)
    request.end(body)
  })
}

/** The complete request: the fields are the body of a POST, or the query of a GET. */
function prepared({
  url,
  method,
  fields: twilio,
  route,
  authToken,
  profile = twilioProfile,
  ...rest
}: WebhookRequest) {
  const fields = profile.fields(twilio)
  const form = formOf(fields)
  const isPost = method === 'POST'
  const signed = isPost ? url : withQuery(url, form)
  const headers: Record<string, string> = {
    ...route.headers,
    'user-agent': profile.webhookAgent,
    accept: '*/*',
    'i-twilio-idempotency-token': rest.idempotencyToken ?? randomUUID(),
  }
  const webhook = { url: signed, fields: isPost ? fields : {}, body: isPost ? form : '' }
  if (authToken) Object.assign(headers, profile.webhookHeaders(authToken, webhook))
  if (!isPost)
    return { url: signed, target: new URL(withQuery(route.target.href, form)), headers, body: undefined }
  headers['content-type'] = 'application/x-www-form-urlencoded; charset=UTF-8'
  headers['content-length'] = String(Buffer.byteLength(form))
  return { url, target: route.target, headers, body: form }
}

interface Read {
  status: number
  type: string
  body: Buffer
}

/** Reads to the end, but keeps no more than needed to detect that it is too long. */
async function read(response: IncomingMessage, maxBytes: number): Promise<Read> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (size <= maxBytes) chunks.push(chunk)
    size += chunk.length
  }
  const body = Buffer.concat(chunks)
  return { status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', body }
}

function checked(answer: Read, url: string): WebhookAnswer {
  const ok = answer.status >= 200 && answer.status < 300
  return ok
    ? { ok, ...answer }
    : { ok, code: 11200, status: answer.status, why: `${url} answered ${answer.status}` }
}

/** Returns true for the content types that are allowed for TwiML. */
export function isXml(type: string): boolean {
  return XML_TYPES.includes((type.split(';')[0] ?? '').trim().toLowerCase())
}

/** A repeated field is repeated in the form. */
function formOf(fields: FormFields): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    for (const each of typeof value === 'string' ? [value] : value) form.append(name, each)
  return form.toString()
}

function withQuery(url: string, form: string): string {
  if (form === '') return url
  return url + (url.includes('?') ? '&' : '?') + form
}

/** Actual destination of requests for a public URL. */
export interface Route {
  /** The URL to connect to; its scheme selects TLS. */
  readonly target: URL
  /** Headers for the route: the public host, or the headers that a proxy adds. */
  readonly headers: Readonly<Record<string, string>>
}

export interface RouteOptions {
  /** The bridge's public address, `https://bridge.example.com`, as configured there; a path in it is stripped from requests. */
  publicUrl: string | undefined
  /** Actual address of the bridge, `http://127.0.0.1:8080`. */
  localUrl: string
  /** Further public hosts and their actual addresses: `{ 'other.example.com': 'http://127.0.0.1:8081' }`. */
  resolve: Readonly<Record<string, string>>
  /** Simulates a reverse proxy: the host header is the inner one, and `x-forwarded-…` name the outer one. */
  proxied: boolean
}

/**
 * Returns the route to `publicUrl` (http, https, ws or wss): known public hosts resolve to their local address. Throws
 * TypeError for an invalid URL.
 */
export function routeTo(publicUrl: string, options: RouteOptions): Route {
  const url = new URL(publicUrl)
  const local = localFor(url, options)
  if (local === undefined) return { target: url, headers: { host: url.host } }
  const inner = new URL(local)
  const secure = inner.protocol === 'https:' || inner.protocol === 'wss:'
  const scheme = url.protocol.startsWith('ws') ? 'ws' : 'http'
  const target = new URL(
    `${scheme}${secure ? 's' : ''}://${inner.host}${innerPath(url, options)}${url.search}`,
  )
  if (!options.proxied) return { target, headers: { host: url.host } }
  const forwarded = {
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-host': url.host,
    'x-forwarded-proto': 'https',
  }
  return { target, headers: { host: inner.host, ...forwarded } }
}

/** Like `routeTo`, for an address from outside; undefined for an invalid URL. `webhook`: the actual address of the bridge. */
export function routeOf(
  publicUrl: string,
  { webhook, ...options }: Omit<RouteOptions, 'localUrl'> & { readonly webhook: string },
): Route | undefined {
  return URL.canParse(publicUrl) ? routeTo(publicUrl, { ...options, localUrl: webhook }) : undefined
}

/** True if the route ends on this machine. */
export function isLoopback({ target }: Route): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(target.hostname)
}

/** The path as the bridge sees it: a proxy strips that of the public address. */
function innerPath({ host, pathname }: URL, { publicUrl }: RouteOptions): string {
  const { host: known, pathname: base } = new URL(publicUrl ?? 'http://none')
  const prefix = base.replace(/\/+$/, '')
  return host === known && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
}

function localFor(url: URL, { publicUrl, localUrl, resolve }: RouteOptions): string | undefined {
  const named = resolve[url.host] ?? resolve[url.hostname]
  if (named !== undefined) return named.includes('://') ? named : `http://${named}`
  return publicUrl !== undefined && new URL(publicUrl).host === url.host ? localUrl : undefined
}
