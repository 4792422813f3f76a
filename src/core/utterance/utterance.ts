import type { LoudnessNormalizer } from '../../transcode/loudness-normalizer.ts'
import type { Mp3Pool } from '../../transcode/mp3/decoder-pool.ts'
import { SAMPLE_RATE } from '../../transcode/pcm.ts'
import { VoiceStream } from '../../transcode/voice-stream.ts'
import type { Arrivals } from '../model/latency-stages.ts'
import type { RelayMetrics } from '../model/relay-metrics.ts'
import { UtteranceAudio } from './utterance-audio.ts'

/** MP3 frames decoded per tick across all utterances: about 4 ms of work, 20 times real time for a thousand legs. */
const FRAMES_A_TICK = 600
/** … and per utterance: more than half a second of audio, so that it soon frees its decoder. */
const FRAMES_EACH = 16

/** Spreads the decoding of long results over several ticks, to keep each turn of the event loop short. */
export class DecodeQueue {
  readonly #utterances = new Set<Utterance>()
  readonly #failed: (error: unknown) => void

  /** Calls `failed` with exceptions from decoding, which affect only their own utterance. */
  constructor(failed: (error: unknown) => void = () => {}) {
    this.#failed = failed
  }

  /** Decodes `utterance`, starting with the next tick, until it is complete. */
  add(utterance: Utterance): void {
    this.#utterances.add(utterance)
  }

  get size(): number {
    return this.#utterances.size
  }

  tick(): void {
    if (this.#utterances.size === 0) return
    const each = Math.max(1, Math.min(FRAMES_EACH, Math.floor(FRAMES_A_TICK / this.#utterances.size)))
    for (const utterance of this.#utterances)
      try {
        // All listeners have left, so the rest need not be decoded.
        if (utterance.audio.abandoned) utterance.close()
        if (!utterance.decode(each)) this.#utterances.delete(utterance)
      } catch (error) {
        this.#failed(error)
        this.#utterances.delete(utterance)
        this.#close(utterance)
      }
  }

  /** Closes and removes all utterances. */
  clear(): void {
    for (const utterance of this.#utterances) this.#close(utterance)
    this.#utterances.clear()
  }

  #close(utterance: Utterance): void {
    try {
      utterance.close()
    } catch (error) {
      this.#failed(error)
    }
  }
}

/** mp3 frames decoded at once when bytes arrive (≈ 150 ms of voice); the rest is decoded in slices, tick by tick. */
const FIRST_SLICE = 4

/** Maximum length of an utterance; the rest is dropped (ms). */
const LONGEST_MS = 120_000

export interface UtteranceOptions {
  /** Belongs to the session and knows its voice; absent: no normalization. */
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
 * One translated utterance: its text arrives complete, its voice as mp3, WAV or samples, decoded once for all
 * listeners.
 */
export class Utterance {
  /** Unique in this process. */
  readonly id: string
  readonly audio = new UtteranceAudio()
  /** End of the speaker's last word (clock ms), as far as audio levels show it. */
  readonly speechEndedAt: number
  readonly arrivals: Arrivals | undefined
  /** Its text, once known. */
  text: string | undefined
  readonly #voice: VoiceStream
  readonly #options: UtteranceOptions
  readonly #metrics: RelayMetrics
  #ended = false
  /** Samples still to be skipped. */
  #skip: number

  /** `metrics` counts invalid audio bytes. */
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
    const { leveler } = options
    leveler?.begin()
    const sound = leveler ?? { write: (pcm: Int16Array) => this.audio.append(pcm) }
    this.#skip = Math.round(((options.skipMs ?? 0) * SAMPLE_RATE) / 1_000)
    const play = (pcm: Int16Array) => {
      const left = Math.min(this.#skip, pcm.length)
      this.#skip -= left
      sound.write(left === 0 ? pcm : pcm.subarray(left))
    }
    this.#voice = new VoiceStream(pool, play, options.rate)
  }

  /** Adds the voice of one result, a file or a piece of one; decodes the first few frames at once. */
  write(bytes: Uint8Array): void {
    if (this.#ended) return
    this.#voice.write(bytes)
    this.#decode(FIRST_SLICE)
  }

  /** No more bytes follow; pending bytes are still decoded. Idempotent. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#voice.end()
    this.decode(FIRST_SLICE)
  }

  /** Decodes at most `mp3Frames` more. Returns false once decoding is complete. */
  decode(mp3Frames: number): boolean {
    if (this.audio.complete) return false
    const state = this.#decode(mp3Frames)
    if (this.audio.durationMs > LONGEST_MS) {
      this.close()
      return false
    }
    if (!this.#ended || state !== 'idle') return true
    const { frames, invalidBytes } = this.#voice.stats
    if (frames === 0 && invalidBytes > 0) this.#options.notMp3?.()
    this.#finish()
    return false
  }

  /** Stops decoding; listeners can still read decoded audio. */
  close(): void {
    this.#ended = true
    if (!this.audio.complete) this.#finish()
  }

  /** All utterances of a session share the normalizer, so its output is read at once. */
  #decode(mp3Frames: number): ReturnType<VoiceStream['decode']> {
    const state = this.#voice.decode(mp3Frames)
    const { leveler } = this.#options
    if (leveler) this.audio.append(leveler.take())
    return state
  }

  #finish(): void {
    this.#metrics.mp3InvalidBytes += this.#voice.stats.invalidBytes
    this.audio.finish()
    this.#voice.close()
  }
}
