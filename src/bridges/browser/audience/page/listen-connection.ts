import { type BackoffPolicy, backoffMs } from '../../../../common/backoff.ts'
import { fromRoot } from '../../../../pages/page/dom.ts'
import type { ListenerRefused, ToListener } from '../protocol.ts'

/** `over`: the link is not valid any longer; the page does not try again. */
export type ListenLine = 'connecting' | 'open' | 'again' | 'over'

export interface ListenConnectionEvents {
  /** Returns the first message. */
  hello(): object
  message(message: ToListener): void
  audio(packet: ArrayBuffer): void
  line(line: ListenLine): void
}

const PING_MS = 5_000
/** Time without data after which the connection is considered dead (ms). */
const DEAD_MS = 15_000
/** A server that restarts has hundreds of listeners, who return over some seconds. */
const RECONNECT: BackoffPolicy = { firstMs: 1_000, maxMs: 15_000, jitter: 0.8 }
const FOLLOW: BackoffPolicy = { firstMs: 20, maxMs: 1_000 }

/** The socket of a listener. It reconnects until the link is over: events take hours, and phones lose networks. */
export class ListenConnection {
  readonly #events: ListenConnectionEvents
  #socket: WebSocket | undefined
  /** Path of the server of the fleet that has the room; empty: any. */
  #node = ''
  #tries = 0
  #heardAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #line: ListenLine = 'connecting'

  constructor(events: ListenConnectionEvents) {
    this.#events = events
    this.#watchAgain()
  }

  open(): void {
    clearTimeout(this.#timer)
    const url = fromRoot(`${this.#node}listen/socket`)
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    const socket = new WebSocket(url)
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    this.#heardAt = performance.now()
    socket.onopen = () => socket.send(JSON.stringify(this.#events.hello()))
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (this.#socket !== socket) return
      this.#heardAt = performance.now()
      if (typeof data === 'string') this.#told(JSON.parse(data) as ToListener)
      else this.#events.audio(data)
    }
    socket.onclose = () => this.#socket === socket && this.#lost()
  }

  say(message: object): void {
    if (this.#line === 'open') this.#socket?.send(JSON.stringify(message))
  }

  /** Reconnects at once, since the network is back or the page is looked at again. */
  hurry(): void {
    if (this.#line === 'again' && !this.#socket) this.open()
    else this.#watch()
  }

  #told(message: ToListener): void {
    switch (message.kind) {
      case 'welcome':
        this.#tries = 0
        this.#become('open')
        break
      case 'moved':
        this.#node = message.path
        this.#again(FOLLOW)
        return
      case 'refused':
        if (isFinal(message.why)) this.#end()
        break
      case 'ended':
        if (message.why === 'link') this.#end()
        break
      default:
    }
    this.#events.message(message)
  }

  #watchAgain(): void {
    setTimeout(() => {
      this.#watch()
      this.#watchAgain()
    }, PING_MS)
  }

  /** The server has the last word on the end; a page without signs of life from it reconnects. */
  #watch(): void {
    if (!this.#socket) return
    if (performance.now() - this.#heardAt > DEAD_MS) this.#lost()
    else this.say({ kind: 'ping', at: Math.round(performance.now()) })
  }

  #lost(): void {
    // A server of a fleet can have ended: any other one knows where the room is.
    this.#node = ''
    this.#again(RECONNECT)
  }

  #again(policy: BackoffPolicy): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
    if (this.#line === 'over') return
    this.#become('again')
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.open(), backoffMs(++this.#tries, policy))
  }

  #end(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
    this.#become('over')
  }

  #become(line: ListenLine): void {
    if (this.#line === line) return
    this.#line = line
    this.#events.line(line)
  }
}

function isFinal(why: ListenerRefused): boolean {
  return why === 'link'
}
