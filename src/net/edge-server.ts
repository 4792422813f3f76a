import { type IncomingMessage, Server, type ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyServerOptions } from 'fastify'
import { type Clock, setTimer } from '../common/clock.ts'

/** Maximum number of requests that a connection sends ahead of the response to an earlier one. */
const MOST_WAITING = 32
/** Time within which a request that was sent ahead has its turn (ms). */
const LONGEST_WAIT_MS = 60_000
/**
 * Idle time of a connection whose response has begun (ms). Node gives a partly accepted write twice this time, so a
 * client that reads nothing is disconnected after 30 to 60 s, and never one that reads anything in that time.
 */
const STALL_MS = 30_000
/** Time for which the rest of a request is read and discarded after an early response, so that the client can read it (ms). */
const LINGER_MS = 5_000

/** A path with an optional query. A second `/` or a `\` would let a URL parser read the path as a host. */
const PATH = /^\/(?!\/)[!->@-[\]-~]*(?:\?[!-~]*)?$/

/** Returns why a request must not reach any route, or undefined. */
function faultOf({ method, url = '', httpVersion, headers }: IncomingMessage): string | undefined {
  if (httpVersion === '1.1' && headers.host === undefined) return 'the header Host is missing'
  if (PATH.test(url) || (method === 'OPTIONS' && url === '*')) return undefined
  return 'the target of a request is a path that begins with one slash'
}

/** True if the request was received completely. */
function hasArrived({ complete, headers }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers
  return complete || (coding === undefined && Number(length) === 0)
}

/** A response that ends its connection if the request is still being received, and limits the time of unread ones. */
class EdgeResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
  override writeHead(...head: unknown[]): this {
    if (!hasArrived(this.req)) this.shouldKeepAlive = false
    this.req.socket.setTimeout(STALL_MS)
    return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>))
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** The requests of one connection, answered one at a time. */
class Line {
  readonly #socket: Socket
  readonly #clock: Clock
  readonly #answer: (exchange: Exchange) => void
  #current: Exchange | undefined
  #waiting: Exchange[] = []
  #timer: Disposable | undefined

  constructor(socket: Socket, clock: Clock, answer: (exchange: Exchange) => void) {
    this.#socket = socket
    this.#clock = clock
    this.#answer = answer
    // Node ends a connection this way after its last response.
    const destroySoon = socket.destroySoon.bind(socket)
    socket.destroySoon = () => {
      const { request } = this.#current ?? {}
      if (request && !hasArrived(request)) this.#linger(request, destroySoon)
      else destroySoon()
    }
    socket.once('close', () => {
      this.#waiting = []
      this.#timer?.[Symbol.dispose]()
    })
  }

  /** A request is being answered. */
  get busy(): boolean {
    return this.#current !== undefined
  }

  /** Part of its response was written. */
  get begun(): boolean {
    return this.#current?.response.headersSent ?? false
  }

  take(exchange: Exchange): void {
    if (!this.busy) {
      this.#run(exchange)
      return
    }
    this.#waiting.push(exchange)
    if (this.#waiting.length > MOST_WAITING) this.#socket.destroy()
    else if (this.#waiting.length === 1) this.#limitWait()
  }

  #run(exchange: Exchange): void {
    this.#current = exchange
    exchange.response.once('close', () => this.#next())
    this.#answer(exchange)
  }

  #next(): void {
    const { destroyed, writableEnded } = this.#socket
    // That was the last response: requests behind it are not executed.
    if (destroyed || writableEnded) return
    this.#current = undefined
    const next = this.#waiting.shift()
    this.#limitWait()
    if (next) this.#run(next)
  }

  #limitWait(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer =
      this.#waiting.length === 0
        ? undefined
        : setTimer(this.#clock, LONGEST_WAIT_MS, () => this.#socket.destroy())
  }

  /** Closing at once would reset the connection while the client sends, and it could lose the response. */
  #linger(request: IncomingMessage, close: () => void): void {
    this.#socket.end()
    request.once('end', close).unpipe()
    request.resume()
    this.#timer?.[Symbol.dispose]()
    this.#timer = setTimer(this.#clock, LINGER_MS, () => this.#socket.destroy())
  }
}

const lines = new WeakMap<Socket, Line>()

/** True if part of a response was written to `socket`: another one would be read as its continuation. */
export function hasBegunResponse(socket: Socket): boolean {
  return lines.get(socket)?.begun ?? false
}

/**
 * An HTTP server that protects whatever listens to it: every request passes `emit`, also if a library replaces the
 * listeners. Requests of a connection are answered one after another, so that unread responses do not accumulate. Their
 * targets are paths. Everything else counts as malformed (`clientError`).
 */
class EdgeServer extends Server {
  readonly #clock: Clock

  constructor(options: ServerOptions, clock: Clock) {
    super({
      ...options,
      ServerResponse: EdgeResponse,
      // Node would answer these itself, past the line.
      requireHostHeader: false,
      // A rejected upgrade is an ordinary request.
      shouldUpgradeCallback: request =>
        !lines.get(request.socket)?.busy &&
        faultOf(request) === undefined &&
        options.shouldUpgradeCallback?.(request) !== false,
    })
    this.#clock = clock
    this.on('checkExpectation', (request, response) => this.emit('request', request, response))
    this.on('connect', ({ socket }: IncomingMessage) => {
      if (lines.get(socket)?.busy) socket.destroy()
      else this.#reject(socket, 'CONNECT is not supported')
    })
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'request') return super.emit(event as string, ...args)
    const [request, response] = args as [IncomingMessage, ServerResponse]
    this.#lineOf(request.socket).take({ request, response })
    return true
  }

  #lineOf(socket: Socket): Line {
    const known = lines.get(socket)
    if (known) return known
    const line = new Line(socket, this.#clock, exchange => this.#answer(exchange))
    lines.set(socket, line)
    return line
  }

  #answer({ request, response }: Exchange): void {
    // The timeout for unread responses was that of the one before.
    request.socket.setTimeout(this.timeout)
    const fault = faultOf(request)
    if (fault === undefined) super.emit('request', request, response)
    else this.#reject(request.socket, fault)
  }

  #reject(socket: Socket, fault: string): void {
    socket.on('error', () => socket.destroy())
    this.emit('clientError', new Error(fault), socket)
  }
}

/** Options with which Fastify listens on an `EdgeServer`, with the timeouts of its own options. */
export function edgeServer(clock: Clock): Required<Pick<FastifyServerOptions, 'serverFactory'>> {
  return {
    serverFactory: (handler, options) => {
      const { http, keepAliveTimeout, requestTimeout, connectionTimeout } = options as unknown as {
        readonly http?: ServerOptions
        readonly keepAliveTimeout: number
        readonly requestTimeout: number
        readonly connectionTimeout: number
      }
      const server = new EdgeServer(http ?? {}, clock)
      server.on('request', handler).setTimeout(connectionTimeout)
      return Object.assign(server, { keepAliveTimeout, requestTimeout })
    },
  }
}
