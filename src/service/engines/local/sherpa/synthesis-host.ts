import type { Reply } from './messages.ts'
import type { OfflineTts } from './native-package.ts'

/** A text in pieces, and its voice. */
interface SpokenText {
  readonly texts: readonly string[]
  readonly speaker: number
  readonly speed: number
}

/** A text whose remaining pieces wait. */
interface Speaking extends SpokenText {
  readonly rest: string[]
  /** Some of it could be spoken. */
  audible: boolean
}

/** Error of the library for a text without a word that the voice can pronounce, such as an emoji. */
const NO_AUDIO = /produced no audio/

/**
 * Speaks texts in the process of the model, one piece of text at a time on a thread of libuv's pool. Pieces of different
 * texts alternate, so a short text does not wait for a long one.
 */
export class SynthesisHost {
  readonly #tts: OfflineTts
  readonly #reply: Reply
  readonly #speaking = new Map<number, Speaking>()
  #running = false

  constructor(tts: OfflineTts, reply: Reply) {
    this.#tts = tts
    this.#reply = reply
  }

  speak(speech: number, text: SpokenText): void {
    this.#speaking.set(speech, { ...text, rest: [...text.texts], audible: false })
    void this.#run()
  }

  /** Ends a text after its current sentence; the rest of it is not sent. */
  stop(speech: number): void {
    this.#speaking.delete(speech)
  }

  async #run(): Promise<void> {
    if (this.#running) return
    this.#running = true
    for (let next = this.#next(); next; next = this.#next()) await this.#piece(...next)
    this.#running = false
  }

  #next(): [number, Speaking] | undefined {
    const [first] = this.#speaking
    return first
  }

  async #piece(speech: number, speaking: Speaking): Promise<void> {
    const text = speaking.rest.shift()
    let failed = false
    try {
      if (text !== undefined) await this.#generate(speech, speaking, text)
    } catch (error) {
      failed = !NO_AUDIO.test((error as Error).message)
    }
    // Stopped in the meantime, or moved to the end of the queue.
    if (!this.#speaking.delete(speech)) return
    const ends = failed || speaking.rest.length === 0
    if (!ends) this.#speaking.set(speech, speaking)
    else if (!failed && speaking.audible) this.#reply({ type: 'spoken', speech })
    // Without details: the message of the library can contain the text.
    else
      this.#reply({
        type: 'unspoken',
        speech,
        message: failed ? 'could not speak a text' : 'cannot pronounce a text',
      })
  }

  async #generate(speech: number, speaking: Speaking, text: string): Promise<void> {
    await this.#tts.generateAsync({
      text,
      sid: speaking.speaker,
      speed: speaking.speed,
      enableExternalBuffer: false,
      onProgress: ({ samples }) => {
        if (!this.#speaking.has(speech)) return false
        speaking.audible = true
        this.#reply({ type: 'speech', speech, pcm: linear16(samples) })
        return true
      },
    })
  }
}

function linear16(samples: Float32Array): Int16Array {
  const pcm = new Int16Array(samples.length)
  for (const [n, sample] of samples.entries())
    pcm[n] = Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_767)))
  return pcm
}
