import type { Leveller } from '../transcode/leveller.ts'
import type { Mp3Pool } from '../transcode/mp3-pool.ts'
import { SAMPLE_RATE } from '../transcode/pcm.ts'
import { VoiceStream } from '../transcode/voice-stream.ts'
import type { RelayMetrics } from './metrics.ts'
import type { Arrivals } from './stages.ts'
import { UtteranceAudio } from './utterance-audio.ts'

/** mp3 frames decoded at once when bytes arrive (≈ 150 ms of voice); the rest follows in slices, tick by tick. */
const FIRST_SLICE = 4

/** A voice longer than this is no utterance; the rest is not played (ms). */
const LONGEST_MS = 120_000

export interface UtteranceOptions {
  /** Belongs to the session and knows its voice; absent: as it comes. */
  readonly leveller?: Leveller | undefined
  /** The voice came whole and was no sound, but something else. */
  readonly notMp3?: () => void
  /** Samples per second of a voice that comes without a header, where the service tells it (Hz). */
  readonly rate?: number | undefined
  /** So much of its beginning was heard before, and is left out (ms). */
  readonly skipMs?: number
  /** When its parts came; absent: not known, or of no use. */
  readonly arrivals?: Arrivals
}

/** One translated stretch of speech: its text arrives whole, its voice as mp3, WAV or samples that are decoded once for all listeners. */
export class Utterance {
  /** Unique in this process. */
  readonly id: string
  readonly audio = new UtteranceAudio()
  /** Clock time at which the speaker's last word ended (ms), as far as it can be told by level. */
  readonly speechEndedAt: number
  readonly arrivals: Arrivals | undefined
  /** What it says, as far as is known. */
  text: string | undefined
  readonly #voice: VoiceStream
  readonly #options: UtteranceOptions
  readonly #metrics: RelayMetrics
  #ended = false
  /** Samples that are still to be left out. */
  #skip: number

  /** `metrics` counts what was no audio. */
  constructor(
    id: string,
    speechEndedAt: number,
    pool: Mp3Pool,
    metrics: RelayMetrics,
    options: UtteranceOptions = {},
  ) {
    this.id = id
    this.speechEndedAt = speechEndedAt
    this.arrivals = options.arrivals
    this.#metrics = metrics
    this.#options = options
    const { leveller } = options
    leveller?.begin()
    const sound = leveller ?? { write: (pcm: Int16Array) => this.audio.append(pcm) }
    this.#skip = Math.round(((options.skipMs ?? 0) * SAMPLE_RATE) / 1_000)
    const play = (pcm: Int16Array) => {
      const left = Math.min(this.#skip, pcm.length)
      this.#skip -= left
      sound.write(left === 0 ? pcm : pcm.subarray(left))
    }
    this.#voice = new VoiceStream(pool, play, options.rate)
  }

  /** Adds the voice of one result, a file or a piece of one; the first few frames are decoded now. */
  write(bytes: Uint8Array): void {
    if (this.#ended) return
    this.#voice.write(bytes)
    this.#decode(FIRST_SLICE)
  }

  /** No more bytes come. What is not decoded yet still will be. Idempotent. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#voice.end()
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
    const { frames, junkBytes } = this.#voice.stats
    if (frames === 0 && junkBytes > 0) this.#options.notMp3?.()
    this.#finish()
    return false
  }

  /** Decodes no more; listeners may go on reading what was decoded. */
  close(): void {
    this.#ended = true
    if (!this.audio.complete) this.#finish()
  }

  /** The leveller serves all utterances of a session: what it got is taken from it at once. */
  #decode(mp3Frames: number): ReturnType<VoiceStream['decode']> {
    const state = this.#voice.decode(mp3Frames)
    const { leveller } = this.#options
    if (leveller) this.audio.append(leveller.take())
    return state
  }

  #finish(): void {
    this.#metrics.junkBytes += this.#voice.stats.junkBytes
    this.audio.finish()
    this.#voice.close()
  }
}
