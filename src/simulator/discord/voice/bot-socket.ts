import { randomBytes } from 'node:crypto'
import type { WebSocket } from 'ws'
import { after, type Clock } from '../../../core/clock.ts'
import type { BotSession, Wire } from './bot-session.ts'
import { isEncryptionMode } from './encryption.ts'
import { type Inbound, readBinary, readText } from './gateway-message.ts'
import { Close, Op } from './opcodes.ts'
import type { VoiceCall } from './voice-call.ts'
import type { GatewayStage } from './voice-faults.ts'

/** A session with its call, or the code with which the socket is closed. */
export type Admission = { session: BotSession; call: VoiceCall } | { code: number }

/** What a socket asks of the server. */
export interface BotSocketHost {
  readonly heartbeatMs: number
  readonly clock: Clock
  readonly mediaPort: number
  identify(message: Extract<Inbound, { kind: 'identify' }>): Admission
  resume(message: Extract<Inbound, { kind: 'resume' }>): Admission
}

/** Three heartbeats late is too late; not less than this on a busy machine. */
const LEAST_TIMEOUT_MS = 5_000
/** Closing with one of these ends the session; with others it can be resumed. */
const GOODBYES = [1000, 1001]

/**
 * One web socket of a bot:
 *
 *   greeted ──identify──▶ identified ──select protocol──▶ connected
 *      └──────resume───────────────────────────────────────▲
 */
export class BotSocket implements Wire {
  readonly #socket: WebSocket
  readonly #host: BotSocketHost
  #session: BotSession | undefined
  #call: VoiceCall | undefined
  #timeout: Disposable | undefined
  #closed = false

  constructor(socket: WebSocket, host: BotSocketHost) {
    this.#socket = socket
    this.#host = host
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!this.#closed) this.#receive(isBinary ? readBinary(data) : readText(data.toString()))
    })
    socket.on('close', code => this.#gone(code))
    socket.on('error', () => socket.terminate())
    this.#say(Op.hello, { v: 8, heartbeat_interval: host.heartbeatMs })
    this.#expectHeartbeat()
  }

  send(message: string | Buffer): void {
    if (!this.#closed) this.#socket.send(message)
  }

  close(code: number): void {
    if (this.#closed) return
    this.#gone(code)
    this.#socket.close(code)
  }

  #receive(message: Inbound): void {
    switch (message.kind) {
      case 'identify':
        return this.#session ? this.close(Close.alreadyAuthenticated) : this.#identify(message)
      case 'resume':
        return this.#session ? this.close(Close.alreadyAuthenticated) : this.#resume(message)
      case 'heartbeat':
        return this.#beat(message.nonce, message.seqAck)
      case 'wrong':
        return this.close(message.code)
      default:
        if (!this.#session || !this.#call) return this.close(Close.notAuthenticated)
        if (message.kind === 'select') return this.#select(message, this.#session, this.#call)
        if (!this.#session.connected) return this.close(Close.notAuthenticated)
        return this.#talk(message, this.#session, this.#call)
    }
  }

  #talk(
    message: Exclude<Inbound, { kind: 'identify' | 'resume' | 'heartbeat' | 'wrong' | 'select' }>,
    session: BotSession,
    call: VoiceCall,
  ): void {
    switch (message.kind) {
      case 'speaking':
        if (message.ssrc !== session.ssrc) return this.close(Close.badRequest)
        return session.speaking(message.flags)
      case 'key-package':
        return call.dave.offered(session, message.bytes)
      case 'commit-welcome':
        return call.dave.committed(session, message.bytes)
      case 'transition-ready':
        return call.dave.ready(session, message.transitionId)
      case 'invalid-commit':
        return call.dave.invalid(session)
      default:
        message satisfies never
    }
  }

  #identify(message: Extract<Inbound, { kind: 'identify' }>): void {
    const admission = this.#host.identify(message)
    if (!this.#take(admission, 'identify')) return
    const { session } = admission
    const { modes } = session.options
    session.tell(Op.ready, {
      ssrc: session.ssrc,
      ip: '127.0.0.1',
      port: this.#host.mediaPort,
      modes,
      // Not the interval of heartbeats: Discord's own documentation says to ignore it.
      heartbeat_interval: 1,
    })
    this.#stops('ready')
  }

  #select(
    { protocol, address, port, mode }: Extract<Inbound, { kind: 'select' }>,
    session: BotSession,
    call: VoiceCall,
  ): void {
    if (this.#stops('select-protocol')) return
    if (protocol !== 'udp') return this.close(Close.unknownProtocol)
    if (!isEncryptionMode(mode) || !session.options.modes.includes(mode))
      return this.close(Close.unknownEncryption)
    const key = randomBytes(32)
    session.select(mode, key, { address, port })
    session.tell(Op.sessionDescription, {
      mode,
      secret_key: [...key],
      dave_protocol_version: call.daveVersion,
      audio_codec: 'opus',
      video_codec: null,
      media_session_id: session.options.sessionId,
    })
    call.joined(session)
    this.#stops('session-description')
  }

  #resume(message: Extract<Inbound, { kind: 'resume' }>): void {
    const admission = this.#host.resume(message)
    if (!this.#take(admission, 'resume')) return
    const { session } = admission
    session.outbox.acknowledge(message.seqAck)
    // Before anything else: the library does not listen to the rest until it has come.
    this.#say(Op.resumed, null)
    for (const { message: missed } of session.outbox.unacknowledged()) this.send(missed)
    this.#stops('resumed')
  }

  #take(admission: Admission, stage: GatewayStage): admission is Exclude<Admission, { code: number }> {
    if ('code' in admission) {
      this.close(admission.code)
      return false
    }
    this.#session = admission.session
    this.#call = admission.call
    this.#session.wire = this
    return !this.#stops(stage)
  }

  #beat(nonce: number, seqAck: number): void {
    this.#expectHeartbeat()
    this.#session?.outbox.acknowledge(seqAck)
    if (this.#call?.faults.silentHeartbeat) return
    this.#say(Op.heartbeatAck, { t: nonce })
  }

  /** Not numbered. */
  #say(op: number, body: unknown): void {
    this.send(JSON.stringify({ op, d: body }))
  }

  #stops(stage: GatewayStage): boolean {
    const code = this.#call?.faults.takeClose(stage)
    if (code !== undefined) this.close(code)
    return code !== undefined
  }

  #expectHeartbeat(): void {
    this.#timeout?.[Symbol.dispose]()
    const { clock, heartbeatMs } = this.#host
    const close = () => this.close(Close.sessionTimeout)
    this.#timeout = after(clock, Math.max(LEAST_TIMEOUT_MS, heartbeatMs * 3), close)
  }

  #gone(code: number): void {
    if (this.#closed) return
    this.#closed = true
    this.#timeout?.[Symbol.dispose]()
    const session = this.#session
    if (session?.wire !== this) return
    session.wire = undefined
    const resumable = code === Close.serverCrashed || (code < 4000 && !GOODBYES.includes(code))
    this.#call?.lost(session, resumable)
  }
}
