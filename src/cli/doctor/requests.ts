import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { TLSSocket } from 'node:tls'
import { routeTo } from '../../../simulator/twilio/phone/request.ts'
import { DAY_MS } from '../../common/durations.ts'
import { systemWallClock } from '../../common/wall-clock.ts'

const PATIENCE_MS = 5_000

/** Returns the status of a GET request, without following redirects; undefined without a response. */
export async function statusOf(url: string, bearer?: string): Promise<number | undefined> {
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const answer = await fetch(url, { headers, redirect: 'manual', signal })
    await answer.body?.cancel()
    return answer.status
  } catch {
    return undefined
  }
}

/** Returns true if a Dragoman server answers `GET /health` at this address. */
export async function isDragoman(url: string): Promise<boolean> {
  return saysDragoman(await probeHttp({ url: `${url}/health` }))
}

/** Returns true for the health of a bridge; the translation service reports itself as healthy, too. */
export function saysDragoman(probe: ProbeResult): boolean {
  if (probe.kind !== 'answer' || probe.status !== 200) return false
  try {
    const health = JSON.parse(probe.body) as { status?: unknown; name?: unknown } | null
    return health?.status === 'ok' && health.name === 'dragoman'
  } catch {
    return false
  }
}

/** A request along Twilio’s route. */
export interface ProbeRequest {
  /** The address that Twilio uses. */
  readonly url: string
  /** Connects here instead of resolving the host of `url`: `https://127.0.0.1:8443`. */
  readonly connectTo?: string | undefined
  /** Form sent by POST; absent: a GET request. */
  readonly form?: Readonly<Record<string, string>> | undefined
  readonly signature?: string | undefined
  /** Maximum time to the response (ms). */
  readonly withinMs?: number
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
const NO_NAME = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA'])
/** Error codes of OpenSSL and Node for invalid certificates and failed handshakes. */
const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_|HOSTNAME_|EPROTO$)/

/** Sends one request, without following redirects. Never rejects. */
export function probeHttp(request: ProbeRequest): Promise<ProbeResult> {
  const { url, connectTo, form, signature, withinMs = PATIENCE_MS } = request
  const resolve = connectTo === undefined ? {} : { [new URL(url).host]: connectTo }
  const { target, headers } = routeTo(url, { publicUrl: undefined, localUrl: url, resolve, proxied: false })
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
