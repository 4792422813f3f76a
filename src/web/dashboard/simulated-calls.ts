import type { FastifyReply } from 'fastify'
import { SECURITY_HEADERS } from '../../net/http-hardening.ts'
import type { RecordingView, SimulatedCallView, SimulatedOrder } from './protocol.ts'

/** Receives live what a simulated phone hears. */
export interface PhoneListener {
  /** Mono, 16 bit, `SOUND_RATE`; about ten times a second, including silence. Only valid during the call. */
  hear(pcm: Int16Array): void
  /** The phone has hung up. Called once. */
  end(): void
}

/** Simulated phones in calls to this server. Only they can be listened to, because no person would have to consent. */
export interface SimulatedCalls {
  /** Calls in progress. */
  readonly calls: readonly SimulatedCallView[]
  recordings(): Promise<readonly RecordingView[]>
  /** Rejects with `ControlError`: `capacity`, `value_not_allowed`, `not_now`. */
  place(order: SimulatedOrder): Promise<SimulatedCallView>
  /** Resolves to false if there is no such call. */
  end(id: string): Promise<boolean>
  /** Returns undefined if the phone does not exist or has too many listeners. Disposing stops it. */
  listen(id: string, phone: number, listener: PhoneListener): Disposable | undefined
  /** Returns the simulated call to which the peer’s `call` belongs. */
  phoneOf(call: string | undefined): { readonly call: string; readonly phone: number } | null
}

/** Maximum unread bytes of a listener: a second of audio. More is skipped to stay live. */
const MOST_UNREAD = 16_000

/** A response that stays open with the audio that a simulated phone hears: 16 bit little-endian, mono, `SOUND_RATE`. */
export class SoundOutlet implements PhoneListener {
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
