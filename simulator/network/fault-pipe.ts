import type { Socket } from 'node:net'
import { z } from 'zod'
import { type Clock, setTimer } from '../../src/common/clock.ts'

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

  constructor(from: Socket, to: Socket, toxics: Toxics, options: { clock: Clock; random: () => number }) {
    this.#from = from
    this.#to = to
    this.#toxics = toxics
    this.#clock = options.clock
    this.#random = options.random
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
    const { latencyMs = 0, jitterMs = 0, sliceBytes = bytes.length } = this.#toxics
    const due = this.#clock.now() + latencyMs
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      // Keeps the order: a chunk does not overtake the one before it.
      this.#latest = Math.max(this.#latest, due + this.#random() * jitterMs)
      this.#queue.push({ bytes: this.#damaged(bytes.subarray(at, at + sliceBytes)), due: this.#latest })
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
        this.#timer = setTimer(this.#clock, due - now, () => this.#pump())
        return
      }
      this.#queue.shift()
      this.#pass(next.bytes, now)
    }
    // A direction that loses its bytes or is stalled does not forward an end either.
    const { swallow, bytesPerSecond } = this.#toxics
    const told = this.#ended && !swallow && bytesPerSecond !== 0
    if ((told || this.#halfClosed) && !this.#to.writableEnded) this.#to.end()
  }

  #pass(bytes: Buffer, now: number): void {
    const { bytesPerSecond } = this.#toxics
    if (bytesPerSecond) this.#freeAt = Math.max(now, this.#freeAt) + (bytes.length * 1_000) / bytesPerSecond
    if (this.#to.writable) this.#to.write(bytes)
    this.passed += bytes.length
    this.#held -= bytes.length
    if (this.#held <= MOST_HELD && this.#from.isPaused()) this.#from.resume()
  }
}

/** Faults of one direction of a connection. Every field can be set and removed while bytes flow. */
export interface Toxics {
  /** Additional latency (ms). */
  latencyMs?: number
  /** Maximum random latency in addition, chunk by chunk; the order is kept, as on TCP (ms). */
  jitterMs?: number
  /** Maximum bytes per second; 0 stalls: data is neither read nor lost. */
  bytesPerSecond?: number
  /** Maximum size of a chunk (bytes): messages arrive in pieces. */
  sliceBytes?: number
  /** Average distance between corrupted bytes. */
  corruptEvery?: number
  /** Reads everything and forwards nothing: a black hole, and in both directions a peer that lost its power. */
  swallow?: boolean
}

/** `fin`: closed in order, on both sides. `rst`: reset, as when a process dies. */
export type CutHow = 'fin' | 'rst'

/** `up`: from client to server. */
export type Direction = 'up' | 'down'

const TOXICS = z.strictObject({
  latencyMs: z.number().min(0).optional(),
  jitterMs: z.number().min(0).optional(),
  bytesPerSecond: z.number().min(0).optional(),
  sliceBytes: z.int().min(1).optional(),
  corruptEvery: z.int().min(1).optional(),
  swallow: z.boolean().optional(),
})

/** Throws `RangeError` for an unknown or out-of-range fault. */
export function checkToxics(toxics: Toxics): void {
  const { error } = TOXICS.safeParse(toxics)
  if (error) throw new RangeError(z.prettifyError(error))
}
