import { type BackoffPolicy, backoffMs } from '../../common/backoff.ts'

/** One server-sent event. */
export interface StreamEvent {
  readonly type: string
  readonly data: string
  /** ID of this event, or the latest ID before it. */
  readonly id: string
}

/**
 * Parses server-sent events (WHATWG HTML, “Parsing an event stream”) from text in any pieces. The browsers’ EventSource
 * cannot send headers, so the token would have to be in the URL.
 */
export class SseLines {
  #rest = ''
  #type = ''
  #data: string[] = []
  #id: string

  /** `lastId` is the last ID of the previous connection. */
  constructor(lastId = '') {
    this.#id = lastId
  }

  /** Returns the events that `piece` completes. */
  push(piece: string): StreamEvent[] {
    const text = this.#rest + piece
    const lines = text.split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() ?? ''
    const events: StreamEvent[] = []
    for (const line of lines) {
      if (line === '') this.#complete(events)
      else this.#field(line)
    }
    return events
  }

  #complete(events: StreamEvent[]): void {
    if (this.#data.length > 0)
      events.push({ type: this.#type || 'message', data: this.#data.join('\n'), id: this.#id })
    this.#type = ''
    this.#data = []
  }

  #field(line: string): void {
    const at = line.indexOf(':')
    const name = at < 0 ? line : line.slice(0, at)
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '')
    if (name === 'data') this.#data.push(value)
    else if (name === 'event') this.#type = value
    else if (name === 'id' && !value.includes('\0')) this.#id = value
  }
}

export interface EventStreamOptions {
  /** Requests the stream after the event with ID `lastId` ('' at first). Rejects if it cannot be opened. */
  readonly open: (lastId: string, signal: AbortSignal) => Promise<Response>
  /** Maximum silence of a working connection (ms). */
  readonly silenceMs: number
  readonly reconnect: BackoffPolicy
  readonly events: {
    opened(): void
    event(event: StreamEvent): void
    /**
     * The stream could not be opened, was interrupted (`error`) or ended (undefined). Returns the minimum delay before
     * the next attempt (ms); undefined: none until `start`.
     */
    lost(error: unknown): number | undefined
  }
}

/** Receives server-sent events over any number of connections. */
export class EventStreamClient {
  readonly #options: EventStreamOptions
  #lastId = ''
  #tries = 0
  #abort: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: EventStreamOptions) {
    this.#options = options
  }

  /** Connects, again if it is connected. */
  start(): void {
    this.stop()
    void this.#connect()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#abort?.abort()
    this.#abort = undefined
  }

  /** Reconnects without delay, when the network is back or the page is visible again. */
  hurry(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    void this.#connect()
  }

  async #connect(): Promise<void> {
    this.#timer = undefined
    const abort = new AbortController()
    this.#abort = abort
    const { open, events, reconnect } = this.#options
    const error = await open(this.#lastId, abort.signal)
      .then(response => this.#read(response, abort))
      .catch((reason: unknown) => reason ?? new Error('no reason'))
    if (this.#abort !== abort) return
    const leastMs = events.lost(error)
    if (leastMs === undefined) return
    // A delay that the server asks for gets jitter too, so that readers do not all reconnect at once.
    const delayMs = Math.max(backoffMs(++this.#tries, reconnect), leastMs * (1 + Math.random() / 2))
    this.#timer = setTimeout(() => void this.#connect(), delayMs)
  }

  /** Settles when the stream ends. Rejects when it is interrupted or silent for too long. */
  async #read({ body }: Response, abort: AbortController): Promise<void> {
    const { events, silenceMs } = this.#options
    if (!body || this.#abort !== abort) return
    this.#tries = 0
    events.opened()
    const reader = body.getReader()
    const decoder = new TextDecoder()
    const lines = new SseLines(this.#lastId)
    for (;;) {
      const watchdog = setTimeout(() => abort.abort(), silenceMs)
      const { value, done } = await reader.read().finally(() => clearTimeout(watchdog))
      if (done) return
      for (const event of lines.push(decoder.decode(value, { stream: true }))) {
        if (this.#abort !== abort) return
        this.#lastId = event.id
        events.event(event)
      }
    }
  }
}
