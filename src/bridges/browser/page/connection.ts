import { type BackoffPolicy, backoffMs } from '../../../common/backoff.ts'
import { fromRoot } from '../../../pages/page/dom.ts'
import type { Outbound, Refused } from '../protocol.ts'
import type { Line } from './call-state.ts'

export interface ConnectionEvents {
  /** Returns the first message: the user’s name and choices. */
  hello(): object
  message(message: Outbound): void
  audio(packet: ArrayBuffer): void
  line(line: Line): void
  /** Returns whether to keep trying after a user admitted earlier is rejected. */
  asksAgain(why: Refused): boolean
  /** Called when reconnecting is abandoned. */
  lost(): void
}

/** The server keeps a session this long after a disconnection (ms). */
const KEPT_MS = 10_000
/** Time without data after which the connection is considered dead (ms). */
const DEAD_MS = 5_000
const PING_MS = 2_000
const RECONNECT: BackoffPolicy = { firstMs: 250, maxMs: 3_000 }
/** Delay before following a room to another server: hardly any at first. */
const FOLLOW: BackoffPolicy = { firstMs: 20, maxMs: 1_000 }
/** Reconnecting is abandoned after this time (ms). */
const PATIENCE_MS = 120_000
/** Unsent bytes above which audio is dropped, because late speech is useless (2 s). */
const MOST_UNSENT = 65_536

/** The page’s socket. After a disconnection it reconnects automatically and resumes the session. */
export class Connection {
  readonly #events: ConnectionEvents
  #socket: WebSocket | undefined
  #session: { call: string; secret: string } | undefined
  /** Path of the server of the fleet that has the room; empty: any. */
  #node = ''
  /** Link to the room, for a new session at another server of the fleet. */
  #rejoin: string | undefined
  #line: Line = 'over'
  #tries = 0
  #cutAt = 0
  #heardAt = 0
  #pingedAt = 0
  /** Was admitted before and is rejoining. */
  #known = false
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Round-trip time (ms). */
  roundTripMs = 0

  constructor(events: ConnectionEvents) {
    this.#events = events
  }

  get line(): Line {
    return this.#line
  }

  open(): void {
    this.#session = undefined
    this.#node = ''
    this.#rejoin = undefined
    this.#known = false
    this.#tries = 0
    this.#cutAt = performance.now()
    this.#connect('connecting')
  }

  say(message: object): void {
    if (this.#line === 'open') this.#socket?.send(JSON.stringify(message))
  }

  /** Sends one audio message, unless too much is unsent. */
  sendAudio(packet: ArrayBuffer): void {
    if (this.#line === 'open' && this.#socket && this.#socket.bufferedAmount < MOST_UNSENT)
      this.#socket.send(packet)
  }

  /**
   * Checks that the server still responds. Called with every frame, because browsers throttle timers in the
   * background, but not audio.
   */
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

  /** Reconnects immediately instead of waiting, since the network is reported to be available. */
  hurry(): void {
    if (this.#line !== 'waiting') return
    clearTimeout(this.#timer)
    this.#connect('waiting')
  }

  /** Says goodbye and stops reconnecting. */
  close(): void {
    this.say({ kind: 'bye' })
    this.#become('over')
    clearTimeout(this.#timer)
    const socket = this.#socket
    this.#socket = undefined
    socket?.close(1000)
  }

  #connect(line: Line): void {
    const url = fromRoot(`${this.#node}talk/socket`)
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    const socket = new WebSocket(url)
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    this.#heardAt = performance.now()
    this.#become(line)
    socket.addEventListener('open', () => {
      const kept = this.#session && performance.now() - this.#cutAt < KEPT_MS
      socket.send(JSON.stringify(kept ? { kind: 'resume', ...this.#session } : this.#hello()))
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
        this.#session = { call: message.call, secret: message.secret }
        this.#rejoin = message.rejoin
        this.#known = true
        this.#tries = 0
        this.#pingedAt = 0
        this.#become('open')
        break
      case 'moved':
        this.#follow(message.path)
        return
      case 'pong':
        this.roundTripMs = performance.now() - message.at
        return
      case 'refused':
        // The session ended before we reconnected: start a new one.
        if (message.why === 'gone') {
          this.#session = undefined
          this.#node = ''
          return
        }
        if (this.#known && this.#events.asksAgain(message.why)) return
        this.#over()
        break
      case 'ended':
        // After a failure or a restart, the server may soon be available again.
        if (message.why !== 'failed' && message.why !== 'server') this.#over()
        break
      default:
    }
    this.#events.message(message)
  }

  /** Introduces the user, who is possibly known to another server of the fleet. */
  #hello(): object {
    const hello = this.#events.hello()
    return this.#rejoin === undefined ? hello : { ...hello, link: this.#rejoin, code: undefined }
  }

  /** Connects to the server of the fleet that has the room. */
  #follow(path: string): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close(1000)
    this.#session = undefined
    this.#node = /^n\/[a-z0-9-]{1,32}\/$/.test(path) ? path : ''
    // Waits, in case two servers redirect to each other.
    this.#become('waiting')
    this.#timer = setTimeout(() => this.#connect('waiting'), backoffMs(++this.#tries, FOLLOW))
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
    this.#timer = setTimeout(() => this.#connect('waiting'), backoffMs(++this.#tries, RECONNECT))
  }

  #become(line: Line): void {
    if (this.#line === line) return
    this.#line = line
    this.#events.line(line)
  }
}

/** Returns the token of a link to a room, which follows `#`. `src/pages/page-document.ts` creates these links. */
export function joinToken(address: string): string | undefined {
  return /#join=([\w-]+)$/.exec(address)?.[1]
}
