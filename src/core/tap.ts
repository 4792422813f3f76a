import { FRAME_MS } from '../transcode/pcm.ts'
import type { LanguageId } from './languages.ts'

/** One voice of a room: what a participant says, or its translation into one language. */
export interface Track {
  /** Unique in its room. */
  readonly id: string
  readonly kind: 'original' | 'translation'
  /** The speaker's id. */
  readonly participant: string
  /** Of a translation: the language it is in. */
  readonly to?: LanguageId
}

/**
 * Receives a room's voices as they sound, for a recording. Called synchronously on the hot path: it must be quick, do no
 * I/O of its own and not throw; one that throws is taken off and ended.
 */
export interface Tap {
  /**
   * One frame of `track`: 20 ms, 16 kHz mono, borrowed for the call only. It sounds `atMs` milliseconds after the room
   * opened: an original when it was said, a translation when the far side of its first listener plays it. Frames of one
   * track come in order and never overlap; where none came there was silence.
   */
  frame(track: Track, frame: Int16Array, atMs: number): void
  /** No more frames come: the room has ended, or the tap was taken off. Called once. */
  end(): void
}

/** Frames arrive early and late; further off than this, a track's own count of time was wrong (ms). */
const DRIFT_MS = 300

/** Puts the frames of one track in their place on the room's clock and gives them to all taps. */
export class TrackWriter {
  readonly track: Track
  /** When the room opened (clock ms). */
  readonly #openedAt: number
  readonly #give: (track: Track, frame: Int16Array, atMs: number) => void
  /** Where the last frame ended (ms of the room). */
  #end = Number.NEGATIVE_INFINITY

  constructor(track: Track, openedAt: number, give: (track: Track, frame: Int16Array, atMs: number) => void) {
    this.track = track
    this.#openedAt = openedAt
    this.#give = give
  }

  /** A live frame that came at `now` (clock ms): it follows the one before, since networks hurry and tarry. */
  live(frame: Int16Array, now: number): void {
    const atMs = now - this.#openedAt
    const drift = atMs - this.#end
    // Faster than time for long: there is no place for it.
    if (drift < -DRIFT_MS) return
    this.#write(frame, drift > DRIFT_MS ? atMs : this.#end)
  }

  /** A frame that is played at `at` (clock ms); what would overlap the one before is left out. */
  exact(frame: Int16Array, at: number): void {
    const atMs = at - this.#openedAt
    if (atMs > this.#end - FRAME_MS / 2) this.#write(frame, Math.max(atMs, this.#end))
  }

  #write(frame: Int16Array, atMs: number): void {
    this.#end = atMs + FRAME_MS
    this.#give(this.track, frame, atMs)
  }
}

/** A translation that several listeners hear, each in their own time: only one of them is on the track. */
export interface TappedTranslation {
  readonly track: TrackWriter | undefined
  /** The listener whose hearing counts. */
  readonly ear: string | undefined
}

/** What one listener hears of a translation, as far as it is on its track. */
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
