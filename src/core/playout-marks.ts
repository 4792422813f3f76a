/** Confirmations waited for at most. */
const UNCONFIRMED_MOST = 200
/** A mark that has not come back this long after its sound must have been played never will (ms). */
const OVERDUE_MS = 10_000

interface Waiting {
  readonly heard: () => void
  readonly lost: (flushed: boolean) => void
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
   * `heard` is called once, or `lost`: what the mark is behind was flushed and will not be heard, or its confirmation is
   * given up. `name` is unique.
   */
  add(name: string, heard: () => void, lost: (flushed: boolean) => void): void {
    // A far side that never confirms must not fill our memory.
    if (this.#unconfirmed.size >= UNCONFIRMED_MOST) this.#lose(this.#unconfirmed.keys().next().value!, false)
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
      this.#lose(name, false)
    }
  }

  /** Nothing of it will be heard any more. */
  clear(): void {
    this.#pending.length = 0
    for (const name of [...this.#unconfirmed.keys()]) this.#lose(name, true)
  }

  #lose(name: string, flushed: boolean): void {
    const waiting = this.#unconfirmed.get(name)
    this.#unconfirmed.delete(name)
    waiting?.lost(flushed)
  }
}
