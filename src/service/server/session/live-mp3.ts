import { createMp3, type Mp3Encoder, type Mp3Rate } from '../../../transcode/mp3/encoder.ts'

/** An mp3 of indefinite length, made of speech and requested silence. */
export class LiveMp3 {
  readonly #to: Mp3Rate
  #encoder: Mp3Encoder
  /** Input sample rate of the encoder (Hz). */
  #from: number
  #positionMs = 0
  #finished = false

  private constructor(encoder: Mp3Encoder, to: Mp3Rate) {
    this.#encoder = encoder
    this.#from = to
    this.#to = to
  }

  /** Creates an mp3 of `rate` Hz. */
  static async create(rate: Mp3Rate): Promise<LiveMp3> {
    return new LiveMp3(await createMp3(rate, rate), rate)
  }

  /** Duration of the input so far; up to the last 0.1 s of it can still be in the encoder. */
  get positionMs(): number {
    return this.#positionMs
  }

  /**
   * Prepares for speech at `rate` Hz; returns the bytes that became ready. An encoder has a fixed rate, so a new one
   * takes over: frames of the same kind follow, with some hundredths of a second of silence at the joint.
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

  /** Adds speech at the rate last passed to `tune`; returns the bytes that became ready. */
  speech(pcm: Int16Array): Uint8Array {
    if (this.#finished) return new Uint8Array(0)
    this.#positionMs += (pcm.length / this.#from) * 1000
    return this.#encoder.encode(pcm)
  }

  silence(ms: number): Uint8Array {
    return this.speech(new Int16Array(Math.ceil((ms * this.#from) / 1000)))
  }

  /** Returns the last bytes; later input is ignored. */
  finish(): Uint8Array {
    if (this.#finished) return new Uint8Array(0)
    this.#finished = true
    return this.#encoder.finish()
  }
}
