import type { Announcement } from '../../core/playout/announcement.ts'
import type { Departed } from './departed.ts'

/** Announcements being played by the API, so that they can be stopped. Removed when they end. */
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

  /** Returns an ID for `announcement`, unique in this process. */
  add(announcement: Announcement): string {
    const id = `announcement-${++this.#count}`
    this.#running.set(id, announcement)
    void announcement.ended.then(() => {
      this.#running.delete(id)
      this.#departed.add('announcement', id)
    })
    return id
  }

  /** Stops it at once, including audio already queued at the peer. Returns false if it is unknown. */
  stop(id: string): boolean {
    const running = this.#running.get(id)
    running?.stop({ flush: true })
    return running !== undefined || this.#departed.has('announcement', id)
  }
}
