import type { LanguageId } from '../../common/language.ts'
import { FRAME_MS } from '../../transcode/pcm.ts'

/** State of a recording. No audio is recorded during `notice`, before participants have heard the announcement. */
export type RecordingState = 'notice' | 'recording' | 'paused' | 'ended'

/** A fault in a recording that continues: some audio is missing. */
export type RecordingFault = 'disk-failed' | 'disk-slow'

/** A recording of one room. */
export interface RecordingStatus {
  /** Unique in this process. */
  readonly id: string
  readonly room: string
  readonly state: RecordingState
  /** Recorded audio, without pauses (ms). */
  readonly keptMs: number
  /** The latest fault, if any. */
  readonly fault?: RecordingFault
}

/**
 * Records rooms, if recording is enabled; at most one recording per room at a time. Emits `recording` events through
 * the observer. A recording ends with its room.
 */
export interface Recorder {
  /** Returns the active recording of `room`. */
  of(room: string): RecordingStatus | undefined
  /**
   * Plays the notice, then starts recording. Does nothing if `room` is being recorded already. Throws `BridgeError`
   * `STATE` if the room is empty, `CAPACITY` if storage is full.
   */
  start(room: string): RecordingStatus
  /** Idempotent. Throws `BridgeError` `STATE` if `room` is not being recorded. */
  pause(room: string): RecordingStatus
  /** Idempotent. Throws as `pause` does. */
  resume(room: string): RecordingStatus
  /** Stops the recording. Resolves when it is stored completely; undefined if no recording was active. */
  stop(room: string): Promise<RecordingStatus | undefined>
}

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
  readonly recordedListener: string | undefined
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
    const { track, recordedListener } = this.#translation
    if (recordedListener === this.#listener) track?.exact(frame, at)
  }
}

/** The taps of one room and their tracks. Allocates tracks only while a tap is active. */
export class RoomTaps {
  readonly #openedAt: number
  /** Called with each error that a tap throws. */
  readonly #onError: (error: unknown) => void
  /** Called when the first tap is added and when the last is removed. */
  readonly #onChange: () => void
  readonly #tracks = new Map<string, TrackWriter>()
  /** Replaced, not modified: a tap can be removed during a frame. */
  #taps: readonly Tap[] = []

  /** `openedAt`: when the room opened (clock ms). */
  constructor(openedAt: number, onError: (error: unknown) => void, onChange: () => void) {
    this.#openedAt = openedAt
    this.#onError = onError
    this.#onChange = onChange
  }

  get active(): boolean {
    return this.#taps.length > 0
  }

  /** Passes every frame to `tap` from now on; disposing removes and ends the tap. */
  add(tap: Tap): Disposable {
    this.#taps = [...this.#taps, tap]
    if (this.#taps.length === 1) this.#onChange()
    return { [Symbol.dispose]: () => this.#remove(tap) }
  }

  /** Returns the track of a participant's own voice; undefined without taps. */
  original(participant: string): TrackWriter | undefined {
    return this.active
      ? this.#writer({ id: `original ${participant}`, kind: 'original', participant })
      : undefined
  }

  /** Returns the track of a participant's translation; undefined without taps. */
  translation(participant: string, to: LanguageId): TrackWriter | undefined {
    return this.active
      ? this.#writer({ id: `translation ${participant} ${to}`, kind: 'translation', participant, to })
      : undefined
  }

  /** Ends all taps. */
  end(): void {
    for (const tap of this.#taps) this.#remove(tap)
  }

  #writer(track: Track): TrackWriter {
    const known = this.#tracks.get(track.id)
    if (known) return known
    const writer = new TrackWriter(track, this.#openedAt, this.#give)
    this.#tracks.set(track.id, writer)
    return writer
  }

  readonly #give = (track: Track, frame: Int16Array, atMs: number): void => {
    for (const tap of this.#taps)
      try {
        tap.frame(track, frame, atMs)
      } catch (error) {
        this.#onError(error)
        this.#remove(tap)
      }
  }

  #remove(tap: Tap): void {
    if (!this.#taps.includes(tap)) return
    this.#taps = this.#taps.filter(each => each !== tap)
    try {
      tap.end()
    } catch (error) {
      this.#onError(error)
    }
    if (this.#taps.length === 0) this.#onChange()
  }
}
