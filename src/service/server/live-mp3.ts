import { createMp3, type Mp3Encoder, type Mp3Rate } from './engines/mp3-encoder.ts'

/** One mp3 without an end in sight: speech where there is some, silence where it is asked for. */
export class LiveMp3 {
  readonly #to: Mp3Rate
  #encoder: Mp3Encoder
  /** Rate of the PCM that the encoder takes now (Hz). */
  #from: number
  #positionMs = 0
  #finished = false

  private constructor(encoder: Mp3Encoder, to: Mp3Rate) {
    this.#encoder = encoder
    this.#from = to
    this.#to = to
  }

  /** An mp3 of `rate` Hz. */
  static async create(rate: Mp3Rate): Promise<LiveMp3> {
    return new LiveMp3(await createMp3(rate, rate), rate)
  }

  /** Length of what went in so far; the last tenth of a second of it may still be in the encoder. */
  get positionMs(): number {
    return this.#positionMs
  }

  /**
   * Gets ready for speech at `rate` Hz; answers the bytes that became ready. The encoder keeps one rate, so another
   * one takes over: frames of the same kind go on, with some hundredths of a second of silence at the joint.
   */
  async tune(rate: number): Promise<Uint8Array> {
    if (rate === this.#from) return new Uint8Array(0)
    const next = await createMp3(rate, this.#to)
    if (this.#finished) return new Uint8Array(0)
    const rest = this.#encoder.finish()
    this.#encoder = next
    this.#from = rate
    return rest
  }

  /** Adds speech of the rate last tuned to; answers the bytes that became ready. */
  speech(pcm: Int16Array): Uint8Array {
    if (this.#finished) return new Uint8Array(0)
    this.#positionMs += (pcm.length / this.#from) * 1000
    return this.#encoder.encode(pcm)
  }

  silence(ms: number): Uint8Array {
    return this.speech(new Int16Array(Math.ceil((ms * this.#from) / 1000)))
  }

  /** The last bytes; what comes later is ignored. */
  finish(): Uint8Array {
    if (this.#finished) return new Uint8Array(0)
    this.#finished = true
    return this.#encoder.finish()
  }
}
