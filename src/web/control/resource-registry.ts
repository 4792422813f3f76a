import type { z } from 'zod'
import { isoTime, type WallClock } from '../../common/wall-clock.ts'
import type { Dialer, DialOutcome, DialRequest, OutgoingCall } from '../../core/model/dialer.ts'
import type { Observer } from '../../core/model/events.ts'
import type { Announcement } from '../../core/playout/announcement.ts'
import type { callSchema } from './schemas.ts'

const MOST = 2_000

/** Recently ended participants, rooms and announcements, so that ending one again is not an error. */
export class RecentlyEnded implements Disposable {
  readonly #ids = new Set<string>()
  readonly #observer: Observer
  #subscriptions: readonly Disposable[] = []

  constructor(observer: Observer) {
    this.#observer = observer
  }

  /** Notes participants and rooms that end from now on. Call it once. */
  start(): void {
    const observer = this.#observer
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

/** Number of ended calls that are kept. */
const MOST_OVER = 1_000

/** A placed call as reported to clients, without the number, which the requester knows. */
export type PlacedCall = Readonly<z.infer<typeof callSchema>>

interface Entry {
  readonly call: OutgoingCall
  view: PlacedCall
}

/** The calls placed by the API. */
export class PlacedCalls {
  readonly #wall: WallClock
  readonly #entries = new Map<string, Entry>()

  constructor(wall: WallClock) {
    this.#wall = wall
  }

  /** Number of calls to `room` that are not answered yet. */
  calling(room: string): number {
    let count = 0
    for (const { view } of this.#entries.values()) if (view.room === room && view.state === 'calling') count++
    return count
  }

  /** Places a call; `answered` is called with the participant once they join. Throws the dialer’s errors. */
  place(
    dialer: Dialer,
    request: DialRequest,
    answered: (participant: string) => void = () => {},
  ): PlacedCall {
    const call = dialer.dial(request)
    const { room } = request.invitation
    const entry: Entry = {
      call,
      view: { id: call.id, room, placedAt: isoTime(this.#wall()), state: 'calling' },
    }
    this.#entries.set(call.id, entry)
    void call.outcome.then(outcome => {
      entry.view = { ...entry.view, ...stateOf(outcome) }
      if (outcome.kind === 'answered') answered(outcome.participant)
    })
    void call.over.then(end => {
      entry.view = { ...entry.view, state: 'ended', end }
      this.#forgetOld()
    })
    return entry.view
  }

  find(id: string): PlacedCall | undefined {
    return this.#entries.get(id)?.view
  }

  /** Calls to a room, oldest first. */
  of(room: string): PlacedCall[] {
    return Array.from(this.#entries.values(), ({ view }) => view).filter(view => view.room === room)
  }

  /** Ends the call at any stage; idempotent. */
  async hangUp(id: string): Promise<PlacedCall | undefined> {
    await this.#entries.get(id)?.call.hangUp()
    return this.find(id)
  }

  /** Cancels the unanswered calls to `room`. */
  async hangUpCalling(room: string): Promise<void> {
    const entries = Array.from(this.#entries.values())
    const calling = entries.filter(({ view }) => view.room === room && view.state === 'calling')
    await Promise.all(calling.map(({ call }) => call.hangUp()))
  }

  #forgetOld(): void {
    const over = Array.from(this.#entries.values()).filter(({ view }) => view.state === 'ended')
    for (const { view } of over.slice(0, Math.max(0, over.length - MOST_OVER))) this.#entries.delete(view.id)
  }
}

function stateOf(outcome: DialOutcome): Partial<PlacedCall> {
  switch (outcome.kind) {
    case 'answered':
      return { state: 'answered', participant: outcome.participant }
    case 'failed':
      return { errorCode: outcome.error.code }
    default:
      return {}
  }
}

/** Announcements being played by the API, so that they can be stopped. Removed when they end. */
export class RunningAnnouncements {
  readonly #departed: RecentlyEnded
  readonly #running = new Map<string, Announcement>()
  readonly #ids: string
  #count = 0

  /** The IDs start with `ids`. */
  constructor(departed: RecentlyEnded, ids = 'announcement') {
    this.#departed = departed
    this.#ids = ids
  }

  get size(): number {
    return this.#running.size
  }

  /** Returns an ID for `announcement`, unique in this process. */
  add(announcement: Announcement): string {
    const id = `${this.#ids}-${++this.#count}`
    this.#running.set(id, announcement)
    void announcement.ended.then(() => {
      this.#running.delete(id)
      this.#departed.add('announcement', id)
    })
    return id
  }

  has(id: string): boolean {
    return this.#running.has(id) || this.#departed.has('announcement', id)
  }

  /** Stops it at once, including audio already queued at the peer. Returns false if it is unknown. */
  stop(id: string): boolean {
    const running = this.#running.get(id)
    running?.stop({ flush: true })
    return running !== undefined || this.#departed.has('announcement', id)
  }
}
