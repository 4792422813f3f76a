import type { FastifyReply } from 'fastify'
import { SECURITY_HEADERS } from '../../guard/security-headers.ts'
import type { PhoneEar } from './simulated-calls.ts'

/** What may wait for a listener (bytes): a second of sound. More is left out, so that what is heard is not long ago. */
const MOST_UNREAD = 16_000

/** A response that stays open and carries what a simulated phone hears: 16 bit little-endian, mono, `SOUND_RATE`. */
export class SoundOutlet implements PhoneEar {
  /** Pieces that were left out. */
  skipped = 0
  readonly #reply: FastifyReply
  #open = false

  constructor(reply: FastifyReply) {
    this.#reply = reply
  }

  /** Takes the response over from the framework. `gone` is called once it has ended. */
  open(gone: () => void): void {
    const { raw } = this.#reply.hijack()
    raw.on('close', gone)
    raw.on('error', () => raw.destroy())
    raw.writeHead(200, {
      'content-type': 'application/octet-stream',
      'cache-control': 'no-store',
      ...SECURITY_HEADERS,
      'x-accel-buffering': 'no',
    })
    raw.flushHeaders()
    this.#open = true
  }

  hear(pcm: Int16Array): void {
    const { raw } = this.#reply
    if (!this.#open) return
    if (raw.writableLength > MOST_UNREAD) this.skipped++
    // A copy: the network takes it later.
    else raw.write(Buffer.from(Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength)))
  }

  end(): void {
    this.#reply.raw.end()
  }
}
