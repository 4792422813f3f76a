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
