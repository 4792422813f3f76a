import { type Clock, setTimer } from '../../../common/clock.ts'
import { concat, durationMs } from '../../../transcode/pcm.ts'

export interface PacedAudioOptions {
  readonly clock: Clock
  /** Hz */
  readonly rate: number
  /** Maximum length of a message (ms). */
  readonly mostMs: number
  /** Maximum speed, as a multiple of real time: the next message follows after its share of the duration. */
  readonly fastest: number
}

/** A message a little later than allowed arrives in time even if the network delays the one before it. */
const MARGIN_MS = 10

/**
 * Sends audio in messages, none of them sooner after the previous one than the service allows. Waiting audio is
 * joined to longer messages. The caller limits its amount.
 */
export class PacedAudio {
  readonly #options: PacedAudioOptions
  readonly #send: (pcm: Int16Array) => void
  #waiting: Int16Array[] = []
  #nextAt = Number.NEGATIVE_INFINITY
  #timer: Disposable | undefined
  #sentMs = 0

  constructor(options: PacedAudioOptions, send: (pcm: Int16Array) => void) {
    this.#options = options
    this.#send = send
  }

  /** Audio sent so far (ms). */
  get sentMs(): number {
    return this.#sentMs
  }

  /** Sends `pcm` now or later; copies it. */
  write(pcm: Int16Array): void {
    this.#waiting.push(pcm.slice())
    if (!this.#timer) this.#next()
  }

  /** Drops what waits. Idempotent. */
  close(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    this.#waiting = []
  }

  #next(): void {
    this.#timer = undefined
    const { clock, rate, mostMs, fastest } = this.#options
    const now = clock.now()
    if (this.#waiting.length === 0) return
    if (now < this.#nextAt) {
      this.#timer = setTimer(clock, this.#nextAt - now, () => this.#next())
      return
    }
    const all = concat(this.#waiting)
    const piece = all.subarray(0, (rate * mostMs) / 1_000)
    this.#waiting = piece.length < all.length ? [all.slice(piece.length)] : []
    const ms = durationMs(piece.length, rate)
    this.#sentMs += ms
    this.#nextAt = now + ms / fastest + MARGIN_MS
    this.#send(piece)
    this.#next()
  }
}
