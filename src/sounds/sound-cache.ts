import type { Sound } from '../core/sound.ts'

interface Entry {
  readonly sound: Promise<Sound>
  bytes: number
}

/**
 * Sounds by key, each made once however many ask at the same time. What failed is not kept. Beyond `maxBytes` those
 * that were not asked for the longest go first.
 */
export class SoundCache {
  readonly #maxBytes: number
  /** In the order of use, the longest unused first. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(maxBytes: number) {
    if (!(maxBytes > 0)) throw new RangeError(`maxBytes must be above 0, got ${maxBytes}`)
    this.#maxBytes = maxBytes
  }

  /** Bytes of the sounds that are kept. */
  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#entries.size
  }

  /** The sound under `key`; `make` is called if there is none. Rejects as `make` does. */
  get(key: string, make: () => Promise<Sound>): Promise<Sound> {
    const known = this.#entries.get(key)
    if (known) {
      this.#entries.delete(key)
      this.#entries.set(key, known)
      return known.sound
    }
    const entry: Entry = { sound: make(), bytes: 0 }
    this.#entries.set(key, entry)
    entry.sound.then(
      ({ pcm }) => {
        entry.bytes = pcm.byteLength
        this.#bytes += entry.bytes
        this.#makeRoom()
      },
      () => this.#entries.delete(key),
    )
    return entry.sound
  }

  #makeRoom(): void {
    for (const [key, { bytes }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return
      // One that is still being made has no size yet, and somebody waits for it.
      if (bytes === 0) continue
      this.#entries.delete(key)
      this.#bytes -= bytes
    }
  }
}
