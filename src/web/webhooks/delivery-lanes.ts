import type { SealedEvent } from './webhook-event.ts'

/** An event on its way to a receiver. */
export interface Job {
  readonly event: SealedEvent
  /** Attempts that failed. */
  failures: number
}

interface Lane {
  readonly jobs: Job[]
  /** Its first job is being sent, or waits for another attempt. */
  held: boolean
}

/**
 * What waits for one receiver: a lane for each room, each in order and one event at a time, so that a room never waits
 * for another. At most `most` events; beyond that the room that was served longest ago loses its oldest.
 */
export class DeliveryLanes {
  readonly #most: number
  /** The lane that was served longest ago is first. */
  readonly #lanes = new Map<string, Lane>()
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Events that wait or are being sent. */
  get size(): number {
    return this.#size
  }

  /** Adds an event; returns one that was dropped for it. */
  push(event: SealedEvent): SealedEvent | undefined {
    const dropped = this.#size >= this.#most ? this.#dropOldest() : undefined
    // Everything is held: the new one goes.
    if (this.#size >= this.#most) return event
    const lane = this.#lanes.get(event.room) ?? { jobs: [], held: false }
    this.#lanes.set(event.room, lane)
    lane.jobs.push({ event, failures: 0 })
    this.#size++
    return dropped
  }

  /** The next event that may be sent, which is held until `done` or `release`. */
  take(): Job | undefined {
    for (const [room, lane] of this.#lanes) {
      if (lane.held) continue
      lane.held = true
      this.#lanes.delete(room)
      this.#lanes.set(room, lane)
      return lane.jobs[0]
    }
    return undefined
  }

  /** The event of `job` needs no further attempt. */
  done({ event: { room } }: Job): void {
    const lane = this.#lanes.get(room)
    if (!lane) return
    lane.jobs.shift()
    lane.held = false
    this.#size--
    if (lane.jobs.length === 0) this.#lanes.delete(room)
  }

  /** `job` may be taken again. */
  release({ event: { room } }: Job): void {
    const lane = this.#lanes.get(room)
    if (lane) lane.held = false
  }

  #dropOldest(): SealedEvent | undefined {
    for (const [room, lane] of this.#lanes) {
      const [dropped] = lane.jobs.splice(lane.held ? 1 : 0, 1)
      if (!dropped) continue
      this.#size--
      if (lane.jobs.length === 0) this.#lanes.delete(room)
      return dropped.event
    }
    return undefined
  }
}
