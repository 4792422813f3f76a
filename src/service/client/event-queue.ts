/**
 * Queue of received items between their source and one reader at a time. A full queue accepts nothing more: the caller ends the source.
 */
export class EventQueue<T> {
  readonly #maxItems: number
  readonly #maxBytes: number
  readonly #items: { item: T; bytes: number }[] = []
  #bytes = 0
  #ended = false
  #error: Error | undefined
  #wake: (() => void) | undefined

  constructor(maxItems: number, maxBytes: number) {
    this.#maxItems = maxItems
    this.#maxBytes = maxBytes
  }

  /** Number of queued items. */
  get size(): number {
    return this.#items.length
  }

  /** Returns false if the item does not fit. After the end it is dropped. */
  push(item: T, bytes: number): boolean {
    if (this.#ended) return true
    if (this.#items.length >= this.#maxItems || this.#bytes + bytes > this.#maxBytes) return false
    this.#items.push({ item, bytes })
    this.#bytes += bytes
    this.#wake?.()
    return true
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
}
