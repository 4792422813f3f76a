import type { FastifyReply } from 'fastify'
import { SECURITY_HEADERS } from '../net/security-headers.ts'
import type { CaptionOutlet } from './captions/caption-reader.ts'

/** A response that stays open for server-sent events. Data written before `open` is sent with it. */
export class ResponseOutlet implements CaptionOutlet {
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
