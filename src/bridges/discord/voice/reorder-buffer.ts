import type { LinkCounters } from '../counters.ts'

/** A sequence number further away than this belongs to another stream (5 s of 20 ms packets). */
const JUMP = 250
/** Slots for early packets: a power of two, so that sequence numbers wrap around in them. */
const SLOTS = 4
/** This many consecutive late packets mean that the numbering restarted (1 s). */
const LATE_MOST = 50

/**
 * Receives packets in order; `lost` is the number of packets lost before this one. `anew`: it is unrelated to the previous
 * one. The receiver owns the memory.
 */
export type PacketHandler = (timestamp: number, opus: Uint8Array, lost: number, anew: boolean) => void

interface Held {
  sequence: number
  timestamp: number
  opus: Uint8Array | undefined
}

/**
 * Restores the order in which packets were sent. A packet in sequence passes immediately. An early one waits for its
 * predecessors until enough early packets show that they are lost. Each packet passes once; late ones are counted and
 * dropped.
 */
export class ReorderBuffer {
  readonly #next: PacketHandler
  readonly #counters: LinkCounters
  readonly #size: number
  readonly #slots: readonly Held[] = Array.from({ length: SLOTS }, () => ({
    sequence: 0,
    timestamp: 0,
    opus: undefined,
  }))
  /** The last 256 sequence numbers that passed; distinguishes late packets from duplicates. */
  readonly #gone = new Uint8Array(256)
  #expected = -1
  #held = 0
  #lost = 0
  #lateRun = 0

  /** A packet counts as lost when one arrives that is `size` ahead of it. */
  constructor(next: PacketHandler, counters: LinkCounters, size = 3) {
    if (!(Number.isInteger(size) && size >= 1 && size <= SLOTS))
      throw new RangeError(`size must be from 1 to ${SLOTS}, got ${size}`)
    this.#next = next
    this.#counters = counters
    this.#size = size
  }

  /** Packets are waiting for a missing one. */
  get holding(): boolean {
    return this.#held > 0
  }

  /** `sequence` has 16 bits and wraps around. */
  push(sequence: number, timestamp: number, opus: Uint8Array): void {
    const ahead = this.#expected < 0 ? 0 : ((sequence - this.#expected + 0x8000) & 0xffff) - 0x8000
    if (this.#expected < 0 || ahead > JUMP || ahead < -JUMP) this.#anew(sequence, timestamp, opus)
    else if (ahead < 0) this.#late(sequence, timestamp, opus)
    else this.#early(sequence, timestamp, opus)
  }

  #late(sequence: number, timestamp: number, opus: Uint8Array): void {
    if (this.#gone[sequence & 255]) this.#counters.duplicate++
    else this.#counters.late++
    if (++this.#lateRun >= LATE_MOST) this.#anew(sequence, timestamp, opus)
  }

  #early(sequence: number, timestamp: number, opus: Uint8Array): void {
    this.#lateRun = 0
    const waited = this.#held > 0 && sequence === this.#expected
    if (((sequence - this.#expected) & 0xffff) >= this.#size) {
      while (((sequence - this.#expected) & 0xffff) >= this.#size) this.#step()
      this.#drain()
    }
    if (sequence !== this.#expected) {
      this.#hold(sequence, timestamp, opus)
      return
    }
    if (waited) this.#counters.reordered++
    this.#pass(timestamp, opus, false)
    this.#drain()
  }

  /** Stops waiting and passes all held packets. */
  flush(): void {
    while (this.#held > 0) this.#step()
  }

  /** Passes all held packets, then forgets the stream. */
  reset(): void {
    this.flush()
    this.#expected = -1
    this.#lost = 0
    this.#lateRun = 0
    this.#gone.fill(0)
  }

  #anew(sequence: number, timestamp: number, opus: Uint8Array): void {
    if (this.#expected >= 0) this.#counters.restarts++
    this.reset()
    this.#expected = sequence
    this.#pass(timestamp, opus, true)
  }

  #hold(sequence: number, timestamp: number, opus: Uint8Array): void {
    const slot = this.#slot(sequence)
    if (slot.opus !== undefined) {
      this.#counters.duplicate++
      return
    }
    slot.sequence = sequence
    slot.timestamp = timestamp
    slot.opus = opus
    this.#held++
  }

  /** Passes the held packets that are now in sequence. */
  #drain(): void {
    while (this.#held > 0 && this.#slot(this.#expected).opus !== undefined) this.#step()
  }

  /** Passes the next packet in sequence, or counts it as lost. */
  #step(): void {
    const slot = this.#slot(this.#expected)
    const { opus } = slot
    if (opus !== undefined && slot.sequence === this.#expected) {
      slot.opus = undefined
      this.#held--
      this.#pass(slot.timestamp, opus, false)
      return
    }
    this.#counters.lost++
    this.#lost++
    this.#gone[this.#expected & 255] = 0
    this.#expected = (this.#expected + 1) & 0xffff
  }

  #pass(timestamp: number, opus: Uint8Array, anew: boolean): void {
    const lost = this.#lost
    this.#lost = 0
    this.#gone[this.#expected & 255] = 1
    this.#expected = (this.#expected + 1) & 0xffff
    this.#next(timestamp, opus, lost, anew)
  }

  #slot(sequence: number): Held {
    return this.#slots[sequence & (SLOTS - 1)]!
  }
}
