import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { type Clock, systemClock } from '../../../core/clock.ts'
import { randomFrom } from '../../phone/quirks.ts'
import { type Admission, BotSocket, type BotSocketHost } from './bot-socket.ts'
import { ENCRYPTION_MODES, type EncryptionMode } from './encryption.ts'
import type { Inbound } from './gateway-message.ts'
import { discoveryRequest, discoveryResponse } from './ip-discovery.ts'
import { Close } from './opcodes.ts'
import { ssrcOf } from './rtp.ts'
import { SelfSigned } from './self-signed.ts'
import { VoiceCall } from './voice-call.ts'

export interface VoiceServerOptions {
  /** The modes offered, in this order. Default both, GCM first. */
  encryption?: readonly EncryptionMode[]
  /** Calls begin with DAVE, and bots without it are refused (4017), as Discord does. Default true. */
  dave?: boolean
  /** Of op 8. Default 13 750. */
  heartbeatMs?: number
  /** Chooses everything that looks random: faults, SSRCs, whose commit wins. Default 1. */
  seed?: number
  clock?: Clock
}

const KEEP_ALIVE_BYTES = 8

/**
 * One Discord voice server on loopback: a voice gateway (version 8, over TLS) and a UDP socket for media, with any number
 * of calls. Whoever listens closes it. The client must trust `certificate`: see `trust`.
 */
export class VoiceServer implements AsyncDisposable, BotSocketHost {
  /** Its self-signed certificate (PEM). */
  readonly certificate: string
  readonly heartbeatMs: number
  readonly clock: Clock
  readonly #https: Server
  readonly #sockets: WebSocketServer
  readonly #media: Socket
  readonly #modes: readonly EncryptionMode[]
  readonly #dave: boolean
  readonly #random: () => number
  readonly #calls = new Map<string, VoiceCall>()
  #lastSsrc: number
  #closing: Promise<void> | undefined

  private constructor(options: VoiceServerOptions) {
    const {
      encryption = ENCRYPTION_MODES,
      dave = true,
      heartbeatMs = 13_750,
      seed = 1,
      clock = systemClock,
    } = options
    if (!(heartbeatMs > 0)) throw new RangeError(`heartbeatMs must be above 0, got ${heartbeatMs}`)
    if (encryption.length === 0)
      throw new RangeError(`offer one mode at least of ${ENCRYPTION_MODES.join(', ')}`)
    const { key, certificate } = new SelfSigned()
    this.certificate = certificate
    this.heartbeatMs = heartbeatMs
    this.clock = clock
    this.#modes = encryption
    this.#dave = dave
    this.#random = randomFrom(seed)
    this.#lastSsrc = Math.floor(this.#random() * 0x4000_0000)
    this.#https = createServer({ key, cert: certificate })
    this.#sockets = new WebSocketServer({ server: this.#https })
    this.#sockets.on('connection', socket => new BotSocket(socket, this))
    this.#media = createSocket('udp4')
    this.#media.on('message', (datagram, from) => this.#receive(datagram, from))
  }

  /** Listens on loopback, on ports that the system chooses. */
  static async listen(options: VoiceServerOptions = {}): Promise<VoiceServer> {
    const server = new VoiceServer(options)
    await new Promise<void>((settle, fail) => {
      server.#https.once('error', fail)
      server.#https.listen(0, '127.0.0.1', settle)
    })
    await new Promise<void>((settle, fail) => {
      server.#media.once('error', fail)
      server.#media.bind(0, '127.0.0.1', settle)
    })
    server.#media.removeAllListeners('error').on('error', () => {})
    return server
  }

  /** `localhost:<port>`, as VOICE_SERVER_UPDATE carries it. */
  get endpoint(): string {
    return `localhost:${(this.#https.address() as AddressInfo).port}`
  }

  /** Where bots send media to. */
  get mediaPort(): number {
    return this.#media.address().port
  }

  /** The call of this voice channel: the same one for the life of the server. */
  openCall(guildId: string, channelId: string): VoiceCall {
    const key = `${guildId}/${channelId}`
    const known = this.#calls.get(key)
    if (known) return known
    const call = new VoiceCall({
      guildId,
      channelId,
      dave: this.#dave,
      modes: this.#modes,
      clock: this.clock,
      random: this.#random,
      nextSsrc: () => ++this.#lastSsrc,
      sendDatagram: (bytes, { address, port }) => {
        if (!this.#closing) this.#media.send(bytes, port, address)
      },
    })
    this.#calls.set(key, call)
    return call
  }

  /** Ends every call and closes both sockets. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** For the gateway: who may come in (op 0). */
  identify(message: Extract<Inbound, { kind: 'identify' }>): Admission {
    const calls = this.#callsOf(message.guildId)
    if (calls.length === 0) return { code: Close.serverNotFound }
    for (const call of calls) {
      const bot = call.expected(message.userId)
      if (bot?.token !== message.token) continue
      if (bot.sessionId !== message.sessionId) return { code: Close.sessionInvalid }
      if (call.daveVersion > message.daveVersion) return { code: Close.daveRequired }
      return { call, session: call.open(bot, message.daveVersion) }
    }
    return { code: Close.authenticationFailed }
  }

  /** For the gateway: who may go on (op 7). */
  resume(message: Extract<Inbound, { kind: 'resume' }>): Admission {
    for (const call of this.#callsOf(message.guildId)) {
      const session = call.resumable(message.sessionId, message.token)
      if (session) return { call, session }
    }
    return { code: Close.sessionInvalid }
  }

  #callsOf(guildId: string): VoiceCall[] {
    return [...this.#calls.values()].filter(call => call.guildId === guildId)
  }

  #receive(datagram: Buffer, from: RemoteInfo): void {
    if (datagram.length === KEEP_ALIVE_BYTES) return this.#media.send(datagram, from.port, from.address)
    const asking = discoveryRequest(datagram)
    const ssrc = asking ?? ssrcOf(datagram)
    if (ssrc === undefined) return
    for (const call of this.#calls.values()) {
      const session = call.sessionOf(ssrc)
      if (!session) continue
      if (asking === undefined) return session.receive(datagram)
      if (call.faults.withholdIpDiscovery > 0) return void call.faults.withholdIpDiscovery--
      return this.#media.send(discoveryResponse(ssrc, from.address, from.port), from.port, from.address)
    }
  }

  async #close(): Promise<void> {
    for (const call of this.#calls.values()) call.close()
    for (const socket of this.#sockets.clients) socket.terminate()
    await new Promise<void>(settle => this.#sockets.close(() => settle()))
    this.#https.closeAllConnections()
    await new Promise<void>(settle => this.#https.close(() => settle()))
    await new Promise<void>(settle => this.#media.close(settle))
  }
}
