import { ServiceClientError } from './errors.ts'

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

export interface SendWindowOptions<T> {
  /** Maximum number of unacknowledged sends. */
  readonly size: number
  /** Maximum number of queued sends. */
  readonly maxWaiting: number
  /** Sends one item; `acked` with its number follows. */
  readonly emit: (item: T, sent: number) => void
}

interface Entry<T> {
  readonly item: T
  readonly resolve: () => void
  readonly reject: (error: ServiceClientError) => void
}

/**
 * Back-pressure by acknowledgments: at most `size` items are in flight. `send` settles when there is room for the next
 * one. A rejection rejects the `send` itself if it is still pending, else the next one (which is then not sent) or
 * `drained`.
 */
export class SendWindow<T> {
  readonly #options: SendWindowOptions<T>
  readonly #line: Entry<T>[] = []
  /** Sent and unacknowledged; the entry if its `send` has not settled yet. */
  readonly #flying = new Map<number, Entry<T> | undefined>()
  #open = false
  #sent = 0
  #refusal: ServiceClientError | undefined
  #ended: ServiceClientError | undefined
  #drained: Omit<Entry<T>, 'item'>[] = []

  constructor(options: SendWindowOptions<T>) {
    if (!(options.size >= 1)) throw new RangeError(`the window size must be at least 1, got ${options.size}`)
    this.#options = options
  }

  /** Number of unacknowledged sends. */
  get flying(): number {
    return this.#flying.size
  }

  /** Starts sending, including the queued items. */
  open(): void {
    this.#open = true
    this.#pump()
  }

  send(item: T): Promise<void> {
    const failure = this.#ended ?? this.#takeRefusal()
    if (failure) return Promise.reject(failure)
    const { maxWaiting } = this.#options
    if (this.#line.length >= maxWaiting)
      return Promise.reject(
        ServiceClientError.found(
          'limit/too_many_waiting',
          `${maxWaiting} sends are already waiting: await each send`,
        ),
      )
    return new Promise((resolve, reject) => {
      this.#line.push({ item, resolve, reject })
      this.#pump()
    })
  }

  /** Handles the acknowledgment of `sent`: accepted, or rejected with `refusal`. */
  acked(sent: number, refusal?: ServiceClientError): void {
    if (!this.#flying.has(sent)) return
    const own = this.#flying.get(sent)
    this.#flying.delete(sent)
    if (refusal && own) own.reject(refusal.ofSend(sent))
    else if (refusal) this.#refusal ??= refusal.ofSend(sent)
    else own?.resolve()
    this.#roomFor()
    this.#pump()
    this.#settleDrained()
  }

  /** Settles when everything was acknowledged. Rejects with a rejection that no `send` has reported. */
  drained(): Promise<void> {
    if (this.#ended) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      this.#drained.push({ resolve, reject })
      this.#settleDrained()
    })
  }

  /** Stops sending and rejects all pending sends. Idempotent. */
  end(failure: ServiceClientError): void {
    if (this.#ended) return
    this.#ended = failure
    const waiting = [...this.#line.splice(0), ...this.#flying.values(), ...this.#drained.splice(0)]
    this.#flying.clear()
    for (const entry of waiting) entry?.reject(failure)
  }

  #pump(): void {
    while (this.#open && !this.#ended && this.#line.length > 0 && this.#flying.size < this.#options.size) {
      const entry = this.#line.shift()!
      const sent = ++this.#sent
      this.#flying.set(sent, entry)
      this.#options.emit(entry.item, sent)
      this.#roomFor()
    }
  }

  /** Settles the sends that now have room after them. */
  #roomFor(): void {
    if (this.#flying.size >= this.#options.size) return
    for (const [sent, entry] of this.#flying) {
      entry?.resolve()
      this.#flying.set(sent, undefined)
    }
  }

  #settleDrained(): void {
    if (this.#drained.length === 0 || this.#line.length > 0 || this.#flying.size > 0) return
    const failure = this.#takeRefusal()
    for (const waiting of this.#drained.splice(0)) {
      if (failure) waiting.reject(failure)
      else waiting.resolve()
    }
  }

  #takeRefusal(): ServiceClientError | undefined {
    const refusal = this.#refusal
    this.#refusal = undefined
    return refusal
  }
}
