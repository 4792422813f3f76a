import type { Sound } from '../../core/model/sound.ts'

interface Entry {
  readonly sound: Promise<Sound>
  bytes: number
}

/**
 * Caches sounds by key. Concurrent requests share one creation. Failures are not cached. Above `maxBytes`, the least
 * recently used sounds are removed.
 */
export class SoundCache {
  readonly #maxBytes: number
  /** In order of use, least recently used first. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(maxBytes: number) {
    if (!(maxBytes > 0)) throw new RangeError(`maxBytes must be above 0, got ${maxBytes}`)
    this.#maxBytes = maxBytes
  }

  /** Total size of the cached sounds. */
  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#entries.size
  }

  /** Returns the sound of `key`, calling `make` if it is missing. Rejects with the error of `make`. */
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
      // A sound in creation has no size yet, and a caller waits for it.
      if (bytes === 0) continue
      this.#entries.delete(key)
      this.#bytes -= bytes
    }
  }
}
