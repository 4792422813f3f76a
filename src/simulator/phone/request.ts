import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { after, type Clock } from '../../core/clock.ts'
import type { Route } from './route.ts'
import { signRequest } from './signature.ts'
import { MAX_TWIML_BYTES, type Method } from './twiml.ts'

/** How long Twilio waits for the answer to a webhook. */
export const WEBHOOK_TIMEOUT_MS = 15_000
const XML_TYPES = ['text/xml', 'application/xml']

export interface WebhookRequest {
  /** The URL as configured at Twilio: what is signed. */
  url: string
  method: Method
  fields: Readonly<Record<string, string>>
  route: Route
  clock: Clock
  /** Signs; undefined leaves the signature out. */
  authToken: string | undefined
  signal: AbortSignal
}

export type WebhookAnswer =
  | { ok: true; status: number; type: string; body: string }
  | { ok: false; code: number; why: string }

/** Asks a webhook as Twilio does. A status outside 2xx, silence and refusal are answers, not errors. */
export function askWebhook(webhook: WebhookRequest): Promise<WebhookAnswer> {
  const { method, route, clock, signal } = webhook
  const { url, target, headers, body } = prepared(webhook)
  return new Promise(resolve => {
    const open = target.protocol === 'https:' ? httpsRequest : httpRequest
    const request = open(target, { method, headers, agent: false, signal }, response => {
      read(response).then(answer => settle(checked(answer, url)), fail)
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

/** The request in full: the fields are the body of a POST, the query of a GET. */
function prepared({ url, method, fields, route, authToken }: WebhookRequest) {
  const form = new URLSearchParams(fields).toString()
  const isPost = method === 'POST'
  const signed = isPost ? url : withQuery(url, form)
  const headers: Record<string, string> = {
    ...route.headers,
    'user-agent': 'TwilioProxy/1.1',
    accept: '*/*',
    'i-twilio-idempotency-token': randomUUID(),
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
  body: string
}

/** Reads to the end, but keeps no more than what shows that it is too long. */
async function read(response: IncomingMessage): Promise<Read> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (size <= MAX_TWIML_BYTES) chunks.push(chunk)
    size += chunk.length
  }
  const body = Buffer.concat(chunks).toString('utf8')
  return { status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', body }
}

function checked(answer: Read, url: string): WebhookAnswer {
  const ok = answer.status >= 200 && answer.status < 300
  return ok ? { ok, ...answer } : { ok, code: 11200, why: `${url} answered ${answer.status}` }
}

/** True for the content types that TwiML may have. */
export function isXml(type: string): boolean {
  return XML_TYPES.includes((type.split(';')[0] ?? '').trim().toLowerCase())
}

function withQuery(url: string, form: string): string {
  return url + (url.includes('?') ? '&' : '?') + form
}
