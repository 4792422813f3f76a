import type { WebSocket } from 'ws'
import { type Clock, setTimer } from '../../../common/clock.ts'

/** A connection that failed or was closed by the server. Never contains what was sent or received. */
export class SocketFault extends Error {
  /** True if another attempt may succeed. */
  readonly passing: boolean
  /** HTTP status of a rejected handshake, or close code of the socket. */
  readonly code: number | undefined

  constructor(message: string, how: { passing: boolean; code?: number | undefined; cause?: unknown }) {
    super(message, { cause: how.cause })
    this.name = 'SocketFault'
    this.passing = how.passing
    this.code = how.code
  }
}

/** The address of a socket. Keys belong into headers: addresses can appear in logs of proxies. */
export interface SocketAddress {
  readonly url: string
  /** Undefined ones are left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

export interface SocketListener {
  /** A text message, parsed as JSON. */
  message(message: unknown): void
  /** The socket has ended, unless `close` was called. Called once. */
  closed(fault: SocketFault): void
}

export interface SocketOptions {
  readonly clock: Clock
  /** Interval of pings (ms); a socket that has not answered one by the next is dead. */
  readonly pingMs?: number
}

/** Time for a handshake (ms), after which another engine takes over. */
export const CONNECT_TIMEOUT_MS = 5_000
/** `readyState` of an open socket. */
const OPEN = 1
const PING_MS = 15_000
/** Maximum size of a message: half a minute of base64 speech at 24 kHz. */
const MOST_BYTES = 2 << 20
/** Statuses of a handshake after which another attempt can succeed, in addition to 5xx. */
const PASSING_STATUS: readonly number[] = [408, 425, 429]

/**
 * A WebSocket to an engine: JSON and binary out, JSON in. It never retries; the caller closes it.
 */
export class EngineSocket {
  readonly #socket: WebSocket
  readonly #options: SocketOptions
  readonly #listener: SocketListener
  #ping: Disposable | undefined
  #answered = true
  #over = false
  /** Messages received before `start`. */
  #early: Buffer[] | undefined = []

  private constructor(socket: WebSocket, options: SocketOptions, listener: SocketListener) {
    this.#socket = socket
    this.#options = options
    this.#listener = listener
  }

  /**
   * Connects to `address`. No message is passed to `listener` before `start`. Rejects with a `SocketFault`, also when
   * `signal` aborts.
   */
  static async open(
    { url, headers = {} }: SocketAddress,
    options: SocketOptions,
    listener: SocketListener,
    signal?: AbortSignal,
  ): Promise<EngineSocket> {
    // Loaded with the first connection: the settings load every engine.
    const { WebSocket } = await import('ws')
    const socket = new WebSocket(url, {
      headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
      maxPayload: MOST_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
    })
    const opened = new EngineSocket(socket, options, listener)
    // The first message can arrive together with the answer to the handshake.
    socket.on('message', (data, binary) => opened.#received(data as Buffer, binary))
    await handshake(socket, options, signal)
    return opened
  }

  send(message: object): void {
    if (this.#socket.readyState === OPEN) this.#socket.send(JSON.stringify(message))
  }

  /** Sends a copy of `bytes` as one binary message. */
  sendBinary(bytes: Uint8Array): void {
    // The socket keeps what it cannot send at once, and callers reuse their buffers.
    if (this.#socket.readyState === OPEN) this.#socket.send(Buffer.from(bytes))
  }

  /** Closes without a further event. Idempotent. */
  close(): void {
    if (this.#over) return
    this.#end()
    this.#socket.close(1000)
    // A server that does not answer the close frame must not keep the process.
    const late = setTimer(this.#options.clock, 2_000, () => this.#socket.terminate())
    this.#socket.once('close', () => late[Symbol.dispose]())
  }

  /** Starts to pass messages, and the end, to the listener. Call once. */
  start(): void {
    const socket = this.#socket
    const early = this.#early ?? []
    this.#early = undefined
    socket.on('pong', () => {
      this.#answered = true
    })
    socket.on('close', code => this.#lost(`closed the connection (${code})`, code))
    this.#watch()
    for (const data of early) this.#received(data, false)
    if (socket.readyState !== OPEN) this.#lost('closed the connection')
  }

  #received(data: Buffer, binary: boolean): void {
    if (this.#over) return
    if (this.#early) {
      this.#early.push(data)
      return
    }
    let message: unknown
    try {
      message = JSON.parse(data.toString('utf8'))
    } catch {
      this.#lost(`sent ${binary ? 'a binary message' : 'a message'} that is not JSON`)
      this.#socket.terminate()
      return
    }
    this.#listener.message(message)
  }

  #watch(): void {
    const { clock, pingMs = PING_MS } = this.#options
    this.#ping = setTimer(clock, pingMs, () => {
      if (!this.#answered) {
        this.#lost('no longer answers')
        this.#socket.terminate()
        return
      }
      this.#answered = false
      this.#socket.ping()
      this.#watch()
    })
  }

  #lost(message: string, code?: number): void {
    if (this.#over) return
    this.#end()
    this.#listener.closed(new SocketFault(message, { passing: true, code }))
  }

  #end(): void {
    this.#over = true
    this.#ping?.[Symbol.dispose]()
  }
}

/** Resolves when `socket` is open. Errors after that are followed by `close`, which reports them. */
function handshake(
  socket: WebSocket,
  { clock }: SocketOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const fail = (fault: SocketFault) => {
    reject(fault)
    socket.terminate()
  }
  const stop = () => fail(new SocketFault('was stopped', { passing: false }))
  const late = setTimer(clock, CONNECT_TIMEOUT_MS, () =>
    fail(new SocketFault(`no connection within ${CONNECT_TIMEOUT_MS} ms`, { passing: true })),
  )
  socket.once('open', () => resolve())
  socket.once('unexpected-response', (_request, { statusCode: status = 0 }) =>
    fail(
      new SocketFault(`answered ${status}`, {
        passing: status >= 500 || PASSING_STATUS.includes(status),
        code: status,
      }),
    ),
  )
  socket.on('error', cause => reject(new SocketFault('cannot be reached', { passing: true, cause })))
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  return promise.finally(() => {
    late[Symbol.dispose]()
    signal?.removeEventListener('abort', stop)
  })
}

/** Returns the WebSocket address of `path` at a server whose setting is `url` (http:// or https://). */
export function socketUrl(url: string, path: string): string {
  return `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}${path}`
}
