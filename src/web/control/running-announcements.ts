import type { Announcement } from '../../core/announcement.ts'
import type { Departed } from './departed.ts'

/** What the API plays just now, so that it can be stopped. Forgotten when it has ended. */
export class RunningAnnouncements {
  readonly #departed: Departed
  readonly #running = new Map<string, Announcement>()
  #count = 0

  constructor(departed: Departed) {
    this.#departed = departed
  }

  get size(): number {
    return this.#running.size
  }

  /** An id for `announcement`, unique in this process. */
  add(announcement: Announcement): string {
    const id = `announcement-${++this.#count}`
    this.#running.set(id, announcement)
    void announcement.ended.then(() => {
      this.#running.delete(id)
      this.#departed.add('announcement', id)
    })
    return id
  }

  /** Ends it at once, what the far side has in its queue included. False when there is and was none lately. */
  stop(id: string): boolean {
    const running = this.#running.get(id)
    running?.stop({ flush: true })
    return running !== undefined || this.#departed.has('announcement', id)
  }
}
