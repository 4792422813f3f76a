import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** A node behind the proxy. */
export interface ProxiedNode {
  readonly name: string
  readonly port: number
}

/**
 * A reverse proxy in front of the nodes of a fleet, as the documentation configures real ones: `/n/<name>/…` goes to
 * that node, and to the others if it does not accept connections; everything else to any node, in random order.
 */
export class FleetProxy implements AsyncDisposable {
  /** Requests that each node received. */
  readonly received = new Map<string, number>()
  /** WebSockets that are open to each node. */
  readonly streams = new Map<string, number>()
  /** Nodes that do not answer health checks: their turn is last. */
  readonly unhealthy = new Set<string>()
  readonly #nodes: () => readonly ProxiedNode[]
  readonly #random: () => number
  readonly #server: Server
  readonly #sockets = new Set<Duplex>()

  private constructor(nodes: () => readonly ProxiedNode[], random: () => number) {
    this.#nodes = nodes
    this.#random = random
    this.#server = createServer((incoming, reply) => void this.#forward(incoming, reply))
    this.#server.on('upgrade', (incoming, socket, head) => this.#tunnel(incoming, socket, head))
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
      socket.on('error', () => {})
    })
  }

  /** `port`: 0 selects a free one. */
  static async listen(
    nodes: () => readonly ProxiedNode[],
    random: () => number,
    port = 0,
  ): Promise<FleetProxy> {
    const proxy = new FleetProxy(nodes, random)
    proxy.#server.listen(port, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  /** `http://127.0.0.1:<port>` */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** The nodes to try for a path, in order. */
  #route(path: string): readonly ProxiedNode[] {
    const others = [...this.#nodes()]
      .map(node => ({ node, place: this.#random() }))
      .sort((a, b) => a.place - b.place)
      .map(({ node }) => node)
    const [, named] = /^\/n\/([a-z0-9-]+)\//.exec(path) ?? []
    const turn = ({ name }: ProxiedNode) => (this.unhealthy.has(name) ? 2 : name === named ? 0 : 1)
    return others.sort((a, b) => turn(a) - turn(b))
  }

  async #forward(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    for (const node of this.#route(incoming.url ?? '/')) {
      try {
        const answer = await this.#send(node, incoming, Buffer.concat(chunks))
        reply.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(reply)
        answer.on('error', () => reply.destroy())
        return
      } catch (error) {
        // Only a connection that was never open can be tried elsewhere.
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') break
      }
    }
    reply.writeHead(502).end()
  }

  #send(
    node: ProxiedNode,
    { method, url, headers }: IncomingMessage,
    body: Buffer,
  ): Promise<IncomingMessage> {
    this.received.set(node.name, (this.received.get(node.name) ?? 0) + 1)
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    request({ host: '127.0.0.1', port: node.port, method, path: url, headers, agent: false }, resolve)
      .on('error', reject)
      .end(body)
    return promise
  }

  #count(name: string, change: number): void {
    this.streams.set(name, (this.streams.get(name) ?? 0) + change)
  }

  #tunnel(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.add(socket)
    const targets = [...this.#route(incoming.url ?? '/')]
    const next = () => {
      const node = targets.shift()
      if (!node) {
        socket.destroy()
        return
      }
      const upstream = connect(node.port, '127.0.0.1')
      let open = false
      upstream.once('connect', () => {
        open = true
        this.#count(node.name, 1)
        upstream.once('close', () => this.#count(node.name, -1))
        const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`]
        for (let at = 0; at < incoming.rawHeaders.length; at += 2)
          lines.push(`${incoming.rawHeaders[at]}: ${incoming.rawHeaders[at + 1]}`)
        upstream.write(`${lines.join('\r\n')}\r\n\r\n`)
        upstream.write(head)
        upstream.pipe(socket).pipe(upstream)
      })
      upstream.on('error', () => (open ? socket.destroy() : next()))
      upstream.once('close', () => open && socket.destroy())
      socket.on('error', () => upstream.destroy())
      socket.once('close', () => upstream.destroy())
    }
    next()
  }
}
