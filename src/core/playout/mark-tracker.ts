/** Maximum number of pending confirmations. */
const UNCONFIRMED_MOST = 200
/** A mark that is not confirmed this long after its audio must have been played is lost (ms). */
const OVERDUE_MS = 10_000

/** Reasons for a lost mark: its audio was flushed, it is long overdue, or its leg was replaced or closed. */
export type MarkLost = 'flushed' | 'overdue' | 'leg-gone'

interface Waiting {
  readonly heard: () => void
  readonly lost: (why: MarkLost) => void
  /** Latest time at which the marked audio is played (clock ms). */
  playedBy: number
}

/** Marks in one listener's audio. Reports when the peer has played the audio, or that it never will. */
export class PlayoutMarks {
  /** Marks that follow the message being built. */
  #pending: string[] = []
  #sent: string[] = []
  readonly #unconfirmed = new Map<string, Waiting>()

  /** True if marks follow the next message. */
  get pending(): boolean {
    return this.#pending.length > 0
  }

  /** Marks that wait for a confirmation. */
  get unconfirmed(): number {
    return this.#unconfirmed.size
  }

  /** Adds a mark; calls either `heard` or `lost`, once. `name` must be unique among the pending marks. */
  add(name: string, heard: () => void, lost: (why: MarkLost) => void): void {
    // Bounds memory if a peer never confirms.
    if (this.#unconfirmed.size >= UNCONFIRMED_MOST)
      this.#lose(this.#unconfirmed.keys().next().value!, 'overdue')
    this.#unconfirmed.set(name, { heard, lost, playedBy: Number.POSITIVE_INFINITY })
    this.#pending.push(name)
  }

  /**
   * Returns the names for the message just sent, which is played by `playedBy` (clock ms). Valid until the next call.
   */
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

  /** The peer confirmed `name`. Ignores an unknown or expired name. */
  confirm(name: string): void {
    const waiting = this.#unconfirmed.get(name)
    this.#unconfirmed.delete(name)
    waiting?.heard()
  }

  /** Drops marks that are long overdue. */
  check(now: number): void {
    for (const [name, { playedBy }] of this.#unconfirmed) {
      if (now - playedBy < OVERDUE_MS || playedBy === Number.POSITIVE_INFINITY) return
      this.#lose(name, 'overdue')
    }
  }

  /** Drops all marks. */
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
