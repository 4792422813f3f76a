import { loudness } from '../../../../src/transcode/level.ts'
import { Framer } from '../../../../src/transcode/pcm.ts'

/** The vocabulary of the fakes: each word is a pitch (Hz), each translation another one. */
export const TONE_WORDS = [
  { hz: 400, word: 'one', translation: 'uno', spokenHz: 700 },
  { hz: 500, word: 'two', translation: 'dos', spokenHz: 900 },
  { hz: 600, word: 'three', translation: 'tres', spokenHz: 1_100 },
] as const

export type ToneWord = (typeof TONE_WORDS)[number]

export interface ToneListener {
  /** A word starts at `ms` of the audio. */
  began?(word: ToneWord, ms: number): void
  /** It has ended: `toMs` is its last sample, `ms` the present position. */
  ended?(word: ToneWord, fromMs: number, toMs: number, ms: number): void
  /** `ms` of audio were heard so far. */
  passed?(ms: number): void
}

const FRAME_MS = 20
const LEAST = 1_500
/** Silence that ends a word (ms). */
const GAP_MS = 200

/** Recognizes words, which are tones, in audio of one rate: at another rate than announced they are not understood. */
export class ToneEars {
  readonly #rate: number
  readonly #listener: ToneListener
  readonly #frames: Framer
  #ms = 0
  #word: ToneWord | undefined
  #fromMs = 0
  #loudMs = 0

  constructor(rate: number, listener: ToneListener) {
    this.#rate = rate
    this.#listener = listener
    this.#frames = new Framer((rate * FRAME_MS) / 1_000, frame => this.#frame(frame))
  }

  /** Audio heard so far (ms). */
  get ms(): number {
    return this.#ms
  }

  /** The word that is being said. */
  get word(): ToneWord | undefined {
    return this.#word
  }

  write(pcm: Int16Array): void {
    this.#frames.write(pcm)
  }

  /** The speaker pauses: ends the word in progress. */
  finish(): void {
    const word = this.#word
    this.#word = undefined
    if (word) this.#listener.ended?.(word, this.#fromMs, this.#loudMs, this.#ms)
  }

  #frame(frame: Int16Array): void {
    this.#ms += FRAME_MS
    const heard = TONE_WORDS.find(({ hz }) => loudness(frame, hz, this.#rate) > LEAST)
    if (heard && this.#word !== heard) {
      this.finish()
      this.#word = heard
      this.#fromMs = this.#ms - FRAME_MS
      this.#listener.began?.(heard, this.#fromMs)
    }
    if (heard) this.#loudMs = this.#ms
    else if (this.#word && this.#ms - this.#loudMs >= GAP_MS) this.finish()
    this.#listener.passed?.(this.#ms)
  }
}
