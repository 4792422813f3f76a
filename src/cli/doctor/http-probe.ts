import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { TLSSocket } from 'node:tls'
import { systemWallClock } from '../../common/wall-clock.ts'
import { type Route, routeTo } from '../../simulator/twilio/phone/request.ts'

/** A request along Twilio’s route. */
export interface ProbeRequest {
  /** The address that Twilio uses. */
  readonly url: string
  /** Connects here instead of resolving the host of `url`: `https://127.0.0.1:8443`. */
  readonly connectTo?: string | undefined
  /** Form sent by POST; absent: a GET request. */
  readonly form?: Readonly<Record<string, string>> | undefined
  readonly signature?: string | undefined
  readonly withinMs: number
}

/** Result. `answer` has the status and the start of the response. */
export type ProbeResult =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly body: string
      readonly location: string | undefined
      /** Remaining validity of the certificate; absent without TLS. */
      readonly certificateDays: number | undefined
    }
  | { readonly kind: 'no-name' }
  | { readonly kind: 'no-connection'; readonly code: string }
  | { readonly kind: 'bad-tls'; readonly code: string }
  | { readonly kind: 'silent' }

const MOST_BODY = 2_048
const DAY_MS = 86_400_000
const NO_NAME = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA'])
/** Error codes of OpenSSL and Node for invalid certificates and failed handshakes. */
const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_|HOSTNAME_|EPROTO$)/

/** Sends one request, without following redirects. Never rejects. */
export function probeHttp(order: ProbeRequest): Promise<ProbeResult> {
  const { form, signature, withinMs } = order
  const { target, headers } = wayTo(order)
  const body = form && new URLSearchParams(form).toString()
  const options: RequestOptions = {
    method: body === undefined ? 'GET' : 'POST',
    agent: false,
    signal: AbortSignal.timeout(withinMs),
    headers: {
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }),
      ...(signature === undefined ? {} : { 'x-twilio-signature': signature }),
    },
  }
  return new Promise(resolve => {
    const open = target.protocol === 'https:' ? httpsRequest : httpRequest
    const sent = open(target, options, response => void answered(response).then(resolve, failed))
    const failed = (error: NodeJS.ErrnoException) => resolve(mishap(error))
    sent.on('error', failed)
    sent.end(body)
  })
}

/** Returns the route to `url`, whose host can be overridden. */
function wayTo({ url, connectTo }: ProbeRequest): Route {
  const host = new URL(url).host
  const resolve = connectTo === undefined ? {} : { [host]: connectTo }
  return routeTo(url, { publicUrl: undefined, localUrl: url, resolve, proxied: false })
}

async function answered(response: IncomingMessage): Promise<ProbeResult> {
  const certificateDays = daysLeft(response)
  let body = ''
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    body += chunk
    if (body.length > MOST_BODY) break
  }
  return {
    kind: 'answer',
    status: response.statusCode ?? 0,
    body: body.slice(0, MOST_BODY),
    location: response.headers.location,
    certificateDays,
  }
}

function daysLeft({ socket }: IncomingMessage): number | undefined {
  if (!(socket instanceof TLSSocket)) return undefined
  const until = Date.parse(socket.getPeerCertificate().valid_to)
  return Number.isNaN(until) ? undefined : Math.floor((until - systemWallClock()) / DAY_MS)
}

function mishap({ name, code = name }: NodeJS.ErrnoException): ProbeResult {
  if (NO_NAME.has(code)) return { kind: 'no-name' }
  if (TLS.test(code)) return { kind: 'bad-tls', code }
  if (name === 'AbortError' || name === 'TimeoutError' || code === 'ETIMEDOUT') return { kind: 'silent' }
  return { kind: 'no-connection', code }
}
