import type { Mp3Backend, Mp3Decoder } from './mp3-backend.ts'
import { openMp3Backend } from './mp3-open.ts'

/** How a pool is measured out. */
export interface Mp3PoolOptions {
  /** Decoders at most, in use or not: one for each utterance that is being decoded. Default 400. */
  max?: number
  /** Decoders for which room is made beforehand, so that an utterance need not wait. Default 8. */
  spare?: number
  /** Where decoders come from; by default libmpg123, native if it is installed, as WebAssembly otherwise. */
  backend?: Mp3Backend
}

const MAX = 400
const SPARE = 8

/**
 * The decoders of a whole process. They are lent and come back reset, so nothing of one utterance is heard in another.
 * The pool owns them; whoever borrows one gives it back.
 */
export class Mp3Pool {
  readonly max: number
  readonly spare: number
  #backend: Mp3Backend | undefined
  #idle: Mp3Decoder[] = []
  #lent = 0
  #growing: Promise<void> | undefined
  #closed = false

  /** Throws RangeError unless `max` and `spare` are whole numbers, `max` above 0. */
  constructor(options: Mp3PoolOptions = {}) {
    this.max = options.max ?? MAX
    this.spare = Math.min(options.spare ?? SPARE, this.max)
    if (!Number.isInteger(this.max) || this.max < 1)
      throw new RangeError(`max is a whole number above 0, got ${options.max}`)
    if (!Number.isInteger(this.spare) || this.spare < 0)
      throw new RangeError(`spare is a whole number from 0, got ${options.spare}`)
    this.#backend = options.backend
  }

  /** Decoders there are, lent or idle. */
  get size(): number {
    return this.#lent + this.#idle.length
  }

  /** Decoders there are and nobody uses. */
  get idle(): number {
    return this.#idle.length
  }

  /** The name of the backend, `native` or `wasm`; undefined before the first `ready`. */
  get backend(): string | undefined {
    return this.#backend?.name
  }

  /**
   * Resolves once `count` decoders (by default `spare`, `max` at most) can be borrowed without waiting.
   * Rejects if the backend cannot be opened or the pool is closed.
   */
  async ready(count: number = this.spare): Promise<void> {
    for (;;) {
      if (this.#closed) throw new Error('the pool is closed')
      // What others borrow meanwhile cannot be waited for.
      if (this.#backend && this.#available >= Math.min(count, this.max - this.#lent)) return
      await this.#grow()
    }
  }

  /** Lends a decoder, as new. Undefined if all are lent or there is no room yet; room is then being made: ask again later. */
  borrow(): Mp3Decoder | undefined {
    if (this.#closed || this.#lent >= this.max) return undefined
    const decoder =
      this.#idle.pop() ?? (this.#backend && this.#backend.room > 0 ? this.#backend.create() : undefined)
    if (decoder) this.#lent++
    // A failure here is met again, and told, by the next `ready`.
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

  /** Frees all decoders; those lent follow as they come back. Idempotent. */
  close(): void {
    this.#closed = true
    for (const decoder of this.#idle) decoder.free()
    this.#idle = []
  }

  /** How many could be borrowed now. */
  get #available(): number {
    const room = this.#backend?.room ?? 0
    return Math.min(this.#idle.length + room, this.max - this.#lent)
  }

  /** One at a time, however many ask. */
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
