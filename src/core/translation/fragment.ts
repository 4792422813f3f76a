/** A segment of a speaker's audio as sent to the service: linear16, 16 kHz, mono. */
export interface Fragment {
  /** Position in the session, from 0; never reused, even on a new connection. */
  readonly sequence: number
  /** Samples, linear16. */
  readonly pcm: Int16Array
  /** Byte view of `pcm`, for sending. */
  readonly bytes: Uint8Array
  /** Time of the last send on the current connection (clock ms); negative until it is sent. */
  sentAt: number
  acked: boolean
  /** True if it contains no loud frame. */
  quiet: boolean
}

/** Memory of a fragment. */
export type FragmentMemory = Pick<Fragment, 'pcm' | 'bytes'>

/** Pool of fragment memory of one size, shared by all sessions, so that a steady call allocates nothing. */
export class FragmentPool {
  readonly bytes: number
  readonly #spare: FragmentMemory[] = []
  readonly #most: number
  #lent = 0

  /** `bytes`: size of each fragment. `most`: maximum number of spares. */
  constructor(bytes: number, most = 2_048) {
    this.bytes = bytes
    this.#most = most
  }

  /** Number of fragments in use; 0 when all replay buffers are closed. */
  get lent(): number {
    return this.#lent
  }

  take(): FragmentMemory {
    this.#lent++
    const spare = this.#spare.pop()
    if (spare) return spare
    const memory = new ArrayBuffer(this.bytes)
    return { pcm: new Int16Array(memory), bytes: Buffer.from(memory) }
  }

  give(memory: FragmentMemory): void {
    this.#lent--
    if (this.#spare.length < this.#most) this.#spare.push(memory)
  }

  /** Removes one fragment from the count without reusing its memory, because a reader can still use it. */
  abandon(): void {
    this.#lent--
  }
}
