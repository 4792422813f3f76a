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
  /** Connections to each node: streams, and requests without a response. */
  readonly #upstream = new Map<string, Set<{ destroy(): unknown }>>()
  #checking: NodeJS.Timeout | undefined
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

  /**
   * Requests `/live` of each node at this interval. A node that fails `fall` times in a row is unhealthy: its connections
   * are closed, and its requests sent to others.
   */
  startHealthChecks(everyMs: number, fall: number): void {
    const failures = new Map<string, number>()
    this.#checking = setInterval(() => {
      for (const { name, port } of this.#nodes())
        void isAlive(port, everyMs).then(alive => {
          const failed = alive ? 0 : (failures.get(name) ?? 0) + 1
          failures.set(name, failed)
          if (alive) this.unhealthy.delete(name)
          else if (failed >= fall && !this.unhealthy.has(name)) {
            this.unhealthy.add(name)
            for (const each of this.#upstream.get(name) ?? []) each.destroy()
          }
        })
    }, everyMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#checking)
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
        // Only a connection that was never open, or to a node that is lost, can be tried elsewhere.
        const refused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
        if (!refused && !this.unhealthy.has(node.name)) break
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
    const asked = request(
      { host: '127.0.0.1', port: node.port, method, path: url, headers, agent: false },
      answer => {
        this.#to(node.name).delete(asked)
        resolve(answer)
      },
    )
    this.#to(node.name).add(asked)
    asked.on('error', error => {
      this.#to(node.name).delete(asked)
      reject(error)
    })
    asked.end(body)
    return promise
  }

  #to(name: string): Set<{ destroy(): unknown }> {
    const known = this.#upstream.get(name) ?? new Set()
    this.#upstream.set(name, known)
    return known
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
      this.#to(node.name).add(upstream)
      upstream.once('close', () => this.#to(node.name).delete(upstream))
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
      // Without an error if it was given up as lost before it was open.
      upstream.once('close', hadError => {
        if (open) socket.destroy()
        else if (!hadError) next()
      })
      socket.on('error', () => upstream.destroy())
      socket.once('close', () => upstream.destroy())
    }
    next()
  }
}

async function isAlive(port: number, withinMs: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/live`, { signal: AbortSignal.timeout(withinMs) })).ok
  } catch {
    return false
  }
}
