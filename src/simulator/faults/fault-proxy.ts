import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { type Clock, systemClock } from '../../core/clock.ts'
import { randomFrom } from '../phone/quirks.ts'
import { FaultPipe } from './fault-pipe.ts'
import { type CutHow, checkToxics, type Direction, type Toxics } from './toxics.ts'

/** What the proxy stands before, and what it does wrong from the beginning. */
export interface FaultProxyOptions {
  /** Where connections are taken: `http://127.0.0.1:4000`, or another scheme with a port. */
  readonly to: string
  /** Of everything that is left to chance: the same seed, the same faults. Default 1. */
  readonly seed?: number
  /** Port on loopback. Default 0: a free one. */
  readonly port?: number
  readonly clock?: Clock
}

/** One connection through the proxy. */
interface Link {
  readonly client: Socket
  readonly server: Socket
  readonly up: FaultPipe
  readonly down: FaultPipe
  /** Sides that were reset, of which the other hears as soon as anything gets through to it. */
  readonly reset: Set<Socket>
}

/** What becomes of new connections. `refuse`: reset. `hang`: accepted, and never answered. */
export type Accepting = 'yes' | 'refuse' | 'hang'

/**
 * A TCP proxy on loopback that does to a connection what networks do: whatever is spoken over it, HTTP, WebSocket or
 * Socket.IO. Faults may be changed while it runs, and hold for connections that are open too. TCP knows no reordering:
 * what is out of order below it comes late above, which is `jitterMs` and stalls. Whoever listens closes it.
 */
export class FaultProxy implements AsyncDisposable {
  readonly #options: FaultProxyOptions
  readonly #clock: Clock
  readonly #random: () => number
  readonly #links = new Set<Link>()
  readonly #hanging = new Set<Socket>()
  readonly #toxics: { readonly up: Toxics; readonly down: Toxics } = { up: {}, down: {} }
  #server: Server | undefined
  #port: number
  /** What becomes of new connections. */
  accepting: Accepting = 'yes'
  /** Connections that were asked for since `listen`, whatever became of them. */
  connections = 0

  private constructor(options: FaultProxyOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#random = randomFrom(options.seed ?? 1)
    this.#port = options.port ?? 0
  }

  /** Listens on loopback. Throws `RangeError` for an address without host or port. */
  static async listen(options: FaultProxyOptions): Promise<FaultProxy> {
    if (!portOf(options.to)) throw new RangeError(`a proxy needs an address with a port, got ${options.to}`)
    const proxy = new FaultProxy(options)
    await proxy.start()
    return proxy
  }

  /** The same address as `to`, at the proxy's own port. */
  get url(): string {
    const url = new URL(this.#options.to)
    url.hostname = '127.0.0.1'
    url.port = String(this.#port)
    return url.href.replace(/\/$/, '')
  }

  /** Connections open now. */
  get open(): number {
    return this.#links.size
  }

  /** Bytes that went through connections that are open now. */
  get passed(): { readonly up: number; readonly down: number } {
    let up = 0
    let down = 0
    for (const link of this.#links) {
      up += link.up.passed
      down += link.down.passed
    }
    return { up, down }
  }

  /**
   * These faults, instead of those before, in one direction or in both, for open and for new connections. Throws `RangeError` for
   * what is no fault, or out of its range.
   */
  set(toxics: Toxics, direction?: Direction): void {
    checkToxics(toxics)
    if (direction !== 'down') replace(this.#toxics.up, toxics)
    if (direction !== 'up') replace(this.#toxics.down, toxics)
    for (const link of this.#links) {
      link.up.changed()
      link.down.changed()
      this.#passResets(link)
    }
  }

  /** No faults from now on; what was cut or swallowed is gone. */
  heal(): void {
    this.accepting = 'yes'
    for (const socket of this.#hanging) socket.resetAndDestroy()
    this.set({})
  }

  /** Ends every open connection on both sides. */
  cut(how: CutHow = 'rst'): void {
    for (const { client, server, up, down } of this.#links) {
      up.close()
      down.close()
      for (const socket of [client, server]) {
        if (how === 'rst') socket.resetAndDestroy()
        else socket.end()
      }
    }
  }

  /** Ends one direction of every open connection; the other goes on. */
  halfClose(direction: Direction): void {
    for (const link of this.#links) link[direction].halfClose()
  }

  /** Listens again, on the same port. Nothing when it does. */
  async start(): Promise<void> {
    if (this.#server) return
    const server = createServer({ allowHalfOpen: true }, client => this.#take(client))
    this.#server = server
    await new Promise<void>((settle, fail) => {
      server.once('error', fail)
      server.listen(this.#port, '127.0.0.1', settle)
    })
    this.#port = (server.address() as AddressInfo).port
  }

  /** Nobody listens any more, and everything that is open is reset; `start` brings it back. Idempotent. */
  async stop(): Promise<void> {
    const server = this.#server
    if (!server) return
    this.#server = undefined
    const closed = new Promise(settle => server.close(settle))
    this.cut('rst')
    for (const socket of this.#hanging) socket.resetAndDestroy()
    await closed
  }

  close(): Promise<void> {
    return this.stop()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #take(client: Socket): void {
    this.connections++
    client.on('error', () => {})
    if (this.accepting === 'refuse') return void client.resetAndDestroy()
    if (this.accepting === 'hang') {
      this.#hanging.add(client)
      client.once('close', () => this.#hanging.delete(client))
      return void client.resume()
    }
    const server = connect({
      host: new URL(this.#options.to).hostname.replace(/^\[|\]$/g, ''),
      port: portOf(this.#options.to),
      allowHalfOpen: true,
    })
    const parts = {
      clock: this.#clock,
      random: this.#random,
      limited: () => {
        client.resetAndDestroy()
        server.resetAndDestroy()
      },
    }
    const link: Link = {
      client,
      server,
      up: new FaultPipe(client, server, this.#toxics.up, parts),
      down: new FaultPipe(server, client, this.#toxics.down, parts),
      reset: new Set(),
    }
    this.#links.add(link)
    for (const socket of [server, client])
      socket.on('error', () => {
        link.reset.add(socket)
        this.#passResets(link)
      })
    const over = () => {
      if (!client.destroyed || !server.destroyed) return
      link.up.close()
      link.down.close()
      this.#links.delete(link)
    }
    client.once('close', over)
    server.once('close', over)
  }

  /** A reset goes where bytes would: not into a black hole. */
  #passResets({ client, server, reset }: Link): void {
    const { up, down } = this.#toxics
    if (reset.has(server) && !down.swallow) client.resetAndDestroy()
    if (reset.has(client) && !up.swallow) server.resetAndDestroy()
  }
}

function portOf(url: string): number {
  if (!URL.canParse(url)) return 0
  const { port, protocol } = new URL(url)
  return Number(port) || (protocol === 'https:' || protocol === 'wss:' ? 443 : protocol === 'http:' ? 80 : 0)
}

function replace(target: Toxics, toxics: Toxics): void {
  for (const name of Object.keys(target) as (keyof Toxics)[]) delete target[name]
  Object.assign(target, toxics)
}
