import type { WebSocket } from 'ws'
import { type Clock, setTimer } from '../../../src/common/clock.ts'
import { CLOSE, type ClientMessage, OP, readClientMessage } from './protocol.ts'
import type { GatewaySession, SessionLine } from './session.ts'

/** The gateway's side of a connection. */
export interface ConnectionHost {
  readonly clock: Clock
  readonly heartbeatMs: number
  /** While true, heartbeats are not acknowledged. */
  readonly ignoreHeartbeats: boolean
  /** While true, messages are not sent. */
  readonly mute: boolean
  identify(connection: GatewayConnection, message: ClientMessage & { kind: 'identify' }): void
  resume(connection: GatewayConnection, message: ClientMessage & { kind: 'resume' }): void
  ask(session: GatewaySession, message: ClientMessage & { kind: 'voice' | 'members' }): void
  closed(connection: GatewayConnection, code: number): void
}

/** Minimum timeout, even with short heartbeats, because a busy machine is not a dead one. */
const PATIENCE_MS = 10_000

/** Discord: Rate Limiting of the gateway. */
const MAX_MESSAGES = 120
const WINDOW_MS = 60_000

/** One WebSocket of a bot, before and after Identify. */
export class GatewayConnection implements SessionLine {
  session: GatewaySession | undefined
  readonly #socket: WebSocket
  readonly #host: ConnectionHost
  #heartbeat: Disposable | undefined
  readonly #recent: number[] = []

  constructor(socket: WebSocket, host: ConnectionHost) {
    this.#socket = socket
    this.#host = host
    socket.on('message', data => this.#receive(data.toString()))
    socket.on('error', () => {})
    socket.on('close', code => {
      this.#heartbeat?.[Symbol.dispose]()
      this.session?.detach(this)
      host.closed(this, code)
    })
    this.#expectHeartbeat()
    this.#say({ op: OP.hello, d: { heartbeat_interval: host.heartbeatMs } })
  }

  send(text: string): void {
    if (!this.#host.mute && this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text)
  }

  close(code: number, reason = ''): void {
    this.#socket.close(code, reason)
  }

  /** Breaks the connection without a close frame. */
  drop(): void {
    this.#socket.terminate()
  }

  /** Op 7. */
  reconnect(): void {
    this.#say({ op: OP.reconnect, d: null })
  }

  /** Op 9. */
  invalidSession(resumable: boolean): void {
    this.session?.detach(this)
    this.session = undefined
    this.#say({ op: OP.invalidSession, d: resumable })
  }

  #receive(data: string): void {
    const message = readClientMessage(data)
    if (message.kind === 'wrong') return void this.close(message.close)
    if (this.#tooMany()) return void this.close(CLOSE.rateLimited, 'Rate limited.')
    switch (message.kind) {
      case 'heartbeat':
        this.#expectHeartbeat()
        if (!this.#host.ignoreHeartbeats) this.#say({ op: OP.heartbeatAck })
        return
      case 'identify':
        if (this.session) return void this.close(CLOSE.alreadyAuthenticated, 'Already authenticated.')
        return void this.#host.identify(this, message)
      case 'resume':
        if (this.session) return void this.close(CLOSE.alreadyAuthenticated, 'Already authenticated.')
        return void this.#host.resume(this, message)
      case 'voice':
      case 'members':
        if (!this.session) return void this.close(CLOSE.notAuthenticated, 'Not authenticated.')
        return void this.#host.ask(this.session, message)
      case 'ignored':
        return
      default:
        message satisfies never
    }
  }

  #say(message: object): void {
    this.send(JSON.stringify(message))
  }

  /** Treats a bot without heartbeats as dead. */
  #expectHeartbeat(): void {
    const { clock, heartbeatMs } = this.#host
    this.#heartbeat?.[Symbol.dispose]()
    this.#heartbeat = setTimer(clock, Math.max(heartbeatMs * 2, PATIENCE_MS), () =>
      this.close(CLOSE.sessionTimedOut, 'Session timed out.'),
    )
  }

  #tooMany(): boolean {
    const now = this.#host.clock.now()
    while ((this.#recent[0] ?? now) < now - WINDOW_MS) this.#recent.shift()
    return this.#recent.push(now) > MAX_MESSAGES
  }
}
