/** A stretch of a speaker's audio as it goes to the service: linear16, 16 kHz, mono. */
export interface Fragment {
  /** Position in the session, counted from 0 and never reused, whatever connection carries it. */
  readonly sequence: number
  /** Samples, linear16. */
  readonly pcm: Int16Array
  /** The same memory as it is sent. */
  readonly bytes: Uint8Array
  /** Clock time of the last send on the present connection (ms); negative while it waits to be sent. */
  sentAt: number
  acked: boolean
  /** No frame in it was loud. */
  quiet: boolean
}

/** The memory of a fragment. */
export type FragmentMemory = Pick<Fragment, 'pcm' | 'bytes'>

/** Spare fragments of one size, shared by all sessions so that a steady call makes no garbage. */
export class FragmentPool {
  readonly bytes: number
  readonly #spare: FragmentMemory[] = []
  readonly #most: number
  #lent = 0

  /** `bytes` of each fragment; at most `most` spares are kept. */
  constructor(bytes: number, most = 2_048) {
    this.bytes = bytes
    this.#most = most
  }

  /** Fragments in use now; 0 when every ring is closed. */
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

  /** One is not coming back: somebody may still read it. */
  abandon(): void {
    this.#lent--
  }
}
