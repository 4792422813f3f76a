import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
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
export function askWebhook(request: WebhookRequest): Promise<WebhookAnswer> {
  const { method, fields, route, authToken, clock, signal } = request
  const form = new URLSearchParams(fields).toString()
  const asked = method === 'GET' && form !== '' ? withQuery(request.url, form) : request.url
  const target = method === 'GET' && form !== '' ? new URL(withQuery(route.target.href, form)) : route.target
  const signature = authToken && signRequest(authToken, asked, method === 'POST' ? fields : {})
  const headers: Record<string, string> = {
    ...route.headers,
    'user-agent': 'TwilioProxy/1.1',
    accept: '*/*',
    'i-twilio-idempotency-token': randomUUID(),
    ...(signature ? { 'x-twilio-signature': signature } : {}),
    ...(method === 'POST'
      ? {
          'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
          'content-length': `${Buffer.byteLength(form)}`,
        }
      : {}),
  }
  return new Promise(resolve => {
    const open = target.protocol === 'https:' ? httpsRequest : httpRequest
    const req = open(target, { method, headers, agent: false, signal }, response => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size <= 2 * MAX_TWIML_BYTES) chunks.push(chunk)
      })
      response.on('error', error => settle(failed(error)))
      response.on('end', () => {
        const status = response.statusCode ?? 0
        const type = response.headers['content-type'] ?? ''
        const body = Buffer.concat(chunks).toString('utf8')
        const ok = status >= 200 && status < 300
        settle(
          ok ? { ok, status, type, body } : { ok: false, code: 11200, why: `${asked} answered ${status}` },
        )
      })
    })
    const timeout = after(clock, WEBHOOK_TIMEOUT_MS, () => {
      settle({ ok: false, code: 11200, why: `${asked} did not answer within ${WEBHOOK_TIMEOUT_MS / 1000} s` })
      req.destroy()
    })
    const settle = (answer: WebhookAnswer) => {
      timeout[Symbol.dispose]()
      resolve(answer)
    }
    req.on('error', error => settle(failed(error)))
    req.end(method === 'POST' ? form : undefined)
  })
}

/** True for the content types that TwiML may have. */
export function isXml(type: string): boolean {
  return XML_TYPES.includes((type.split(';')[0] ?? '').trim().toLowerCase())
}

function failed(error: Error): WebhookAnswer {
  const code = 'code' in error && error.code === 'ENOTFOUND' ? 11210 : 11205
  return { ok: false, code, why: error.message || 'the connection failed' }
}

function withQuery(url: string, form: string): string {
  return url + (url.includes('?') ? '&' : '?') + form
}
