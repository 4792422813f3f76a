import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** The key that fakes accept. */
export const FAKE_KEY = 'sk-a-secret-key'

/** One client of a fake. */
export interface FakeConversation {
  /** A text message, parsed. Throws a `Refusal` for what the real service would refuse. */
  message(message: Record<string, unknown>): void
  /** A binary message; fakes without it refuse binary messages. */
  binary?(data: Buffer): void
  /** The client has gone. */
  closed?(): void
}

/** Requests that a real service would refuse; `body` is sent before the connection is closed with `code`. */
export class Refusal extends Error {
  readonly body: object
  readonly code: number

  constructor(reason: string, body: object, code = 1008) {
    super(reason)
    this.body = body
    this.code = code
  }
}

/**
 * A strict fake of a speech service over WebSocket, on loopback, closed after the test. It keeps the reasons of its
 * refusals, and can be made to fail.
 */
export abstract class FakeLiveServer {
  /** Reasons of all refusals, in order. A right client has none. */
  readonly refusals: string[] = []
  /** Connections accepted so far, and open ones. */
  connections = 0
  readonly sockets = new Set<WebSocket>()
  /** Statuses with which the next handshakes are answered. */
  readonly statuses: number[] = []
  readonly #http: Server
  readonly #sockets = new WebSocketServer({ noServer: true })
  url = ''

  constructor() {
    this.#http = createServer((request, response) => {
      void this.answer(request).then(
        ({ status, body }) =>
          typeof body === 'string' || Buffer.isBuffer(body)
            ? response
                .writeHead(status, { 'content-type': Buffer.isBuffer(body) ? 'audio/pcm' : 'text/plain' })
                .end(body)
            : response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
        (error: Error) => {
          this.refusals.push(error.message)
          response.writeHead(400, { 'content-type': 'application/json' }).end('{}')
        },
      )
    })
    this.#http.on('upgrade', (request, socket, head) => {
      // A client that is refused may reset the connection.
      socket.on('error', () => {})
      const reject = (status: number) => {
        socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
      }
      const status = this.statuses.shift()
      if (status !== undefined) return reject(status)
      const refused = this.refuse(request)
      if (refused) {
        this.refusals.push(refused.reason)
        return reject(refused.status)
      }
      this.#sockets.handleUpgrade(request, socket, head, opened => this.#talk(opened, request))
    })
  }

  async listen(): Promise<this> {
    await new Promise<void>(resolve => this.#http.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
    open.push(() => this.close())
    return this
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.terminate()
    this.#http.closeAllConnections()
    await new Promise(resolve => this.#http.close(resolve))
  }

  /** Breaks all connections without a close frame, as a pulled cable does. */
  cut(): void {
    for (const socket of this.sockets) socket.terminate()
  }

  /** Returns why the handshake is refused, and with which status. */
  protected abstract refuse(request: IncomingMessage): { reason: string; status: number } | undefined

  /** Starts the conversation with a client. */
  protected abstract converse(
    send: (message: object | Buffer) => void,
    request: IncomingMessage,
    socket: WebSocket,
  ): FakeConversation

  /** Answers a plain HTTP request; throws for what the real service would refuse. */
  protected async answer(_request: IncomingMessage): Promise<{ status: number; body: object | string }> {
    return { status: 404, body: {} }
  }

  /** Reads a text message; throws a `Refusal` if it has another form. */
  protected read(text: string): Record<string, unknown> {
    return parsed(text)
  }

  #talk(socket: WebSocket, request: IncomingMessage): void {
    this.connections++
    this.sockets.add(socket)
    const send = (message: object | Buffer) => {
      if (socket.readyState === socket.OPEN)
        socket.send(Buffer.isBuffer(message) ? message : JSON.stringify(message))
    }
    const conversation = this.converse(send, request, socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      this.sockets.delete(socket)
      conversation.closed?.()
    })
    socket.on('message', (data, binary) => {
      if (socket.readyState !== socket.OPEN) return
      try {
        if (!binary) conversation.message(this.read(String(data)))
        else if (conversation.binary) conversation.binary(data as Buffer)
        else
          throw new Refusal('a binary message', { type: 'error', error: { code: 'invalid_message' } }, 1003)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        this.refusals.push(error.message)
        send(error.body)
        socket.close(error.code)
      }
    })
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw new Refusal('a message that is not JSON', { type: 'error', error: { code: 'invalid_json' } })
  }
}

/** Throws unless every field of `value` is one of `allowed`. */
export function onlyFields(
  value: unknown,
  allowed: readonly string[],
  refuse: (reason: string) => Refusal,
): asserts value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null)
    throw refuse(`${JSON.stringify(value)} instead of an object`)
  const unknown = Object.keys(value).find(key => !allowed.includes(key))
  if (unknown !== undefined) throw refuse(`the unknown field ${unknown}`)
}

/** Decodes base64 linear16; throws for anything else. */
export function linear16(value: unknown, refuse: (reason: string) => Refusal): Int16Array {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(value))
    throw refuse('audio that is not base64')
  const bytes = Buffer.from(value, 'base64')
  if (bytes.length === 0) throw refuse('audio without samples')
  if (bytes.length % 2 !== 0) throw refuse('half a sample')
  const pcm = new Int16Array(bytes.length / 2)
  for (let at = 0; at < pcm.length; at++) pcm[at] = bytes.readInt16LE(at * 2)
  return pcm
}
