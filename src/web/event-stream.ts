import type { FastifyReply } from 'fastify'
import { SECURITY_HEADERS } from '../net/http-hardening.ts'

/** Destination of a reader’s events: an open response. */
export interface EventSink {
  write(text: string): void
  /** Bytes written and not yet accepted by the network. */
  readonly unread: number
  /** Ends the response normally. */
  end(): void
  /** Closes the connection. */
  destroy(): void
}

/** A response that stays open for server-sent events. Data written before `open` is sent with it. */
export class EventStreamResponse implements EventSink {
  readonly #reply: FastifyReply
  #before: string | undefined = ''
  #ended = false

  constructor(reply: FastifyReply) {
    this.#reply = reply
  }

  get unread(): number {
    return this.#reply.raw.writableLength
  }

  /**
   * Takes the response over from the framework. `gone` is called once, when the peer disconnects or the response ends.
   */
  open(gone: () => void): void {
    const { raw } = this.#reply.hijack()
    raw.on('close', gone)
    raw.on('error', () => raw.destroy())
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      ...SECURITY_HEADERS,
      // Makes nginx forward each event immediately.
      'x-accel-buffering': 'no',
    })
    raw.write(this.#before)
    this.#before = undefined
    if (this.#ended) raw.end()
  }

  write(text: string): void {
    if (this.#before === undefined) this.#reply.raw.write(text)
    else this.#before += text
  }

  end(): void {
    this.#ended = true
    if (this.#before === undefined) this.#reply.raw.end()
  }

  destroy(): void {
    this.#reply.raw.destroy()
  }
}

/** Server-sent events as text (WHATWG HTML, “Server-sent events”). */

/** Formats an event. `data` is sent as JSON, which contains no line breaks. */
export function sseEvent(name: string, data: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Keeps proxies from closing a silent connection; readers ignore it. */
export const SSE_HEARTBEAT = ': \n\n'

/** Sets how long readers wait before they reconnect. */
export function sseRetry(ms: number): string {
  return `retry: ${ms}\n\n`
}
