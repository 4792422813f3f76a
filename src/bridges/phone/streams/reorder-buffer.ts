/** Maximum time for which audio waits for a missing message before it (ms). */
const HOLD_MS = 100
/** Maximum number of waiting messages: those of `HOLD_MS` at 20 ms, and a burst. Above it, the oldest is released. */
const SLOTS = 32
/** A first message with a number up to this one is possibly not the first (100 ms). */
const FIRST = 6
/** A larger step back means that the numbers started again. */
const REWIND = 1_000
/** Audio of one message that is kept without allocation. */
const USUAL_BYTES = 1_600

interface Slot {
  sequence: number
  timestampMs: number
  /** The audio, or its part of `bytes`. */
  payload: string | Buffer
  readonly bytes: Buffer
  heldAt: number
}

/** Receives messages in order. */
export type InOrder = (timestampMs: number, payload: string | Buffer, now: number) => void

/**
 * Sorts media messages by number, for carriers that deliver them in any order. A message in order passes at once, without
 * allocation. An early message waits up to `HOLD_MS` for its predecessors; a late one is passed on,
 * for the receiver to drop what it no longer needs.
 */
export class ReorderBuffer {
  /** Messages that waited for an earlier one. */
  reordered = 0
  /** Messages that arrived after their turn. */
  late = 0
  readonly #deliver: InOrder
  /** By number, in no order. */
  readonly #held: Slot[] = []
  readonly #free: Slot[] = []
  #expected = Number.NaN

  constructor(deliver: InOrder) {
    this.#deliver = deliver
  }

  /** Takes one message; `payload` is copied if it has to wait. A message without a number passes. */
  push(sequence: number, timestampMs: number, payload: string | Buffer, now: number): void {
    if (Number.isNaN(sequence)) {
      this.#deliver(timestampMs, payload, now)
      return
    }
    if (Number.isNaN(this.#expected) || sequence < this.#expected - REWIND) this.#begin(sequence, now)
    if (sequence === this.#expected) {
      this.#expected++
      this.#deliver(timestampMs, payload, now)
    } else if (sequence < this.#expected) {
      this.late++
      this.#deliver(timestampMs, payload, now)
    } else this.#hold(sequence, timestampMs, payload, now)
    if (this.#held.length > 0) this.release(now)
  }

  /** Passes on what is in order, and what has waited long enough; call it a few times a second if no message arrives. */
  release(now: number): void {
    for (;;) {
      const next = this.#lowest()
      if (!next) return
      const waited = now - next.heldAt >= HOLD_MS || this.#held.length > SLOTS
      if (next.sequence > this.#expected && !waited) return
      this.#held.splice(this.#held.indexOf(next), 1)
      if (next.sequence >= this.#expected) this.#expected = next.sequence + 1
      this.#deliver(next.timestampMs, next.payload, now)
      this.#free.push(next)
    }
  }

  /** Starts again at `sequence`, and releases the waiting messages. */
  #begin(sequence: number, now: number): void {
    this.#expected = Number.NEGATIVE_INFINITY
    while (this.#held.length > 0) this.release(now + HOLD_MS)
    this.#expected = sequence <= FIRST ? Math.min(1, sequence) : sequence
  }

  #hold(sequence: number, timestampMs: number, payload: string | Buffer, now: number): void {
    this.reordered++
    const slot = this.#free.pop() ?? {
      ...{ sequence, timestampMs, payload, heldAt: now },
      bytes: Buffer.allocUnsafeSlow(USUAL_BYTES),
    }
    slot.sequence = sequence
    slot.timestampMs = timestampMs
    slot.heldAt = now
    slot.payload = typeof payload === 'string' ? payload : kept(payload, slot.bytes)
    this.#held.push(slot)
  }

  #lowest(): Slot | undefined {
    let lowest: Slot | undefined
    for (const slot of this.#held) if (!lowest || slot.sequence < lowest.sequence) lowest = slot
    return lowest
  }
}

function kept(payload: Buffer, room: Buffer): Buffer {
  if (payload.length > room.length) return Buffer.from(payload)
  payload.copy(room)
  return room.subarray(0, payload.length)
}
