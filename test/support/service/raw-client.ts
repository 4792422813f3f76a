import { WebSocket } from 'ws'

/** A received Socket.IO packet: its type, its number if any, and its content. */
interface Packet {
  readonly type: number
  readonly id: number | undefined
  readonly data: unknown
}

/** Raw Socket.IO on one namespace: sends any packets, valid or not. */
export class RawClient {
  /** Received events, in order. */
  readonly events: { name: string; payload: unknown }[] = []
  /** Acknowledgments, by the number of the event. */
  readonly acks = new Map<number, unknown[]>()
  /** The reason why the connection was refused. */
  refusal: unknown
  /** The service has ended the session. */
  left = false
  closed = false
  readonly #socket: WebSocket
  readonly #namespace: string
  #waiting: (() => void)[] = []
  #number = 0

  constructor(url: string, namespace: string, token: string, query: URLSearchParams) {
    const all = new URLSearchParams([['EIO', '4'], ['transport', 'websocket'], ...query])
    this.#namespace = namespace
    this.#socket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?${all}`)
    this.#socket.on('message', (data, binary) => {
      if (!binary) this.#read(String(data), token)
      this.#wake()
    })
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => {
      this.closed = true
      this.#wake()
    })
  }

  /** Raw bytes of a websocket message; strings are sent as text. */
  say(message: string | Uint8Array): void {
    this.#socket.send(message)
  }

  /** A packet of Socket.IO for the namespace; `more` precedes its name, `rest` follows it. */
  packet(type: number, rest: string, more = ''): void {
    this.say(`4${type}${more}${this.#namespace},${rest}`)
  }

  /** An event that requests an acknowledgment; returns its number. `attachments` follow it. */
  event(json: string, attachments: readonly Uint8Array[] = [], said = attachments.length): number {
    const id = ++this.#number
    this.packet(said > 0 ? 5 : 2, `${id}${json}`, said > 0 ? `${said}-` : '')
    for (const each of attachments) this.say(each)
    return id
  }

  /** Waits for `done`, at most `ms`; returns true if it happened. */
  async until(done: () => boolean, ms = 30_000): Promise<boolean> {
    const late = performance.now() + ms
    while (!done()) {
      const left = late - performance.now()
      if (left <= 0) return false
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, left)
        this.#waiting.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
    return true
  }

  /** Payloads of the `error` events so far. */
  get errors(): unknown[] {
    return this.events.filter(({ name }) => name === 'error').map(({ payload }) => payload)
  }

  heard(name: string): boolean {
    return this.events.some(event => event.name === name)
  }

  close(): void {
    this.#socket.terminate()
  }

  #read(text: string, token: string): void {
    if (text === '2') this.say('3')
    if (text.startsWith('0')) this.packet(0, JSON.stringify({ token }))
    if (!text.startsWith('4')) return
    const { type, id, data } = parsed(text)
    if (type === 1) this.left = true
    if (type === 2 || type === 5) this.#event(data as [string, unknown])
    if (type === 3 && id !== undefined) this.acks.set(id, data as unknown[])
    if (type === 4) this.refusal = (data as { data?: unknown }).data ?? data
  }

  #event([name, payload]: [string, unknown]): void {
    this.events.push({ name, payload })
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }
}

function parsed(text: string): Packet {
  const found = /^4(\d)(?:\d+-)?(?:\/[^,]*,?)?(\d*)(.*)$/s.exec(text)
  const [, type = '', id = '', json = ''] = found ?? []
  return {
    type: Number(type),
    id: id === '' ? undefined : Number(id),
    data: json === '' ? undefined : JSON.parse(json),
  }
}
