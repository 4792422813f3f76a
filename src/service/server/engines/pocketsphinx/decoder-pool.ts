import { EngineError } from '../engine-error.ts'
import type { SphinxDecoder } from './decoder.ts'

/**
 * Decoders created on demand, up to `size`, and kept for the next speaker: creating and freeing one per session would
 * grow the allocator's arenas. `acquire` lends a decoder; return it with `release` or, when broken, `discard`.
 */
export class DecoderPool {
  readonly #make: () => Promise<SphinxDecoder>
  readonly #size: number
  #idle: SphinxDecoder[] = []
  #made = 0
  #closed = false

  constructor(size: number, make: () => Promise<SphinxDecoder>) {
    if (!(size >= 1)) throw new RangeError(`a pool holds at least 1 decoder, got ${size}`)
    this.#size = size
    this.#make = make
  }

  /** Number of idle decoders. */
  get idle(): number {
    return this.#idle.length
  }

  /** Number of decoders that exist or are being created. */
  get made(): number {
    return this.#made
  }

  /** Creates decoders until `count` of them are idle or the pool is full. */
  async warm(count: number): Promise<void> {
    const missing = Math.min(count - this.#idle.length, this.#size - this.#made)
    await Promise.all(
      Array.from({ length: Math.max(0, missing) }, async () => this.#keep(await this.#create())),
    )
  }

  async acquire(): Promise<SphinxDecoder> {
    const decoder = this.#idle.pop()
    if (decoder) return decoder
    if (this.#closed) throw new EngineError('transcription', 'pocketsphinx', 'is closed')
    if (this.#made >= this.#size)
      throw new EngineError('transcription', 'pocketsphinx', `all ${this.#size} decoders are in use`)
    return this.#create()
  }

  async release(decoder: SphinxDecoder): Promise<void> {
    try {
      await decoder.rest()
      this.#keep(decoder)
    } catch {
      this.discard(decoder)
    }
  }

  discard(decoder: SphinxDecoder): void {
    this.#made--
    decoder.free()
  }

  /** Frees idle decoders now and lent ones when they are returned. */
  close(): void {
    this.#closed = true
    for (const decoder of this.#idle.splice(0)) this.discard(decoder)
  }

  #keep(decoder: SphinxDecoder): void {
    if (this.#closed) this.discard(decoder)
    else this.#idle.push(decoder)
  }

  async #create(): Promise<SphinxDecoder> {
    this.#made++
    try {
      return await this.#make()
    } catch (error) {
      this.#made--
      throw error
    }
  }
}
