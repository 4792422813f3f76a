import { ServiceFailure } from './service-failure.ts'

export interface SendWindowOptions<T> {
  /** Most that may be without acknowledgment. */
  readonly size: number
  /** Most that may wait for a place. */
  readonly maxWaiting: number
  /** Hands one on; `acked` of its number follows. */
  readonly emit: (item: T, sent: number) => void
}

interface Entry<T> {
  readonly item: T
  readonly resolve: () => void
  readonly reject: (error: ServiceFailure) => void
}

/**
 * Back-pressure by acknowledgments: at most `size` are on their way. `send` settles when there is room behind what it
 * sent. A refusal rejects the `send` itself when it still waits, else the next one (which is then not sent) or `drained`.
 */
export class SendWindow<T> {
  readonly #options: SendWindowOptions<T>
  readonly #line: Entry<T>[] = []
  /** Sent, without acknowledgment; the entry where its `send` has not settled yet. */
  readonly #flying = new Map<number, Entry<T> | undefined>()
  #open = false
  #sent = 0
  #refusal: ServiceFailure | undefined
  #ended: ServiceFailure | undefined
  #drained: Omit<Entry<T>, 'item'>[] = []

  constructor(options: SendWindowOptions<T>) {
    if (!(options.size >= 1)) throw new RangeError(`a window has at least 1 place, got ${options.size}`)
    this.#options = options
  }

  /** Sent, and not acknowledged yet. */
  get flying(): number {
    return this.#flying.size
  }

  /** From now on what was given is sent. */
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
        ServiceFailure.found('limit/too_many_waiting', `${maxWaiting} sends wait already: await each`),
      )
    return new Promise((resolve, reject) => {
      this.#line.push({ item, resolve, reject })
      this.#pump()
    })
  }

  /** The acknowledgment of `sent`: taken, or refused for this reason. */
  acked(sent: number, refusal?: ServiceFailure): void {
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

  /** Settles when all that was given was acknowledged. Rejects with a refusal that no `send` has reported. */
  drained(): Promise<void> {
    if (this.#ended) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      this.#drained.push({ resolve, reject })
      this.#settleDrained()
    })
  }

  /** Nothing is sent any more; everything that waits is rejected. Idempotent. */
  end(failure: ServiceFailure): void {
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

  /** Settles the sends behind which there is room now. */
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

  #takeRefusal(): ServiceFailure | undefined {
    const refusal = this.#refusal
    this.#refusal = undefined
    return refusal
  }
}
