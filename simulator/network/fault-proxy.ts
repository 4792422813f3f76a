import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { type Clock, systemClock } from '../../src/common/clock.ts'
import { randomFrom } from '../random.ts'
import { type CutHow, checkToxics, type Direction, FaultPipe, type Toxics } from './fault-pipe.ts'

/** Target of the proxy and its initial faults. */
export interface FaultProxyOptions {
  /** Address of the target: `http://127.0.0.1:4000`, or another scheme with a port. */
  readonly to: string
  /** Seed of everything random: the same seed gives the same faults. Default 1. */
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
  /** Sides that were reset; the other side learns of it as soon as anything can get through. */
  readonly reset: Set<Socket>
}

/** Treatment of new connections. `refuse`: reset. `hang`: accepted and never answered. */
export type Accepting = 'yes' | 'refuse' | 'hang'

/**
 * A TCP proxy on loopback that simulates network faults for any protocol over TCP: HTTP, WebSocket or Socket.IO. Faults
 * can be changed at run time and also apply to open connections. TCP does not reorder: packets out of order below it
 * arrive late above it, which `jitterMs` and stalls simulate. The caller of `listen` closes it.
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
  /** Treatment of new connections. */
  accepting: Accepting = 'yes'
  /** Number of connections requested since `listen`, accepted or not. */
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

  /** The address of `to`, at the proxy's own port. */
  get url(): string {
    const url = new URL(this.#options.to)
    url.hostname = '127.0.0.1'
    url.port = String(this.#port)
    return url.href.replace(/\/$/, '')
  }

  /** Number of open connections. */
  get open(): number {
    return this.#links.size
  }

  /** Bytes forwarded over the connections that are open now. */
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
   * Replaces the faults of one direction or both, for open and for new connections. Throws `RangeError` for an unknown
   * fault or a value out of range.
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

  /** Removes all faults; bytes that were cut or swallowed stay lost. */
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

  /** Ends one direction of every open connection; the other direction continues. */
  halfClose(direction: Direction): void {
    for (const link of this.#links) link[direction].halfClose()
  }

  /** Listens again on the same port. No effect while it is listening. */
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

  /** Stops listening and resets every open connection; `start` resumes it. Idempotent. */
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
    const options = { clock: this.#clock, random: this.#random }
    const link: Link = {
      client,
      server,
      up: new FaultPipe(client, server, this.#toxics.up, options),
      down: new FaultPipe(server, client, this.#toxics.down, options),
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

  /** Passes a reset on where bytes would pass: not into a black hole. */
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
