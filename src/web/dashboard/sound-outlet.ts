import type { FastifyReply } from 'fastify'
import { SECURITY_HEADERS } from '../../net/security-headers.ts'
import type { PhoneEar } from './simulated-calls.ts'

/** Maximum unread bytes of a listener: a second of audio. More is skipped to stay live. */
const MOST_UNREAD = 16_000

/** A response that stays open with the audio that a simulated phone hears: 16 bit little-endian, mono, `SOUND_RATE`. */
export class SoundOutlet implements PhoneEar {
  /** Chunks skipped. */
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
    // A copy, because the network reads it later.
    else raw.write(Buffer.from(Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength)))
  }

  end(): void {
    this.#reply.raw.end()
  }
}
