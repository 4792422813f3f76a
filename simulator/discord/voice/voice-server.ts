import type { RemoteInfo } from 'node:dgram'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { type Clock, systemClock } from '../../../src/common/clock.ts'
import { randomFrom } from '../../random.ts'
import { OpenSockets } from '../open-sockets.ts'
import { type Admission, BotSocket, type BotSocketHost } from './bot-socket.ts'
import { SelfSigned } from './certificate.ts'
import { discoveryRequest, discoveryResponse, MediaSocket } from './datagrams.ts'
import { Close, type Identify, type Resume } from './gateway-message.ts'
import { ENCRYPTION_MODES, type EncryptionMode, ssrcOf } from './rtp.ts'
import { VoiceCall } from './voice-call.ts'

/** The bots' endpoint: WebSockets over TLS. */
class VoiceGateway {
  readonly #https: Server
  readonly #open: OpenSockets
  readonly #sockets: WebSocketServer
  #refusal: { code: number; times: number } | undefined

  private constructor({ key, certificate }: SelfSigned, host: BotSocketHost) {
    this.#https = createServer({ key, cert: certificate })
    this.#open = new OpenSockets(this.#https)
    this.#sockets = new WebSocketServer({ server: this.#https })
    this.#sockets.on('connection', socket => {
      const refusal = this.#refusal
      if (!refusal) return void new BotSocket(socket, host)
      if (--refusal.times <= 0) this.#refusal = undefined
      socket.close(refusal.code)
    })
  }

  /** Listens on loopback, on a port that the system chooses. */
  static async listen(identity: SelfSigned, host: BotSocketHost): Promise<VoiceGateway> {
    const gateway = new VoiceGateway(identity, host)
    await new Promise<void>((settle, fail) => {
      gateway.#https.once('error', fail)
      gateway.#https.listen(0, '127.0.0.1', settle)
    })
    return gateway
  }

  get port(): number {
    return (this.#https.address() as AddressInfo).port
  }

  /** Closes the next `times` sockets with `code` before they receive anything. */
  refuse(code: number, times: number): void {
    this.#refusal = { code, times }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate()
    await new Promise<void>(settle => this.#sockets.close(() => settle()))
    const closed = new Promise<void>(settle => this.#https.close(() => settle()))
    this.#open.destroy()
    await closed
  }
}

/** Options of the voice server. */
export interface VoiceServerOptions {
  /** The modes offered, in this order. Default both, GCM first. */
  encryption?: readonly EncryptionMode[]
  /** Calls start with DAVE, and bots without it are rejected (4017), as at Discord. Default true. */
  dave?: boolean
  /** Of op 8. Default 13 750. */
  heartbeatMs?: number
  /** Seed of everything random: faults, SSRCs, whose commit wins. Default 1. */
  seed?: number
  clock?: Clock
}

const KEEP_ALIVE_BYTES = 8

/**
 * One Discord voice server on loopback: a voice gateway (version 8, over TLS) and a UDP socket for media, with any
 * number of calls, each with or without end-to-end encryption (DAVE). Unmodified clients connect to it. The caller of
 * `listen` closes it. The client must trust `certificate`: see `trust`.
 */
export class VoiceServer implements AsyncDisposable {
  /** Its self-signed certificate (PEM), created for this server alone. */
  readonly certificate: string
  readonly #options: Required<VoiceServerOptions>
  readonly #random: () => number
  readonly #calls = new Map<string, VoiceCall>()
  #lastSsrc: number
  #gateway: VoiceGateway | undefined
  #media: MediaSocket | undefined
  #closing: Promise<void> | undefined

  private constructor(certificate: string, options: VoiceServerOptions) {
    const { encryption = ENCRYPTION_MODES, dave = true, heartbeatMs = 13_750 } = options
    const { seed = 1, clock = systemClock } = options
    if (!(heartbeatMs > 0)) throw new RangeError(`heartbeatMs must be above 0, got ${heartbeatMs}`)
    const known = encryption.every(mode => ENCRYPTION_MODES.includes(mode))
    if (encryption.length === 0 || !known)
      throw new RangeError(
        `encryption is some of ${ENCRYPTION_MODES.join(', ')}, got ${encryption.join(', ')}`,
      )
    this.certificate = certificate
    this.#options = { encryption, dave, heartbeatMs, seed, clock }
    this.#random = randomFrom(seed)
    this.#lastSsrc = Math.floor(this.#random() * 0x4000_0000)
  }

  /** Listens on loopback, on ports that the system chooses. */
  static async listen(options: VoiceServerOptions = {}): Promise<VoiceServer> {
    const identity = new SelfSigned()
    const server = new VoiceServer(identity.certificate, options)
    const media = await MediaSocket.bind((datagram, from) => server.#receive(datagram, from))
    server.#media = media
    const { clock, heartbeatMs } = server.#options
    const host: BotSocketHost = {
      clock,
      heartbeatMs,
      mediaPort: media.port,
      identify: message => server.#identify(message),
      resume: message => server.#resume(message),
    }
    server.#gateway = await VoiceGateway.listen(identity, host)
    return server
  }

  /** `localhost:<port>`, as sent in VOICE_SERVER_UPDATE. */
  get endpoint(): string {
    return `localhost:${this.#gateway?.port}`
  }

  /** Every call that was opened. */
  get calls(): readonly VoiceCall[] {
    return [...this.#calls.values()]
  }

  /** The call of this voice channel: the same one for the life of the server. */
  openCall(guildId: string, channelId: string): VoiceCall {
    const key = `${guildId}/${channelId}`
    const known = this.#calls.get(key)
    if (known) return known
    const { dave, encryption, clock } = this.#options
    const call = new VoiceCall({
      guildId,
      channelId,
      dave,
      modes: encryption,
      clock,
      random: this.#random,
      nextSsrc: () => ++this.#lastSsrc,
      send: (bytes, to) => this.#media?.send(bytes, to),
      forge: (bytes, to) => this.#media?.forge(bytes, to) ?? Promise.resolve(),
    })
    this.#calls.set(key, call)
    return call
  }

  /** Closes the next `times` sockets with `code` once they are open. */
  refuse(code: number, times = 1): void {
    this.#gateway?.refuse(code, times)
  }

  /** Ends every call and closes both sockets. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    for (const call of this.calls) call.close()
    await this.#gateway?.close()
    await this.#media?.close()
  }

  /** Decides who is admitted (op 0). */
  #identify({ guildId, userId, token, sessionId, daveVersion }: Identify): Admission {
    const calls = this.calls.filter(call => call.guildId === guildId)
    if (calls.length === 0) return { code: Close.serverNotFound }
    const call = calls.find(each => each.bots.expected(userId)?.token === token)
    const bot = call?.bots.expected(userId)
    if (!call || !bot) return { code: Close.authenticationFailed }
    if (bot.sessionId !== sessionId) return { code: Close.sessionInvalid }
    if (call.daveVersion > daveVersion) return { code: Close.daveRequired }
    return { call, session: call.bots.open(bot, daveVersion) }
  }

  /** Decides who can resume (op 7). */
  #resume({ guildId, sessionId, token }: Resume): Admission {
    for (const call of this.calls) {
      const session = call.guildId === guildId && call.bots.resumable(sessionId, token)
      if (session) return { call, session }
    }
    return { code: Close.sessionInvalid }
  }

  #receive(datagram: Buffer, from: RemoteInfo): void {
    if (datagram.length === KEEP_ALIVE_BYTES) {
      this.#media?.send(datagram, from)
      return
    }
    const asking = discoveryRequest(datagram)
    const ssrc = asking ?? ssrcOf(datagram)
    if (ssrc === undefined) return
    for (const { bots, faults } of this.#calls.values()) {
      const session = bots.withSsrc(ssrc)
      if (!session) continue
      if (asking === undefined) session.receive(datagram)
      else if (faults.withholdIpDiscovery > 0) faults.withholdIpDiscovery--
      else this.#media?.send(discoveryResponse(ssrc, from.address, from.port), from)
      return
    }
  }
}
