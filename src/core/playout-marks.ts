/** Confirmations waited for at most. */
const UNCONFIRMED_MOST = 200
/** A mark that has not come back this long after its sound must have been played never will (ms). */
const OVERDUE_MS = 10_000

/**
 * Why a mark does not come back: what it is behind was flushed; it is long overdue; or the leg is another now, or none.
 */
export type MarkLost = 'flushed' | 'overdue' | 'leg-gone'

interface Waiting {
  readonly heard: () => void
  readonly lost: (why: MarkLost) => void
  /** When what it marks must have been played (clock ms). */
  playedBy: number
}

/** The marks behind what one listener is sent: who is told when the far side has really played it, or never will. */
export class PlayoutMarks {
  /** Behind the message that is being made. */
  #pending: string[] = []
  #sent: string[] = []
  readonly #unconfirmed = new Map<string, Waiting>()

  /** Some go behind the next message. */
  get pending(): boolean {
    return this.#pending.length > 0
  }

  /** Those whose confirmation is awaited. */
  get unconfirmed(): number {
    return this.#unconfirmed.size
  }

  /**
   * `heard` is called once, or `lost`. `name` is unique among those that are awaited.
   */
  add(name: string, heard: () => void, lost: (why: MarkLost) => void): void {
    // A far side that never confirms must not fill our memory.
    if (this.#unconfirmed.size >= UNCONFIRMED_MOST)
      this.#lose(this.#unconfirmed.keys().next().value!, 'overdue')
    this.#unconfirmed.set(name, { heard, lost, playedBy: Number.POSITIVE_INFINITY })
    this.#pending.push(name)
  }

  /** The names behind the message just sent, which is played by `playedBy` (clock ms). Borrowed until the next call. */
  take(playedBy: number): readonly string[] {
    const names = this.#pending
    this.#pending = this.#sent
    this.#pending.length = 0
    this.#sent = names
    for (const name of names) {
      const waiting = this.#unconfirmed.get(name)
      if (waiting) waiting.playedBy = playedBy
    }
    return names
  }

  /** The far side confirmed `name`; one that is not known (any more) is fine. */
  confirm(name: string): void {
    const waiting = this.#unconfirmed.get(name)
    this.#unconfirmed.delete(name)
    waiting?.heard()
  }

  /** Gives up what is long overdue. */
  check(now: number): void {
    for (const [name, { playedBy }] of this.#unconfirmed) {
      if (now - playedBy < OVERDUE_MS || playedBy === Number.POSITIVE_INFINITY) return
      this.#lose(name, 'overdue')
    }
  }

  /** None of them comes back. */
  clear(why: 'flushed' | 'leg-gone'): void {
    this.#pending.length = 0
    for (const name of [...this.#unconfirmed.keys()]) this.#lose(name, why)
  }

  #lose(name: string, why: MarkLost): void {
    const waiting = this.#unconfirmed.get(name)
    this.#unconfirmed.delete(name)
    waiting?.lost(why)
  }
}
