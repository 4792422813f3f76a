import type { LanguageId } from './languages.ts'
import { type Tap, type Track, TrackWriter } from './tap.ts'

/** The taps of one room and the tracks they get. Nothing is made while there is no tap. */
export class RoomTaps {
  readonly #openedAt: number
  /** What a tap threw. */
  readonly #onError: (error: unknown) => void
  /** Called when the first tap comes and when the last goes. */
  readonly #onChange: () => void
  readonly #tracks = new Map<string, TrackWriter>()
  /** Replaced, not changed: a tap may go in the middle of a frame. */
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

  /** `tap` gets every frame from now on; disposing takes it off and ends it. */
  add(tap: Tap): Disposable {
    this.#taps = [...this.#taps, tap]
    if (this.#taps.length === 1) this.#onChange()
    return { [Symbol.dispose]: () => this.#remove(tap) }
  }

  /** The track of a party's own voice; undefined while nobody taps. */
  original(participant: string): TrackWriter | undefined {
    return this.active
      ? this.#writer({ id: `original ${participant}`, kind: 'original', participant })
      : undefined
  }

  /** The track of a party's translation; undefined while nobody taps. */
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
