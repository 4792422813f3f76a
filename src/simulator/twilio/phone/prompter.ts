import { after, type Clock } from '../../../common/clock.ts'
import { encodeMulaw } from '../../../transcode/g711.ts'
import { PHONE_RATE, type Recording } from './recording.ts'
import { PACKET_BYTES, PACKET_MS } from './voice.ts'

/** Audio that Twilio itself plays to the participant between streams, in real time. */
export class Prompter {
  readonly #clock: Clock
  readonly #recording: Recording | undefined

  constructor(clock: Clock, recording: Recording | undefined) {
    this.#clock = clock
    this.#recording = recording
  }

  /** Plays `pcm` (8 kHz mono). Settles when it has been played or `signal` aborts it; never rejects. */
  async play(pcm: Int16Array, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const began = this.#clock.now()
    for (let at = 0; at < pcm.length; at += PACKET_BYTES) {
      const mulaw = Buffer.alloc(Math.min(PACKET_BYTES, pcm.length - at))
      encodeMulaw(pcm.subarray(at, at + mulaw.length), mulaw)
      const due = began + (at / PACKET_BYTES) * PACKET_MS
      this.#recording?.add(due, mulaw.length, mulaw.toString('base64'))
    }
    await this.wait((pcm.length * 1000) / PHONE_RATE, signal)
    if (signal.aborted) this.#recording?.cut(this.#clock.now())
  }

  /** Waits for `ms`, or until `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise(resolve => {
      const timer = after(this.#clock, ms, () => {
        signal.removeEventListener('abort', abort)
        resolve()
      })
      const abort = () => {
        timer[Symbol.dispose]()
        resolve()
      }
      signal.addEventListener('abort', abort, { once: true })
    })
  }
}
