import type { EndReason } from './errors.ts'

/** Something that ends once, by itself or by its owner. */
export interface Closable {
  readonly ended: Promise<EndReason>
  close(reason: EndReason): Promise<void>
}

/** The children of one owner: forgotten when they end, closed together when the owner does. */
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
