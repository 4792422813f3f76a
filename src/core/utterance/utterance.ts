import type { LoudnessNormalizer } from '../../transcode/loudness-normalizer.ts'
import type { Mp3Pool } from '../../transcode/mp3/decoder-pool.ts'
import type { Arrivals } from '../model/latency-stages.ts'
import type { RelayMetrics } from '../model/relay-metrics.ts'
import type { DecodeJob } from './decode-queue.ts'
import { SharedVoice } from './shared-voice.ts'
import { FIRST_SLICE, SLICE } from './utterance-audio.ts'

/** Amount decoded at once when bytes arrive (frames), and maximum number of slices for it; the rest follows in ticks. */
const PLAYABLE_FRAMES = 3
const MOST_FIRST_SLICES = 3

export interface UtteranceOptions {
  /** Knows the voice of the session; used by this utterance only. Absent: no normalization. */
  readonly leveler?: LoudnessNormalizer | undefined
  /** Called if the complete voice was not audio. */
  readonly notMp3?: () => void
  /** Sample rate of a voice without a header, if the service states it (Hz). */
  readonly rate?: number | undefined
  /** Duration of its start that was already played and is skipped (ms). */
  readonly skipMs?: number
  /** Arrival times of its parts; absent: unknown or unused. */
  readonly arrivals?: Arrivals
}

/**
 * One translated utterance: its text arrives complete, its voice as mp3, WAV or samples, decoded while listeners play it.
 */
export class Utterance implements DecodeJob {
  /** Unique in this process. */
  readonly id: string
  readonly audio: SharedVoice
  /** End of the speaker's last word (clock ms), as far as audio levels show it. */
  readonly speechEndedAt: number
  readonly arrivals: Arrivals | undefined
  /** Its text, once known. A separate object: it is kept longer than the voice. */
  readonly words: { readonly id: string; text: string | undefined }
  #ended = false

  /** `metrics` counts invalid audio bytes. */
  constructor(
    id: string,
    speechEndedAt: number,
    pool: Mp3Pool,
    metrics: RelayMetrics,
    options: UtteranceOptions = {},
  ) {
    this.id = id
    this.words = { id, text: undefined }
    this.speechEndedAt = speechEndedAt
    const { leveler, rate, skipMs, notMp3, arrivals } = options
    this.arrivals = arrivals
    leveler?.begin()
    this.audio = new SharedVoice({
      pool,
      leveler,
      rate,
      skipMs,
      finished: ({ frames, invalidBytes }, whole) => {
        metrics.mp3InvalidBytes += invalidBytes
        if (whole && frames === 0 && invalidBytes > 0) notMp3?.()
      },
    })
  }

  /** Its audio has grown: decodes the first few frames at once. */
  grown(): void {
    if (this.#ended) return
    // An encoder's delay can consume the first frames.
    for (let n = 0; n < MOST_FIRST_SLICES && this.audio.due; n++) {
      this.audio.decode(FIRST_SLICE)
      if (this.audio.frames >= PLAYABLE_FRAMES) return
    }
  }

  /** No more bytes follow; pending bytes are still decoded. Idempotent. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.audio.end()
    if (this.audio.due) this.audio.decode(FIRST_SLICE)
  }

  get due(): boolean {
    return this.audio.due
  }

  scheduled(wake: () => void): void {
    this.audio.scheduled(wake)
  }

  get urgent(): boolean {
    return this.audio.urgent
  }

  decode(): boolean {
    return this.audio.decode(SLICE)
  }

  /** Stops decoding; listeners can still read decoded audio. */
  close(): void {
    this.#ended = true
    this.audio.close()
  }
}
