import type { LanguageId } from '../../common/language.ts'
import { FRAME_MS } from '../../transcode/pcm.ts'

/** One voice of a room: a participant's original, or its translation into one language. */
export interface Track {
  /** Unique in its room. */
  readonly id: string
  readonly kind: 'original' | 'translation'
  /** The speaker's id. */
  readonly participant: string
  /** The language of a translation. */
  readonly to?: LanguageId
}

/**
 * Receives a room's voices during playback, for a recording. Called synchronously on the hot path: it must be fast, and
 * must not do I/O or throw. A tap that throws is removed and ended.
 */
export interface Tap {
  /**
   * One frame of `track`: 20 ms, 16 kHz mono, valid during the call only. Its position is `atMs` milliseconds after the
   * room opened: an original when it was spoken, a translation when the peer of its first listener plays it. Frames of
   * one track are in order and never overlap; gaps are silence.
   */
  frame(track: Track, frame: Int16Array, atMs: number): void
  /** No more frames follow: the room has ended, or the tap was removed. Called once. */
  end(): void
}

/** Tolerated jitter of frames; a larger deviation means that the track's position was wrong (ms). */
const DRIFT_MS = 300

/** Positions the frames of one track on the room's clock and passes them to all taps. */
export class TrackWriter {
  readonly track: Track
  /** Time at which the room opened (clock ms). */
  readonly #openedAt: number
  readonly #give: (track: Track, frame: Int16Array, atMs: number) => void
  /** End of the last frame (ms after opening). */
  #end = Number.NEGATIVE_INFINITY

  constructor(track: Track, openedAt: number, give: (track: Track, frame: Int16Array, atMs: number) => void) {
    this.track = track
    this.#openedAt = openedAt
    this.#give = give
  }

  /**
   * Writes a live frame that arrived at `now` (clock ms) directly after the previous one, which removes network jitter.
   */
  live(frame: Int16Array, now: number): void {
    const atMs = now - this.#openedAt
    const drift = atMs - this.#end
    // A source that is permanently faster than real time: no position remains.
    if (drift < -DRIFT_MS) return
    this.#write(frame, drift > DRIFT_MS ? atMs : this.#end)
  }

  /** Writes a frame that is played at `at` (clock ms); drops it if it would overlap the previous one. */
  exact(frame: Int16Array, at: number): void {
    const atMs = at - this.#openedAt
    if (atMs > this.#end - FRAME_MS / 2) this.#write(frame, Math.max(atMs, this.#end))
  }

  #write(frame: Int16Array, atMs: number): void {
    this.#end = atMs + FRAME_MS
    this.#give(this.track, frame, atMs)
  }
}

/** A translation that several listeners hear at different times: only one listener's playback is on the track. */
export interface TappedTranslation {
  readonly track: TrackWriter | undefined
  /** The listener whose playback is recorded. */
  readonly ear: string | undefined
}

/** One listener's playback of a translation, if it is on the track. */
export class TappedVoice {
  readonly #translation: TappedTranslation
  readonly #listener: string

  constructor(translation: TappedTranslation, listener: string) {
    this.#translation = translation
    this.#listener = listener
  }

  /** `frame` is played to the listener at `at` (clock ms). */
  frame(frame: Int16Array, at: number): void {
    const { track, ear } = this.#translation
    if (ear === this.#listener) track?.exact(frame, at)
  }
}
