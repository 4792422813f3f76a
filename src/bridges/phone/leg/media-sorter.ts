/** Maximum time for which audio waits for a missing message before it (ms). */
const HOLD_MS = 100
/** Maximum number of waiting messages: those of `HOLD_MS` at 20 ms, and a burst. Above it, the oldest is released. */
const MAX_HELD = 32
/** A first message with a number up to this one is possibly not the first (100 ms). */
const FIRST = 6
/** A larger step back means that the numbers started again. */
const REWIND = 1_000

/** A message with audio, and its number. */
export interface Numbered {
  /** NaN: not numbered. */
  readonly sequence: number
  readonly timestampMs: number
  readonly payload: string | Buffer
}

interface Held extends Numbered {
  readonly since: number
}

/**
 * Sorts media messages by number, for carriers that deliver them in any order. An early message waits up to `HOLD_MS` for its
 * predecessors; a late one follows at once, for the receiver to drop what it no longer needs.
 */
export class MediaSorter {
  readonly #counters: { reordered: number; late: number }
  /** In order. */
  readonly #ready: Numbered[] = []
  /** Sorted by number. */
  readonly #held: Held[] = []
  #expected = Number.NaN

  constructor(counters: { reordered: number; late: number }) {
    this.#counters = counters
  }

  /** Takes one message, which `next` returns when it is its turn: at once, except for an early one, whose bytes are copied. */
  push({ sequence, timestampMs, payload }: Numbered, now: number): void {
    if (Number.isNaN(this.#expected) || sequence < this.#expected - REWIND) this.#begin(sequence)
    if (sequence > this.#expected) {
      this.#counters.reordered++
      const own = typeof payload === 'string' ? payload : Buffer.from(payload)
      this.#held.push({ sequence, timestampMs, payload: own, since: now })
      this.#held.sort((a, b) => a.sequence - b.sequence)
      return
    }
    if (sequence === this.#expected) this.#expected++
    else if (sequence < this.#expected) this.#counters.late++
    this.#ready.push({ sequence, timestampMs, payload })
  }

  /**
   * Returns the next message in order, or one that has waited long enough; undefined if there is none. Call it until then
   * after each `push`, and a few times a second if no message arrives.
   */
  next(now: number): Numbered | undefined {
    const ready = this.#ready.shift()
    if (ready) return ready
    const [first] = this.#held
    if (!first) return undefined
    const waited = now - first.since >= HOLD_MS || this.#held.length > MAX_HELD
    if (first.sequence > this.#expected && !waited) return undefined
    this.#held.shift()
    this.#expected = Math.max(this.#expected, first.sequence + 1)
    return first
  }

  /** Starts again at `sequence`; what waits is next. */
  #begin(sequence: number): void {
    this.#ready.push(...this.#held.splice(0))
    this.#expected = sequence <= FIRST ? Math.min(1, sequence) : sequence
  }
}
