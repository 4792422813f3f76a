import { PERHAPS_FREE_MS } from '../capacity.ts'
import { ServiceError } from '../errors.ts'

/** Maximum number of uploads at the same time: each needs some buffers, even if nothing arrives. */
const MOST_UPLOADS = 64

/** Holder of a key, as far as uploads are concerned. */
export interface UploadHolder {
  readonly name: string
  /** Maximum number of sessions of the key, and so of its uploads; infinite without a limit. */
  readonly maxSessions: number
}

/** One upload. Disposing it returns its memory (idempotent). */
export interface Upload extends Disposable {
  /** Counts received bytes. */
  received(bytes: number): void
}

interface Held {
  readonly key: string
  readonly end: (error: ServiceError) => void
  bytes: number
}

/**
 * The requests that are being received, before they take a place in the queue. Their number and memory are bounded, and
 * shared fairly: when there is no room, the key with the largest share loses its oldest upload.
 */
export class Uploads {
  readonly #maxBytes: number
  /** In order of arrival. */
  readonly #held = new Set<Held>()

  /** `maxBytes`: maximum memory of all uploads together. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get size(): number {
    return this.#held.size
  }

  /**
   * Starts an upload, which `end` ends when another key needs the room. Throws `key_sessions_taken` when the key has as
   * many uploads as it can have sessions.
   */
  begin({ name, maxSessions }: UploadHolder, end: (error: ServiceError) => void): Upload {
    if (Array.from(this.#held).filter(({ key }) => key === name).length >= maxSessions)
      throw new ServiceError(
        'key_sessions_taken',
        `${maxSessions} uploads with this API key are already in progress, as many as it can have sessions`,
      )
    const held: Held = { key: name, end, bytes: 0 }
    this.#held.add(held)
    if (this.#held.size > MOST_UPLOADS) this.#displace(() => 1)
    return {
      received: bytes => {
        held.bytes += bytes
        let sum = 0
        for (const each of this.#held) sum += each.bytes
        if (sum > this.#maxBytes) this.#displace(each => each.bytes)
      },
      [Symbol.dispose]: () => void this.#held.delete(held),
    }
  }

  #displace(share: (held: Held) => number): void {
    const shares = new Map<string, number>()
    for (const each of this.#held) shares.set(each.key, (shares.get(each.key) ?? 0) + share(each))
    let largest = ''
    for (const [key, sum] of shares) if (sum >= (shares.get(largest) ?? 0)) largest = key
    for (const each of this.#held) {
      if (each.key !== largest) continue
      this.#held.delete(each)
      each.end(
        new ServiceError('too_many_jobs', 'too many files are being uploaded: try again later', {
          retryAfterMs: PERHAPS_FREE_MS,
        }),
      )
      return
    }
  }
}
