import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A mirror of model files on this machine, by `<model>/<file>`, which can misbehave. */
export class Mirror implements AsyncDisposable {
  readonly files = new Map<string, Uint8Array>()
  readonly requests: { name: string; range: string | undefined }[] = []
  /** Bytes of a body after which nothing follows until `cut`, for each request in turn; undefined: all of it. */
  readonly breaks: (number | undefined)[] = []
  /** Answers instead of the mirror, if it returns true. */
  answer: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  readonly #server: Server
  readonly #unfinished = new Set<ServerResponse>()

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (request, response) => this.#serve(request, response))
  }

  static async start(files: Readonly<Record<string, Uint8Array>> = {}): Promise<Mirror> {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const mirror = new Mirror(server)
    for (const [name, content] of Object.entries(files)) mirror.files.set(name, content)
    return mirror
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/models`
  }

  /** Number of bytes that it has sent. */
  sent = 0

  /** Breaks the connections whose body is not complete. */
  cut(): void {
    for (const response of this.#unfinished) response.destroy()
    this.#unfinished.clear()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const name = new URL(request.url ?? '', this.url).pathname.replace('/models/', '')
    this.requests.push({ name, range: request.headers.range })
    if (this.answer?.(request, response)) return
    const content = this.files.get(name)
    if (!content) return void response.writeHead(404).end()
    const tag = `"${sha256(content).slice(0, 16)}"`
    const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')
    const condition = request.headers['if-range']
    const from = asked && (condition === undefined || condition === tag) ? Number(asked[1]) : 0
    if (from > 0 && from >= content.length)
      return void response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end()
    const body = content.subarray(from)
    response.writeHead(from > 0 ? 206 : 200, {
      etag: tag,
      'content-length': body.length,
      ...(from > 0 ? { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` } : {}),
    })
    const most = this.breaks.shift()
    this.sent += Math.min(most ?? body.length, body.length)
    if (most === undefined || most >= body.length) return void response.end(body)
    response.write(body.subarray(0, most))
    this.#unfinished.add(response)
  }
}

export function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
