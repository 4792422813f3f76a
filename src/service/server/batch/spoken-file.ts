import { createMp3, type Mp3Encoder, type Mp3Rate } from '../../../transcode/mp3/encoder.ts'
import type { OfferedVoice } from '../engines/engine-set.ts'
import { ServiceError } from '../service-error.ts'
import type { JobContext } from './job-limits.ts'
import { linesOfSentences } from './sentences.ts'

/** Pause after a sentence (ms). */
const PAUSE_MS = 250

/** Synthesizes texts one after the other into one mp3, sentence by sentence. */
export class SpokenFile {
  readonly #voice: OfferedVoice
  readonly #rate: Mp3Rate
  readonly #context: Pick<JobContext, 'calm' | 'signal'>
  readonly #pieces: Uint8Array[] = []
  #encoder: Mp3Encoder | undefined
  #from = 0

  /** Aborting the signal makes `speak` reject with its reason. */
  constructor(voice: OfferedVoice, rate: Mp3Rate, context: Pick<JobContext, 'calm' | 'signal'>) {
    this.#voice = voice
    this.#rate = rate
    this.#context = context
  }

  /** Rejects with `synthesis_failed` when the engine fails, or with the reason of the signal. */
  async speak(text: string): Promise<void> {
    const { calm, signal } = this.#context
    for (const sentence of linesOfSentences(text).flat()) {
      await calm()
      try {
        await this.#say(sentence)
      } catch (cause) {
        signal.throwIfAborted()
        throw new ServiceError('synthesis_failed', 'the speech synthesis engine failed', { cause })
      }
      signal.throwIfAborted()
    }
  }

  /** Returns the whole mp3; empty when nothing was spoken. Must be the last call. */
  finish(): Uint8Array {
    this.#end()
    return Buffer.concat(this.#pieces)
  }

  async #say(sentence: string): Promise<void> {
    const { engine, entry } = this.#voice
    const { rate, pieces } = await engine.speak(sentence, entry.voiceId, this.#context.signal)
    const encoder = await this.#encoderFor(rate)
    for await (const pcm of pieces) this.#pieces.push(encoder.encode(pcm))
    this.#pieces.push(encoder.encode(new Int16Array((rate * PAUSE_MS) / 1000)))
  }

  /** One encoder for the whole file, as long as the voice keeps its rate. */
  async #encoderFor(rate: number): Promise<Mp3Encoder> {
    if (this.#encoder && rate === this.#from) return this.#encoder
    this.#end()
    this.#from = rate
    this.#encoder = await createMp3(rate, this.#rate)
    return this.#encoder
  }

  #end(): void {
    if (this.#encoder) this.#pieces.push(this.#encoder.finish())
    this.#encoder = undefined
  }
}
