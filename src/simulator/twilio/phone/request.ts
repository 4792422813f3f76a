import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { after, type Clock } from '../../../common/clock.ts'
import type { Method } from './attributes.ts'
import type { Route } from './route.ts'
import { type FormFields, signRequest } from './signature.ts'
import { MAX_TWIML_BYTES } from './twiml.ts'

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
    const timeout = after(clock, WEBHOOK_TIMEOUT_MS, () => {
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
function prepared({ url, method, fields, route, authToken, idempotencyToken }: WebhookRequest) {
  const form = formOf(fields)
  const isPost = method === 'POST'
  const signed = isPost ? url : withQuery(url, form)
  const headers: Record<string, string> = {
    ...route.headers,
    'user-agent': 'TwilioProxy/1.1',
    accept: '*/*',
    'i-twilio-idempotency-token': idempotencyToken ?? randomUUID(),
  }
  if (authToken) headers['x-twilio-signature'] = signRequest(authToken, signed, isPost ? fields : {})
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
