import type { BridgeError } from './errors.ts'

/** The reason why an object ended. An end is not an error: a hang-up has no stack trace. */
export type EndReason =
  /** The remote or the local side hung up. */
  | { kind: 'hangup'; by: 'remote' | 'local' }
  /** The owner was closed. */
  | { kind: 'parent-closed' }
  /** No longer needed (a session without listeners). */
  | { kind: 'unused' }
  /** A newer leg of the same call replaced it. */
  | { kind: 'replaced' }
  /** No data arrived for this long. */
  | { kind: 'idle'; afterMs: number }
  | { kind: 'failed'; error: BridgeError }

/** Formats an end reason as a short line for logs. */
export function describeEnd(reason: EndReason): string {
  switch (reason.kind) {
    case 'hangup':
      return `hangup by ${reason.by}`
    case 'idle':
      return `idle for ${Math.round(reason.afterMs)} ms`
    case 'failed':
      return `failed ${reason.error.code}: ${reason.error.message}`
    default:
      return reason.kind
  }
}

/** An object that ends once, either on its own or when its owner closes it. */
export interface Closable {
  readonly ended: Promise<EndReason>
  close(reason: EndReason): Promise<void>
}

/** The children of one owner: removed when they end, closed together with the owner. */
export class OwnedSet<T extends Closable> implements Iterable<T> {
  readonly #items = new Set<T>()

  add<U extends T>(item: U): U {
    this.#items.add(item)
    void item.ended.then(() => this.#items.delete(item))
    return item
  }

  get size(): number {
    return this.#items.size
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items.values()
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled(Array.from(this.#items, item => item.close({ kind: 'parent-closed' })))
  }
}
