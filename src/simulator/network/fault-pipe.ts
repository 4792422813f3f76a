import type { Socket } from 'node:net'
import { after, type Clock } from '../../common/clock.ts'
import type { Toxics } from './toxics.ts'

/**
 * Maximum number of bytes in transit in one direction; a source that sends more has to wait, as with a full network.
 */
const MOST_HELD = 256 * 1024

/** One direction of a connection through the proxy. Toxics are read for every chunk, so that they can change. */
export class FaultPipe {
  readonly #from: Socket
  readonly #to: Socket
  readonly #toxics: Toxics
  readonly #clock: Clock
  readonly #random: () => number
  /** Called when `limitBytes` is reached. */
  readonly #limited: () => void
  readonly #queue: { bytes: Buffer; due: number }[] = []
  #held = 0
  #latest = 0
  /** Time when the line is free again, with limited bandwidth. */
  #freeAt = 0
  #timer: Disposable | undefined
  /** Set when the source has ended. */
  #ended = false
  /** Set when this direction was ended locally, regardless of the network. */
  #halfClosed = false
  #closed = false
  /** Number of bytes forwarded. */
  passed = 0

  constructor(
    from: Socket,
    to: Socket,
    toxics: Toxics,
    parts: { clock: Clock; random: () => number; limited: () => void },
  ) {
    this.#from = from
    this.#to = to
    this.#toxics = toxics
    this.#clock = parts.clock
    this.#random = parts.random
    this.#limited = parts.limited
    from.on('data', (bytes: Buffer) => this.#take(bytes))
    from.on('end', () => {
      this.#ended = true
      this.#pump()
    })
    to.on('drain', () => this.#pump())
  }

  /** Applies changed toxics: pending chunks can be due now. */
  changed(): void {
    this.#pump()
  }

  /** Ends this direction in order, after the bytes in transit; the other direction continues. */
  halfClose(): void {
    this.#halfClosed = true
    this.#pump()
  }

  close(): void {
    this.#closed = true
    this.#timer?.[Symbol.dispose]()
    this.#queue.length = 0
  }

  #take(bytes: Buffer): void {
    if (this.#closed || this.#toxics.swallow) return
    const { latencyMs = 0, jitterMs = 0, sliceBytes = bytes.length, sliceGapMs = 0 } = this.#toxics
    let due = this.#clock.now() + latencyMs
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      // Keeps the order: a chunk does not overtake the one before it.
      this.#latest = Math.max(this.#latest, due + this.#random() * jitterMs)
      this.#queue.push({ bytes: this.#damaged(bytes.subarray(at, at + sliceBytes)), due: this.#latest })
      if (sliceGapMs > 0) due = this.#latest + sliceGapMs
    }
    this.#held += bytes.length
    if (this.#held > MOST_HELD) this.#from.pause()
    this.#pump()
  }

  #damaged(bytes: Buffer): Buffer {
    const { corruptEvery } = this.#toxics
    if (!corruptEvery) return bytes
    const damaged = Buffer.from(bytes)
    for (let at = 0; at < damaged.length; at++)
      if (this.#random() * corruptEvery < 1) damaged[at]! ^= 1 << Math.floor(this.#random() * 8)
    return damaged
  }

  #pump(): void {
    if (this.#closed) return
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      if (this.#toxics.bytesPerSecond === 0 || this.#to.writableNeedDrain) return
      const now = this.#clock.now()
      const due = Math.max(next.due, this.#freeAt)
      if (due > now + 1) {
        this.#timer = after(this.#clock, due - now, () => this.#pump())
        return
      }
      this.#queue.shift()
      if (!this.#pass(next.bytes, now)) return
    }
    // A direction that loses its bytes or is stalled does not forward an end either.
    const { swallow, bytesPerSecond } = this.#toxics
    const told = this.#ended && !swallow && bytesPerSecond !== 0
    if ((told || this.#halfClosed) && !this.#to.writableEnded) this.#to.end()
  }

  #pass(bytes: Buffer, now: number): boolean {
    const { bytesPerSecond, limitBytes = Number.POSITIVE_INFINITY } = this.#toxics
    const whole = this.passed + bytes.length < limitBytes
    const piece = whole ? bytes : bytes.subarray(0, Math.max(0, limitBytes - this.passed))
    if (bytesPerSecond) this.#freeAt = Math.max(now, this.#freeAt) + (piece.length * 1_000) / bytesPerSecond
    if (this.#to.writable) this.#to.write(piece)
    this.passed += piece.length
    this.#held -= bytes.length
    if (this.#held <= MOST_HELD && this.#from.isPaused()) this.#from.resume()
    if (!whole) this.#limited()
    return whole
  }
}
