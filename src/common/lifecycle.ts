import type { EndReason } from './errors.ts'

/** An object that ends once, either on its own or when its owner closes it. */
export interface Closable {
  readonly ended: Promise<EndReason>
  close(reason: EndReason): Promise<void>
}

/** The children of one owner: removed when they end, closed together with the owner. */
export class Owned<T extends Closable> implements Iterable<T> {
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
