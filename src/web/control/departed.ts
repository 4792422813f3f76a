import type { Observer } from '../../core/model/events.ts'

const MOST = 2_000

/** Who and what has ended lately, so that ending it once more is no error. */
export class Departed implements Disposable {
  readonly #ids = new Set<string>()
  readonly #subscriptions: readonly Disposable[]

  constructor(observer: Observer) {
    this.#subscriptions = [
      observer.on('left', ({ participant }) => this.add('participant', participant)),
      observer.on('room', ({ room, state }) => {
        if (state === 'closed') this.add('room', room)
        else this.#ids.delete(`room ${room}`)
      }),
    ]
  }

  add(kind: 'participant' | 'room' | 'announcement', id: string): void {
    this.#ids.add(`${kind} ${id}`)
    if (this.#ids.size > MOST) this.#ids.delete(this.#ids.keys().next().value!)
  }

  has(kind: 'participant' | 'room' | 'announcement', id: string): boolean {
    return this.#ids.has(`${kind} ${id}`)
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
  }
}
