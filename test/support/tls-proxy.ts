import { once } from 'node:events'
import {
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SelfSigned } from '../../simulator/discord/voice/certificate.ts'

/** Faults of a reverse proxy. */
export interface ProxyFaults {
  /** Answers every request itself. */
  answer?: { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** Answers these paths itself, with 404. */
  hides?: RegExp
  /** Rewrites forwarded paths. */
  path?: (path: string) => string
  /** Treatment of upgrades: forwarded as an ordinary request, as by a proxy without support; a status; or nothing. */
  upgrades?: 'as-requests' | number | 'hang'
  /** Upgraded connections are cut after this long (ms). */
  cutMs?: number
  /** Headers that are not forwarded. */
  drops?: readonly string[]
}

/** A reverse proxy with TLS on loopback, faulty on purpose. The caller of `listen` closes it. */
export class TlsProxy implements AsyncDisposable {
  readonly certificate: string
  readonly faults: ProxyFaults
  readonly #server: Server
  readonly #upstream: () => number
  readonly #sockets = new Set<Duplex>()

  private constructor(signed: SelfSigned, upstream: () => number, faults: ProxyFaults) {
    this.certificate = signed.certificate
    this.faults = faults
    this.#upstream = upstream
    this.#server = createServer({ key: signed.key, cert: signed.certificate }, (request, response) =>
      this.#request(request, response),
    )
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
    this.#server.on('connection', socket => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
      socket.on('error', () => {})
    })
  }

  /** Listens in front of the server on port `upstream()`, with the certificate `signed`. */
  static async listen(
    signed: SelfSigned,
    upstream: () => number,
    faults: ProxyFaults = {},
  ): Promise<TlsProxy> {
    const proxy = new TlsProxy(signed, upstream, faults)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get address(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    const { answer, hides } = this.faults
    if (answer) return void response.writeHead(answer.status, answer.headers).end()
    if (hides?.test(request.url ?? '')) return void response.writeHead(404).end('not here')
    const inner = this.#inner(request, false)
    inner.on('response', answered => {
      response.writeHead(answered.statusCode ?? 0, answered.headers)
      answered.pipe(response)
    })
    inner.on('error', () => response.writeHead(502).end())
    request.pipe(inner)
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { upgrades, cutMs, hides } = this.faults
    socket.on('error', () => {})
    if (upgrades === 'hang') return
    if (typeof upgrades === 'number' || hides?.test(request.url ?? ''))
      return void socket.end(
        `HTTP/1.1 ${upgrades ?? 404} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      )
    const inner = this.#inner(request, upgrades !== 'as-requests')
    const pass = (answered: IncomingMessage) => {
      const lines = answered.rawHeaders.flatMap((name, at, all) => (at % 2 ? [] : `${name}: ${all[at + 1]}`))
      socket.write(
        `HTTP/1.1 ${answered.statusCode} ${answered.statusMessage}\r\n${lines.join('\r\n')}\r\n\r\n`,
      )
    }
    inner.on('upgrade', (answered, far, first) => {
      pass(answered)
      far.on('error', () => {})
      far.once('close', () => socket.destroy())
      socket.once('close', () => far.destroy())
      socket.write(first)
      far.write(head)
      far.pipe(socket).pipe(far)
      if (cutMs !== undefined) setTimeout(() => socket.destroy(), cutMs)
    })
    inner.on('response', answered => {
      pass(answered)
      answered.pipe(socket)
    })
    inner.on('error', () => socket.destroy())
    inner.end()
  }

  #inner(request: IncomingMessage, upgrade: boolean) {
    const { path = (same: string) => same, drops = [] } = this.faults
    const headers: OutgoingHttpHeaders = {
      ...request.headers,
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'https',
    }
    for (const name of [...drops, ...(upgrade ? [] : ['upgrade', 'connection'])]) delete headers[name]
    const where = { host: '127.0.0.1', port: this.#upstream(), agent: false } as const
    return httpRequest({ ...where, method: request.method, path: path(request.url ?? ''), headers })
  }
}
