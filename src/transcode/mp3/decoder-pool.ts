import type { Mp3Backend, Mp3Decoder } from './decoder.ts'
import { Mp3Native } from './mpg123-native.ts'
import { Mp3Wasm } from './mpg123-wasm.ts'

/** Opens the best available backend: the native library if installed, otherwise WebAssembly. */
export async function openMp3Backend(): Promise<Mp3Backend> {
  return (await Mp3Native.open()) ?? new Mp3Wasm()
}

/** Sizes of a pool. */
export interface Mp3PoolOptions {
  /** Maximum number of decoders, in use or idle: one per utterance being decoded. Default 400. */
  max?: number
  /** Decoders for which room is made in advance, so that an utterance need not wait. Default 8. */
  spare?: number
  /** Source of decoders; default: libmpg123, native if installed, otherwise as WebAssembly. */
  backend?: Mp3Backend
}

const MAX = 400
const SPARE = 8

/**
 * The decoders of a process. They are lent and reset on return, so utterances never affect each other. The pool owns
 * them; borrowers give them back.
 */
export class Mp3Pool {
  readonly max: number
  readonly spare: number
  #backend: Mp3Backend | undefined
  #idle: Mp3Decoder[] = []
  #lent = 0
  #growing: Promise<void> | undefined
  #closed = false

  /** Throws RangeError unless `max` and `spare` are integers, `max` above 0. */
  constructor(options: Mp3PoolOptions = {}) {
    this.max = options.max ?? MAX
    this.spare = Math.min(options.spare ?? SPARE, this.max)
    if (!Number.isInteger(this.max) || this.max < 1)
      throw new RangeError(`max is a whole number above 0, got ${options.max}`)
    if (!Number.isInteger(this.spare) || this.spare < 0)
      throw new RangeError(`spare is a whole number from 0, got ${options.spare}`)
    this.#backend = options.backend
  }

  /** Number of decoders, lent or idle. */
  get size(): number {
    return this.#lent + this.#idle.length
  }

  /** Number of idle decoders. */
  get idle(): number {
    return this.#idle.length
  }

  /** Name of the backend, `native` or `wasm`; undefined before the first `ready`. */
  get backend(): string | undefined {
    return this.#backend?.name
  }

  /**
   * Resolves when `count` decoders (default: `spare`, at most `max`) can be borrowed without waiting. Rejects if the
   * backend cannot be opened or the pool is closed.
   */
  async ready(count: number = this.spare): Promise<void> {
    for (;;) {
      if (this.#closed) throw new Error('the pool is closed')
      // Decoders lent in the meantime cannot be waited for.
      if (this.#backend && this.#available >= Math.min(count, this.max - this.#lent)) return
      await this.#grow()
    }
  }

  /**
   * Lends a reset decoder. Undefined if all are lent or there is no room yet; room is then being made: try again later.
   */
  borrow(): Mp3Decoder | undefined {
    if (this.#closed || this.#lent >= this.max) return undefined
    const decoder =
      this.#idle.pop() ?? (this.#backend && this.#backend.room > 0 ? this.#backend.create() : undefined)
    if (decoder) this.#lent++
    // The next `ready` reports a failure here.
    if (this.#available < Math.min(this.spare, this.max - this.#lent) || !decoder)
      this.#grow().catch(() => {})
    return decoder
  }

  /** Takes a decoder back. It must have come from `borrow` and not have been given back already. */
  giveBack(decoder: Mp3Decoder): void {
    this.#lent--
    if (this.#closed) {
      decoder.free()
      return
    }
    decoder.reset()
    this.#idle.push(decoder)
  }

  /** Frees all decoders; lent ones are freed when they are returned. Idempotent. */
  close(): void {
    this.#closed = true
    for (const decoder of this.#idle) decoder.free()
    this.#idle = []
  }

  /** Number of decoders that could be borrowed now. */
  get #available(): number {
    const room = this.#backend?.room ?? 0
    return Math.min(this.#idle.length + room, this.max - this.#lent)
  }

  /** Concurrent calls share one operation. */
  #grow(): Promise<void> {
    this.#growing ??= this.#growNow().finally(() => {
      this.#growing = undefined
    })
    return this.#growing
  }

  async #growNow(): Promise<void> {
    this.#backend ??= await openMp3Backend()
    if (!this.#closed) await this.#backend.grow()
  }
}
