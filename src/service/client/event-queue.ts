export interface EventQueueOptions {
  /** From so many items or bytes on it is full: `pause` is called, and `resume` once half of it was taken. */
  readonly maxItems: number
  readonly maxBytes: number
  readonly pause: () => void
  readonly resume: () => void
}

/**
 * What came, until it is asked for; nothing is lost. When it is full the source is asked to pause; what comes all the
 * same is kept. One reader at a time.
 */
export class EventQueue<T> {
  readonly #options: EventQueueOptions
  readonly #items: { item: T; bytes: number }[] = []
  #bytes = 0
  #full = false
  #ended = false
  #error: Error | undefined
  #wake: (() => void) | undefined

  constructor(options: EventQueueOptions) {
    this.#options = options
  }

  /** Whether the source has been asked to pause. */
  get full(): boolean {
    return this.#full
  }

  /** Items that wait. */
  get size(): number {
    return this.#items.length
  }

  push(item: T, bytes = 0): void {
    if (this.#ended) return
    this.#items.push({ item, bytes })
    this.#bytes += bytes
    const { maxItems, maxBytes, pause } = this.#options
    if (!this.#full && (this.#items.length >= maxItems || this.#bytes >= maxBytes)) {
      this.#full = true
      pause()
    }
    this.#wake?.()
  }

  /** Nothing more comes. Readers get what waits, then the end or `error`. Idempotent: the first end counts. */
  end(error?: Error): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    this.#wake?.()
  }

  /** The next item; done after the end. Rejects with the error of the end, each time. */
  async next(): Promise<IteratorResult<T, undefined>> {
    for (;;) {
      const first = this.#items.shift()
      if (first) {
        this.#bytes -= first.bytes
        this.#mayResume()
        return { done: false, value: first.item }
      }
      if (this.#error) throw this.#error
      if (this.#ended) return { done: true, value: undefined }
      await new Promise<void>(resolve => {
        const before = this.#wake
        this.#wake = () => {
          before?.()
          this.#wake = undefined
          resolve()
        }
      })
    }
  }

  #mayResume(): void {
    const { maxItems, maxBytes, resume } = this.#options
    if (!this.#full || this.#items.length > maxItems / 2 || this.#bytes > maxBytes / 2) return
    this.#full = false
    if (!this.#ended) resume()
  }
}
