import { BoundedMap } from '../../common/bounded-map.ts'

/** Maximum number of pending marks. */
const MAX_PENDING = 1_000

/** Maps a leg’s marks to the numbers sent for them. Flushed marks are forgotten; their echoes count as stale. */
export class NumberedMarks {
  readonly #pending = new BoundedMap<number, string>(MAX_PENDING)
  #next = 1

  /** Returns the number to send for `name`. */
  send(name: string): number {
    const id = this.#next++
    this.#pending.set(id, name)
    return id
  }

  /** Returns the name of the mark `id`, or undefined if it was flushed or is unknown. */
  heard(id: number): string | undefined {
    const name = this.#pending.get(id)
    this.#pending.delete(id)
    return name
  }

  /** Forgets all pending marks, which will not be played. */
  flush(): void {
    this.#pending.clear()
  }
}
