import { randomBytes, randomInt } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clock, pause, systemClock } from '../../src/common/clock.ts'
import { readBody } from '../rest-faults.ts'
import type { AsteriskReading } from './audio-stream.ts'
import { Channel, type ChannelOptions, type DialStatus } from './channel.ts'
import { Dialplan } from './dialplan.ts'
import type { WebSocketClient } from './websocket-stream.ts'

/** The behaviour of a called phone. */
export type AsteriskCallee = 'answers' | 'rings' | 'is-busy' | 'is-a-machine'

export interface AsteriskSimulatorOptions {
  /** Text of `extensions.conf`. */
  readonly dialplan: string
  /** Values that replace those of `[globals]`. */
  readonly globals?: Readonly<Record<string, string>>
  /** Sections of `websocket_client.conf`, by their names. */
  readonly webSocketClients?: Readonly<Record<string, WebSocketClient>>
  /** Called for each mark that a WebSocket channel reaches. */
  readonly onMark?: (name: string) => void
  /** Sample rate of channels (Hz). Default 8000. */
  readonly rate?: number
  /** User and password of ARI. Default: new ones. */
  readonly user?: string
  readonly password?: string
  readonly clock?: Clock
}

const MAX_BODY_BYTES = 65_536
const ANSWER_AFTER_MS = 50

/** Parameters of an origination (Asterisk: ARI, `POST /channels`). */
interface Origination {
  readonly channelId: string
  readonly to: string
  readonly dialContext: string
  readonly calledContext: string
  readonly callerId: string
  readonly variables: Readonly<Record<string, string>>
}

/**
 * An Asterisk on loopback: phones whose calls follow a dialplan, with AudioSocket and WebSocket channels, and the part of ARI that
 * places and ends calls. Everything that Asterisk would refuse is in `faults`. The caller of `listen` closes it.
 */
export class AsteriskSimulator implements AsyncDisposable {
  readonly user: string
  readonly password: string
  /** The next called phone. */
  callee: AsteriskCallee = 'answers'
  /** Form of the streams of the next calls. Default: as documented. */
  reading: AsteriskReading | undefined
  /** Channels that execute the dialplan for a phone, oldest first. */
  readonly channels: Channel[] = []
  /** Violations, in order. */
  readonly faults: string[] = []
  readonly dialplan: Dialplan
  readonly #options: AsteriskSimulatorOptions
  readonly #clock: Clock
  readonly #http: Server
  readonly #originated = new Map<string, Channel>()
  readonly #working = new Set<Promise<void>>()
  /** Unique on this machine, for bridges that several simulators call. */
  #ids = randomInt(1_000_000)

  private constructor(options: AsteriskSimulatorOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.user = options.user ?? 'dragoman'
    this.password = options.password ?? randomBytes(16).toString('hex')
    this.dialplan = new Dialplan(options.dialplan)
    for (const [name, value] of Object.entries(options.globals ?? {})) this.dialplan.globals.set(name, value)
    this.#http = createServer((request, response) => void this.#serve(request, response))
  }

  /** Throws SyntaxError for a dialplan that it cannot read. */
  static async listen(options: AsteriskSimulatorOptions): Promise<AsteriskSimulator> {
    const simulator = new AsteriskSimulator(options)
    await new Promise<void>((settle, fail) => {
      simulator.#http.once('error', fail)
      simulator.#http.listen(0, '127.0.0.1', settle)
    })
    return simulator
  }

  /** Address of its HTTP server. */
  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  /** A call from `from` that the trunk sends to extension `to` of `context`. */
  call(from: string, to: string, context = 'dragoman'): Channel {
    const channel = this.#channel(`${1_764_000_000 + ++this.#ids}.${this.#ids}`, from)
    this.channels.push(channel)
    this.#work(channel.run(context, to))
    return channel
  }

  /** Ends every call. Idempotent. */
  async close(): Promise<void> {
    for (const channel of [...this.channels, ...this.#originated.values()]) channel.hangUp()
    await Promise.all(this.#working)
    this.#http.closeAllConnections()
    await new Promise(settle => this.#http.close(settle))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #channel(
    uniqueId: string,
    callerId: string,
    variables: Readonly<Record<string, string>> = {},
    dial: ChannelOptions['dial'] = NO_PHONE,
  ): Channel {
    const { rate = 8_000, webSocketClients = {}, onMark } = this.#options
    return new Channel(
      {
        ...{ dialplan: this.dialplan, uniqueId, callerId, rate, clock: this.#clock, dial },
        ...{ webSocketClients, onMark, reading: this.reading },
        fault: text => void this.faults.push(text),
        amd: () => (this.callee === 'is-a-machine' ? 'MACHINE' : 'HUMAN'),
      },
      variables,
    )
  }

  #work(work: Promise<void>): void {
    this.#working.add(work)
    void work.finally(() => this.#working.delete(work))
  }

  /** Both ends of a local channel: `called` is the call, and `dialing` calls the phone. */
  #originate(origination: Origination): void {
    const { channelId, to, dialContext, calledContext, callerId, variables } = origination
    const callee = this.callee
    const called = this.#channel(channelId, callerId, variables)
    this.#originated.set(channelId, called)
    const dialing = this.#channel(`${channelId};2`, callerId, variables, async (_seconds, gone) => {
      const status = await this.#ring(callee, gone)
      if (status === 'ANSWER' && !called.over) {
        called.state = 'Up'
        this.channels.push(called)
        this.#work(called.run(calledContext, 's'))
      }
      return status
    })
    void called.ended.then(() => dialing.hangUp())
    this.#work(
      dialing.run(dialContext, to).then(() => {
        called.hangUp()
        this.#originated.delete(channelId)
      }),
    )
  }

  async #ring(callee: AsteriskCallee, gone: AbortSignal): Promise<DialStatus> {
    if (callee === 'rings') {
      await new Promise<void>(resolve => gone.addEventListener('abort', () => resolve()))
      return 'CANCEL'
    }
    await pause(this.#clock, ANSWER_AFTER_MS)
    return callee === 'is-busy' ? 'BUSY' : 'ANSWER'
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await readBody(request, MAX_BODY_BYTES)
    if (bytes === undefined || bytes === 'too long') return void response.destroy()
    const { status, body } = this.#answer(request, bytes.toString('utf8'))
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }

  #answer({ method, url = '', headers }: IncomingMessage, text: string): { status: number; body?: object } {
    const login = Buffer.from(`${this.user}:${this.password}`).toString('base64')
    if (headers.authorization !== `Basic ${login}`) return { status: 401, body: { message: 'Unauthorized' } }
    const { pathname, searchParams } = new URL(url, this.url)
    const [, id] = /^\/ari\/channels(?:\/([\w.-]+))?$/.exec(pathname) ?? []
    if (id === undefined) {
      const origination = method === 'POST' ? this.#read(searchParams, text) : undefined
      if (!origination) return { status: 400, body: { message: 'Invalid parameters' } }
      this.#originate(origination)
      return { status: 200, body: { id: origination.channelId, state: 'Down' } }
    }
    const channel = this.#originated.get(id)
    if (!channel || channel.over) return { status: 404, body: { message: 'Channel not found' } }
    if (method === 'GET') return { status: 200, body: { id, state: channel.state === 'Up' ? 'Up' : 'Down' } }
    if (method !== 'DELETE') return { status: 405 }
    channel.hangUp()
    return { status: 204 }
  }

  /** Undefined for an origination that Asterisk would refuse. */
  #read(query: URLSearchParams, text: string): Origination | undefined {
    const [, to, dialContext] = /^Local\/(\+?\d+)@([\w-]+)\/n$/.exec(query.get('endpoint') ?? '') ?? []
    const {
      context: calledContext,
      extension,
      priority,
      callerId,
      channelId,
      ...rest
    } = Object.fromEntries(query)
    for (const name of Object.keys(rest))
      if (name !== 'endpoint' && name !== 'timeout') this.faults.push(`ARI: unknown parameter ${name}`)
    if (
      to === undefined ||
      dialContext === undefined ||
      calledContext === undefined ||
      channelId === undefined
    )
      return undefined
    if (!this.dialplan.find(dialContext, to) || !this.dialplan.find(calledContext, extension ?? ''))
      return undefined
    const { variables = {} } = JSON.parse(text || '{}')
    const valid = priority === '1' && Object.values(variables).every(value => typeof value === 'string')
    return valid
      ? { channelId, to, dialContext, calledContext, callerId: callerId ?? '', variables }
      : undefined
  }
}

const NO_PHONE: ChannelOptions['dial'] = async () => 'NOANSWER'
