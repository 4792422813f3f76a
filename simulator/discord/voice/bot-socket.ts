import { randomBytes } from 'node:crypto'
import type { WebSocket } from 'ws'
import { type Clock, setTimer } from '../../../src/common/clock.ts'
import type { BotSession, Wire } from './bot-session.ts'
import {
  Close,
  type Identify,
  type Inbound,
  Op,
  type Resume,
  readBinary,
  readText,
  type SelectProtocol,
  type Talk,
} from './gateway-message.ts'
import { isEncryptionMode } from './rtp.ts'
import type { VoiceCall } from './voice-call.ts'
import type { GatewayStage } from './voice-faults.ts'

interface Admitted {
  readonly session: BotSession
  readonly call: VoiceCall
}

/** A session with its call, or the code with which the socket is closed. */
export type Admission = Admitted | { readonly code: number }

/** The server's side of a socket. */
export interface BotSocketHost {
  readonly heartbeatMs: number
  readonly clock: Clock
  readonly mediaPort: number
  identify(message: Identify): Admission
  resume(message: Resume): Admission
}

/** Minimum timeout on a busy machine; otherwise three missed heartbeats. */
const LEAST_TIMEOUT_MS = 5_000
/** Close codes with which a client has left. */
const GOODBYES = [1000, 1001]

/**
 * One WebSocket of a bot:
 *
 *   greeted ──identify──▶ identified ──select protocol──▶ connected
 *      └──────resume───────────────────────────────────────▲
 *
 * Unexpected messages close it, with Discord's code for that.
 */
export class BotSocket implements Wire {
  readonly #socket: WebSocket
  readonly #host: BotSocketHost
  #admitted: Admitted | undefined
  #timeout: Disposable | undefined
  #closed = false

  constructor(socket: WebSocket, host: BotSocketHost) {
    this.#socket = socket
    this.#host = host
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!this.#closed) this.#receive(isBinary ? readBinary(data) : readText(data.toString()))
    })
    socket.on('close', code => this.#gone(!GOODBYES.includes(code)))
    socket.on('error', () => socket.terminate())
    this.#say(Op.hello, { v: 8, heartbeat_interval: host.heartbeatMs })
    this.#expectHeartbeat()
  }

  send(message: string | Buffer): void {
    if (!this.#closed) this.#socket.send(message)
  }

  close(code: number): void {
    if (this.#closed) return
    this.#gone(isResumable(code))
    this.#socket.close(code)
  }

  drop(): void {
    this.#gone(true)
    this.#socket.terminate()
  }

  #receive(message: Inbound): void {
    switch (message.kind) {
      case 'identify':
      case 'resume':
        if (this.#admitted) this.close(Close.alreadyAuthenticated)
        else if (message.kind === 'identify') this.#identify(message)
        else this.#resume(message)
        break
      case 'heartbeat':
        this.#beat(message.nonce, message.seqAck)
        break
      case 'wrong':
        this.close(message.code)
        break
      case 'select':
        if (this.#admitted) this.#select(message, this.#admitted)
        else this.close(Close.notAuthenticated)
        break
      default:
        if (this.#admitted?.session.connected) this.#talk(message, this.#admitted)
        else this.close(Close.notAuthenticated)
    }
  }

  #talk(message: Talk, { session, call }: Admitted): void {
    switch (message.kind) {
      case 'speaking':
        if (message.ssrc === session.ssrc) session.speaking(message.flags)
        else this.close(Close.badRequest)
        break
      case 'key-package':
        if (!call.dave.offered(session, message.bytes)) this.close(Close.badRequest)
        break
      case 'commit-welcome':
        call.dave.committed(session, message.bytes)
        break
      case 'transition-ready':
        call.dave.ready(session, message.transitionId)
        break
      case 'invalid-commit':
        call.dave.invalid(session)
        break
      default:
        message satisfies never
    }
  }

  #identify(message: Identify): void {
    const admitted = this.#admit(this.#host.identify(message), 'identify')
    if (!admitted) return
    const { session } = admitted
    session.tell(Op.ready, {
      ssrc: session.ssrc,
      ip: '127.0.0.1',
      port: this.#host.mediaPort,
      modes: session.options.modes,
      // Not the interval of heartbeats: Discord's own documentation says to ignore it.
      heartbeat_interval: 1,
    })
    this.#stops('ready')
  }

  #select({ protocol, address, port, mode }: SelectProtocol, { session, call }: Admitted): void {
    if (this.#stops('select-protocol')) return
    if (protocol !== 'udp') {
      this.close(Close.unknownProtocol)
      return
    }
    if (!isEncryptionMode(mode) || !session.options.modes.includes(mode)) {
      this.close(Close.unknownEncryption)
      return
    }
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
    call.bots.joined(session)
    this.#stops('session-description')
  }

  #resume(message: Resume): void {
    const admission = this.#host.resume(message)
    const delayMs = 'call' in admission ? admission.call.faults.resumeDelayMs : 0
    if (delayMs > 0) setTimer(this.#host.clock, delayMs, () => this.#resumed(message))
    else this.#resumed(message)
  }

  #resumed(message: Resume): void {
    const admitted = this.#admit(this.#host.resume(message), 'resume')
    if (!admitted) return
    const { outbox } = admitted.session
    outbox.acknowledge(message.seqAck)
    // Before the missed messages: the library ignores others until it has arrived.
    const { missedFirst } = admitted.call.faults
    if (!missedFirst) this.#say(Op.resumed, null)
    for (const missed of outbox.unacknowledged()) this.send(missed)
    if (missedFirst) this.#say(Op.resumed, null)
    this.#stops('resumed')
  }

  #admit(admission: Admission, stage: GatewayStage): Admitted | undefined {
    if ('code' in admission) {
      this.close(admission.code)
      return undefined
    }
    this.#admitted = admission
    const before = admission.session.wire
    admission.session.wire = this
    before?.close(Close.sessionInvalid)
    return this.#stops(stage) ? undefined : admission
  }

  #beat(nonce: number, seqAck: number): void {
    this.#expectHeartbeat()
    this.#admitted?.session.outbox.acknowledge(seqAck)
    if (!this.#admitted?.call.faults.silentHeartbeat) this.#say(Op.heartbeatAck, { t: nonce })
  }

  /** Not numbered. */
  #say(op: number, body: unknown): void {
    this.send(JSON.stringify({ op, d: body }))
  }

  #stops(stage: GatewayStage): boolean {
    const stop = this.#admitted?.call.faults.takeStop(stage)
    if (stop?.code !== undefined) this.close(stop.code)
    return stop !== undefined
  }

  #expectHeartbeat(): void {
    this.#timeout?.[Symbol.dispose]()
    const { clock, heartbeatMs } = this.#host
    const late = () => this.close(Close.sessionTimeout)
    this.#timeout = setTimer(clock, Math.max(LEAST_TIMEOUT_MS, heartbeatMs * 3), late)
  }

  #gone(resumable: boolean): void {
    if (this.#closed) return
    this.#closed = true
    this.#timeout?.[Symbol.dispose]()
    const { session, call } = this.#admitted ?? {}
    if (!session || session.wire !== this) return
    session.wire = undefined
    call?.bots.lost(session, resumable)
  }
}

/** Codes after which the library resumes. */
function isResumable(code: number): boolean {
  return code < 4000 || code === Close.serverCrashed
}
