import type { LanguageId } from '../../common/language.ts'
import { type Tap, type Track, TrackWriter } from './tap.ts'

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
