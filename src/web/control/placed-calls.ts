import type { DialEnd, Dialler, DialOutcome, DialRequest, OutgoingCall } from '../../core/dialler.ts'
import { isoTime, type WallClock } from '../../core/wall-clock.ts'

/** Calls that are over and still known. */
const MOST_OVER = 1_000

/** A call that was asked for, as it is told. No number: who asked knows it. */
export interface PlacedCall {
  readonly id: string
  readonly room: string
  readonly placedAt: string
  /** `answered`: they are in the room, or were. */
  readonly state: 'calling' | 'answered' | 'ended'
  readonly participant?: string
  /** How it ended. */
  readonly end?: DialEnd
  /** Of a call that failed. */
  readonly errorCode?: string
}

interface Entry {
  readonly call: OutgoingCall
  view: PlacedCall
}

/** The calls that the API placed. */
export class PlacedCalls {
  readonly #wall: WallClock
  readonly #entries = new Map<string, Entry>()

  constructor(wall: WallClock) {
    this.#wall = wall
  }

  /** Calls to `room` that may still be answered. */
  calling(room: string): number {
    let count = 0
    for (const { view } of this.#entries.values()) if (view.room === room && view.state === 'calling') count++
    return count
  }

  /** Dials; `answered` is told of the participant once they are there. Throws what the dialler throws. */
  place(
    dialler: Dialler,
    request: DialRequest,
    answered: (participant: string) => void = () => {},
  ): PlacedCall {
    const call = dialler.dial(request)
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

  /** Of one room, the oldest first. */
  of(room: string): PlacedCall[] {
    return Array.from(this.#entries.values(), ({ view }) => view).filter(view => view.room === room)
  }

  /** Ends it at any stage; idempotent. */
  async hangUp(id: string): Promise<PlacedCall | undefined> {
    await this.#entries.get(id)?.call.hangUp()
    return this.find(id)
  }

  /** Cancels the calls to `room` that nobody has answered yet. */
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
