import { type BackoffPolicy, backoffMs } from '../../../common/backoff.ts'
import { fromRoot } from '../../../pages/page/dom.ts'
import type { Outbound } from '../protocol.ts'
import type { ConnectionState } from './call-state.ts'
import type { Visit } from './visit-memory.ts'

/** The first message of a visit. */
export interface Hello {
  readonly kind: 'hello'
  readonly link?: string | undefined
  readonly code?: string | undefined
  /** Name and choices. */
  readonly [choice: string]: unknown
}

export interface ConnectionEvents {
  /** Returns the first message: the user’s name and choices. */
  hello(): Hello
  message(message: Outbound): void
  audio(packet: ArrayBuffer): void
  line(line: ConnectionState): void
  /** The visit can be continued with these credentials, by this page or another one of the same user. */
  visit(visit: Omit<Visit, 'until'>, endsInMs: number): void
  /** Reconnecting is abandoned: the server is not reachable (`lost`), or the call ended meanwhile (`gone`). */
  abandoned(why: 'lost' | 'gone'): void
}

/** Time without data after which the connection is considered dead (ms). */
const DEAD_MS = 5_000
const PING_MS = 2_000
const RECONNECT: BackoffPolicy = { firstMs: 250, maxMs: 3_000 }
/** Delay before following a room to another server: hardly any at first. */
const FOLLOW: BackoffPolicy = { firstMs: 20, maxMs: 1_000 }
/** Reconnecting is abandoned after this many attempts: two minutes, in which the device does not sleep. */
const MOST_TRIES = 45
/** Unsent bytes above which audio is dropped, because late speech is useless (2 s). */
const MOST_UNSENT = 65_536

/** The page’s socket. After a disconnection it reconnects automatically and resumes the session. */
export class Connection {
  readonly #events: ConnectionEvents
  #socket: WebSocket | undefined
  #session: { readonly call: string; readonly secret: string } | undefined
  /** Path of the server of the fleet that has the room; empty: any. */
  #node = ''
  /** Link to the room, for a new session at another server of the fleet. */
  #rejoin: string | undefined
  #line: ConnectionState = 'over'
  #tries = 0
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

  get line(): ConnectionState {
    return this.#line
  }

  /** Begins a visit, or continues `visit`. */
  open(visit?: Visit): void {
    this.#session = visit && { call: visit.call, secret: visit.secret }
    this.#node = ''
    this.#rejoin = visit?.rejoin
    this.#known = visit !== undefined
    this.#tries = 0
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

  #connect(line: ConnectionState): void {
    const url = fromRoot(`${this.#node}talk/socket`)
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    const socket = new WebSocket(url)
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    this.#heardAt = performance.now()
    this.#become(line)
    socket.addEventListener('open', () => {
      const hello = this.#hello()
      socket.send(JSON.stringify(this.#session ? { kind: 'resume', ...this.#session, hello } : hello))
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
        this.#events.visit({ ...this.#session, rejoin: message.rejoin }, message.endsInMs)
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
        // The visit is over, but a link can still lead to its room.
        if (message.why === 'gone' && this.#leadsBack) {
          this.#session = undefined
          this.#node = ''
          return
        }
        if (this.#known) {
          // A restarting server rejects everyone for a moment.
          if (message.why === 'busy') return
          if (message.why === 'gone' || message.why === 'link' || message.why === 'code') {
            this.#events.abandoned('gone')
            this.#over()
            return
          }
        }
        this.#over()
        break
      case 'ended':
        // The reason first, because it decides what the page offers next.
        this.#events.message(message)
        // After a failure or a restart, the server may soon be available again.
        if (message.why !== 'failed' && message.why !== 'server') this.#over()
        return
      default:
    }
    this.#events.message(message)
  }

  /** Introduces the user, who is possibly known to another server of the fleet. */
  #hello(): Hello {
    const hello = this.#events.hello()
    return this.#rejoin === undefined ? hello : { ...hello, link: this.#rejoin, code: undefined }
  }

  /** True if a new visit enters the same room, not a new one. */
  get #leadsBack(): boolean {
    const { link, code } = this.#hello()
    return link !== undefined || code !== undefined
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
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
    if (this.#tries >= MOST_TRIES) {
      this.#events.abandoned('lost')
      this.#become('over')
      return
    }
    this.#become('waiting')
    this.#timer = setTimeout(() => this.#connect('waiting'), backoffMs(++this.#tries, RECONNECT))
  }

  #become(line: ConnectionState): void {
    if (this.#line === line) return
    this.#line = line
    this.#events.line(line)
  }
}

/** Returns the token of a link to a room, which follows `#`. `src/pages/page-document.ts` creates these links. */
export function joinToken(address: string): string | undefined {
  return /#join=([\w-]+)$/.exec(address)?.[1]
}
