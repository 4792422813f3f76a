import { isIP } from 'node:net'
import { type ClientOptions, WebSocket } from 'ws'
import type { StreamEnd } from './reports.ts'
import type { Route } from './request.ts'
import { type StreamIds, Wire } from './wire.ts'

/** Result of opening a socket. */
export type Upgrade =
  | { ok: true; socket: WebSocket }
  | { ok: false; code: number; status?: number; why: string }

const HANDSHAKE_TIMEOUT_MS = 10_000
const CLOSE_TIMEOUT_MS = 2_000
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/**
 * Opens a WebSocket with exactly the headers that Twilio sends, in its order and case (observed in May 2026): no
 * `Origin`, no subprotocol, no extensions. `attach` runs before the first message can arrive; `signal` aborts the
 * attempt.
 */
export function upgrade(
  route: Route,
  signature: string | undefined,
  attach: (socket: WebSocket) => void,
  signal: AbortSignal,
): Promise<Upgrade> {
  return new Promise(resolve => {
    const options: ClientOptions & { closeTimeout: number } = {
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      closeTimeout: CLOSE_TIMEOUT_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      finishRequest(request) {
        const key = String(request.getHeader('sec-websocket-key'))
        for (const name of request.getHeaderNames()) request.removeHeader(name)
        for (const [name, value] of headersOf(route, key, signature)) request.setHeader(name, value)
        request.end()
      },
    }
    // The name on the certificate; by default ws would check the address connected to.
    const name = URL.parse(`https://${route.headers.host ?? route.target.host}`)?.hostname ?? ''
    const servername = isIP(name.replace(/^\[|\]$/g, '')) === 0 ? { servername: name } : {}
    const socket = new WebSocket(route.target, { ...options, ...servername })
    attach(socket)
    const abort = () => socket.terminate()
    signal.addEventListener('abort', abort, { once: true })
    socket.once('open', () => {
      signal.removeEventListener('abort', abort)
      resolve({ ok: true, socket })
    })
    socket.once('unexpected-response', (request, response) => {
      const status = response.statusCode ?? 0
      request.destroy()
      resolve({ ok: false, code: 31920, status, why: `the upgrade was answered with ${status}` })
    })
    socket.on('error', error => resolve({ ok: false, ...codeOf(error) }))
    socket.once('close', () => resolve({ ok: false, code: 31903, why: 'closed before it was open' }))
  })
}

function headersOf(route: Route, key: string, signature: string | undefined): [string, string][] {
  const { host = route.target.host, ...added } = route.headers
  const headers: [string, string][] = [
    ['host', host],
    ['user-agent', 'Twilio.TmeWs/1.0'],
    ['connection', 'Upgrade'],
    ['upgrade', 'websocket'],
    ['sec-websocket-version', '13'],
    ['sec-websocket-key', key],
  ]
  if (signature !== undefined) headers.push(['x-twilio-signature', signature])
  headers.push(['accept-encoding', 'gzip'], ...Object.entries(added))
  return headers
}

function codeOf(error: Error): { code: number; why: string } {
  const cause = 'code' in error ? error.code : undefined
  const why = error.message || String(cause)
  if (cause === 'ECONNREFUSED') return { code: 31902, why }
  if (cause === 'ENOTFOUND' || cause === 'EHOSTUNREACH') return { code: 31904, why }
  if (/handshake has timed out/.test(why)) return { code: 31901, why }
  if (/Unexpected server response|Invalid Sec-WebSocket|Server sent/.test(why)) return { code: 31920, why }
  if (/SSL|TLS|certificate|EPROTO/i.test(why)) return { code: 31910, why }
  return { code: 31900, why }
}

/**
 * Opens a second socket that sends the same `start` as the first, like an attacker with a stolen token. Settles with
 * its end, which `signal` can force; never rejects.
 */
export async function openTwin(
  route: Route,
  signature: string | undefined,
  ids: StreamIds,
  parameters: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<StreamEnd> {
  const opened = await upgrade(route, signature, () => {}, signal)
  if (!opened.ok) return { by: 'refused', code: opened.status ?? 0, reason: opened.why }
  const wire = new Wire(ids)
  signal.addEventListener('abort', () => opened.socket.terminate(), { once: true })
  const ended = new Promise<StreamEnd>(resolve => {
    opened.socket.once('close', (code, reason) =>
      resolve({ by: code === 1006 ? 'network' : 'server', code, reason: reason.toString() }),
    )
  })
  opened.socket.send(wire.connected())
  opened.socket.send(wire.start(parameters))
  return ended
}
