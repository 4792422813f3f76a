export interface EventQueueOptions {
  /** Number of items or bytes at which the queue is full: `pause` is called, and `resume` once half of it was read. */
  readonly maxItems: number
  readonly maxBytes: number
  readonly pause: () => void
  readonly resume: () => void
}

/**
 * Queue of received items. A full queue asks the source to pause, and still keeps everything that arrives. One reader
 * at a time.
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

  /** True while the source is paused. */
  get full(): boolean {
    return this.#full
  }

  /** Number of queued items. */
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

  /** Ends the queue. Readers get the queued items, then the end or `error`. Idempotent: the first end counts. */
  end(error?: Error): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    this.#wake?.()
  }

  /** Returns the next item; done after the end. Rejects with the error of the end, each time. */
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
