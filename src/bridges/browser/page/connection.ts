import type { Outbound, Refused } from '../messages.ts'
import { fromRoot } from './root.ts'

/** How it is between the page and the server. */
export type Line = 'connecting' | 'open' | 'waiting' | 'over'

export interface ConnectionEvents {
  /** What to say first: who it is, and what they want. */
  hello(): object
  message(message: Outbound): void
  audio(packet: ArrayBuffer): void
  line(line: Line): void
  /** Who was in before is not let in again: whether to go on asking. */
  asksAgain(why: Refused): boolean
  /** It is given up. */
  lost(): void
}

/** The server keeps the place of who was cut off for so long (ms). */
const KEPT_MS = 10_000
/** Without a sign of life for so long the connection is dead (ms). */
const DEAD_MS = 5_000
const PING_MS = 2_000
const RETRY_MS = [200, 400, 800, 1_500, 3_000]
/** Given up after so long (ms). */
const PATIENCE_MS = 120_000
/** More than this unsent, and audio is left out: late words help nobody (bytes: 2 s). */
const MOST_UNSENT = 65_536

/** The page's socket: after a cut it connects by itself, and the visit goes on. */
export class Connection {
  readonly #events: ConnectionEvents
  #socket: WebSocket | undefined
  #visit: { call: string; secret: string } | undefined
  #line: Line = 'over'
  #tries = 0
  #cutAt = 0
  #heardAt = 0
  #pingedAt = 0
  /** They were let in once, and come back. */
  #known = false
  #timer: ReturnType<typeof setTimeout> | undefined
  /** There and back (ms). */
  roundTripMs = 0

  constructor(events: ConnectionEvents) {
    this.#events = events
  }

  get line(): Line {
    return this.#line
  }

  open(): void {
    this.#visit = undefined
    this.#known = false
    this.#tries = 0
    this.#cutAt = performance.now()
    this.#connect('connecting')
  }

  say(message: object): void {
    if (this.#line === 'open') this.#socket?.send(JSON.stringify(message))
  }

  /** Sends one message of audio, if it can go now. */
  sendAudio(packet: ArrayBuffer): void {
    if (this.#line === 'open' && this.#socket && this.#socket.bufferedAmount < MOST_UNSENT)
      this.#socket.send(packet)
  }

  /** Looks whether the server is still there. Called with every frame: timers sleep in the background, sound does not. */
  watch(): void {
    if (!this.#socket) return
    const now = performance.now()
    if (now - this.#heardAt > DEAD_MS) {
      this.#drop()
      return
    }
    if (this.#line !== 'open' || now - this.#pingedAt < PING_MS) return
    this.#pingedAt = now
    this.say({ kind: 'ping', at: now })
  }

  /** Tries at once, if it waits: the network is said to be back. */
  hurry(): void {
    if (this.#line !== 'waiting') return
    clearTimeout(this.#timer)
    this.#connect('waiting')
  }

  /** Says goodbye; nothing is tried again. */
  close(): void {
    this.say({ kind: 'bye' })
    this.#become('over')
    clearTimeout(this.#timer)
    const socket = this.#socket
    this.#socket = undefined
    socket?.close(1000)
  }

  #connect(line: Line): void {
    const url = fromRoot('talk/socket')
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    const socket = new WebSocket(url)
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    this.#heardAt = performance.now()
    this.#become(line)
    socket.addEventListener('open', () => {
      const kept = this.#visit && performance.now() - this.#cutAt < KEPT_MS
      socket.send(JSON.stringify(kept ? { kind: 'resume', ...this.#visit } : this.#events.hello()))
    })
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket === socket) this.#heard(data)
    })
    socket.addEventListener('close', () => {
      if (this.#socket === socket) this.#drop()
    })
  }

  #heard(data: string | ArrayBuffer): void {
    this.#heardAt = performance.now()
    if (typeof data !== 'string') {
      this.#events.audio(data)
      return
    }
    const message = JSON.parse(data) as Outbound
    switch (message.kind) {
      case 'welcome':
        this.#visit = { call: message.call, secret: message.secret }
        this.#known = true
        this.#tries = 0
        this.#pingedAt = 0
        this.#become('open')
        break
      case 'pong':
        this.roundTripMs = performance.now() - message.at
        return
      case 'refused':
        // The visit was over before we were back: as somebody new, then.
        if (message.why === 'gone') {
          this.#visit = undefined
          return
        }
        if (this.#known && this.#events.asksAgain(message.why)) return
        this.#over()
        break
      case 'ended':
        // What failed, or is started anew, may be back in a moment.
        if (message.why !== 'failed' && message.why !== 'server') this.#over()
        break
      default:
    }
    this.#events.message(message)
  }

  #over(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close(1000)
    this.#become('over')
  }

  #drop(): void {
    const now = performance.now()
    if (this.#line === 'open') this.#cutAt = now
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
    if (now - this.#cutAt > PATIENCE_MS) {
      this.#events.lost()
      this.#become('over')
      return
    }
    this.#become('waiting')
    const wait = RETRY_MS[Math.min(this.#tries++, RETRY_MS.length - 1)]!
    this.#timer = setTimeout(() => this.#connect('waiting'), wait * (0.75 + Math.random() / 2))
  }

  #become(line: Line): void {
    if (this.#line === line) return
    this.#line = line
    this.#events.line(line)
  }
}
