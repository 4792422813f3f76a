import type { Leveller } from '../transcode/leveller.ts'
import type { Mp3Pool } from '../transcode/mp3-pool.ts'
import { Mp3Stream } from '../transcode/mp3-stream.ts'
import type { RelayMetrics } from './metrics.ts'
import { UtteranceAudio } from './utterance-audio.ts'

/** mp3 frames decoded at once when bytes arrive (≈ 150 ms of voice); the rest follows in slices, tick by tick. */
const FIRST_SLICE = 4

/** A voice longer than this is no utterance; the rest is not played (ms). */
const LONGEST_MS = 120_000

/** One translated stretch of speech: its text arrives whole, its voice as mp3 that is decoded once for all listeners. */
export class Utterance {
  /** Unique in this process. */
  readonly id: string
  readonly audio = new UtteranceAudio()
  /** Clock time at which the speaker's last word ended (ms), as far as it can be told by level. */
  readonly speechEndedAt: number
  readonly #mp3: Mp3Stream
  readonly #leveller: Leveller | undefined
  readonly #metrics: RelayMetrics
  #ended = false

  /** `metrics` counts what was no audio; `leveller` belongs to the session and knows its voice, absent: as it comes. */
  constructor(id: string, speechEndedAt: number, pool: Mp3Pool, metrics: RelayMetrics, leveller?: Leveller) {
    this.id = id
    this.speechEndedAt = speechEndedAt
    this.#metrics = metrics
    this.#leveller = leveller
    leveller?.begin()
    const sound = leveller ?? { write: (pcm: Int16Array) => this.audio.append(pcm) }
    this.#mp3 = new Mp3Stream(pool, pcm => sound.write(pcm))
  }

  /** Adds mp3 bytes; the first few frames are decoded now. */
  write(mp3: Uint8Array): void {
    if (this.#ended) return
    this.#mp3.write(mp3)
    this.#decode(FIRST_SLICE)
  }

  /** No more bytes come. What is not decoded yet still will be. Idempotent. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#mp3.end()
    this.decode(FIRST_SLICE)
  }

  /** Decodes at most `mp3Frames` more. False once there is nothing left to come. */
  decode(mp3Frames: number): boolean {
    if (this.audio.complete) return false
    const state = this.#decode(mp3Frames)
    if (this.audio.durationMs > LONGEST_MS) {
      this.close()
      return false
    }
    if (!this.#ended || state !== 'idle') return true
    this.#finish()
    return false
  }

  /** Decodes no more; listeners may go on reading what was decoded. */
  close(): void {
    this.#ended = true
    if (!this.audio.complete) this.#finish()
  }

  /** The leveller serves all utterances of a session: what it got is taken from it at once. */
  #decode(mp3Frames: number): ReturnType<Mp3Stream['decode']> {
    const state = this.#mp3.decode(mp3Frames)
    if (this.#leveller) this.audio.append(this.#leveller.take())
    return state
  }

  #finish(): void {
    this.#metrics.junkBytes += this.#mp3.stats.junkBytes
    this.audio.finish()
    this.#mp3.close()
  }
}
