import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly event: { type: string; room: string; id: string; sequence: number; data: Record<string, unknown> }
}

/** A receiver’s response: a status, or a handler. */
export type Answer = number | ((request: IncomingMessage, response: ServerResponse) => void)

/** A real server that accepts webhooks and returns the responses that the test sets. */
export class Receiving implements AsyncDisposable {
  readonly got: Received[] = []
  /** The response when `answers` is empty. */
  answer: Answer = 200
  /** Responses to the next requests. */
  answers: Answer[] = []
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        this.got.push({ path: request.url ?? '', headers: request.headers, body, event: JSON.parse(body) })
        const answer = this.answers.shift() ?? this.answer
        if (typeof answer === 'number') response.writeHead(answer).end()
        else answer(request, response)
      })
    })
  }

  static async open(): Promise<Receiving> {
    const receiving = new Receiving()
    await new Promise<void>(resolve => receiving.#server.listen(0, '127.0.0.1', resolve))
    return receiving
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  /** `room type` of the received events, in order. */
  get order(): string[] {
    return this.got.map(({ event }) => `${event.room} ${event.type}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}
