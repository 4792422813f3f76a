import type { RelayEvents } from '../../core/model/events.ts'
import { EVENT_WORDS } from './event-words.ts'
import { type HealthParts, healthOf } from './health.ts'
import { LatencyRecord } from './latency-record.ts'
import { type BookParts, LegBook } from './leg-book.ts'
import { EVENTS_KEPT } from './page/rates.ts'
import type { EventLine, HealthFigures, SimulatedCallView } from './protocol.ts'
import { Recent } from './recent.ts'

/** Maximum number of events per second; the newest are kept. */
const EVENTS_A_SECOND = 40

export interface LookoutParts extends BookParts, Omit<HealthParts, 'relay'> {
  /** Recording state of a room. */
  readonly recording: (room: string) => string | null
  readonly calls: () => readonly SimulatedCallView[]
}

/**
 * Observes a relay and returns its state and changes as JSON shared by all readers. It subscribes when it is created;
 * the creator calls `levels` and `delta` on time, and disposes it when there are no more viewers.
 */
export class Lookout implements Disposable {
  readonly #parts: LookoutParts
  readonly #book: LegBook
  readonly #latency = new LatencyRecord()
  readonly #events = new Recent<EventLine>(EVENTS_KEPT, EVENTS_A_SECOND)
  readonly #subscriptions: Disposable[]
  #health: HealthFigures
  #calls = ''
  #snapshot: string | undefined
  #lines = 0

  constructor(parts: LookoutParts) {
    this.#parts = parts
    const { relay, pulse, wall } = parts
    const { observer } = relay
    this.#book = new LegBook(parts, parts.recording)
    this.#subscriptions = [
      observer.on('level', ({ participant, level }) => this.#book.heard(participant, level)),
      observer.on('utterance', event => {
        if (event.stage === 'begun') this.#latency.begun(event, wall())
      }),
      ...(Object.keys(EVENT_WORDS) as (keyof typeof EVENT_WORDS)[]).map(name => this.#reads(name)),
    ]
    pulse.start()
    this.#health = healthOf(parts)
    this.delta()
  }

  /** The complete state as of the last `delta`, computed once for all viewers. */
  get snapshot(): string {
    this.#snapshot ??= this.#makeSnapshot()
    return this.#snapshot
  }

  /** Returns changed levels, or undefined if there are none. */
  levels(): string | undefined {
    const levels = this.#book.levels()
    return levels.length === 0 ? undefined : `[${levels.join()}]`
  }

  /** Returns the changes since the last call; called once a second. */
  delta(): string {
    const { wall } = this.#parts
    const at = wall()
    this.#latency.second(at)
    this.#health = healthOf(this.#parts)
    const { rooms, legs, goneRooms, goneLegs, lag } = this.#book.look()
    const { items, missed } = this.#events.take()
    const calls = JSON.stringify(this.#parts.calls())
    const told = calls === this.#calls ? '' : `,"calls":${calls}`
    this.#calls = calls
    this.#snapshot = undefined
    return (
      `{"at":${at},"rooms":[${rooms.join()}],"legs":[${legs.join()}],"goneRooms":${JSON.stringify(goneRooms)},` +
      `"goneLegs":[${goneLegs.join()}],"lag":[${lag.join()}],"events":${JSON.stringify(items)},"missed":${missed},` +
      `"utterances":${JSON.stringify(this.#latency.utterances.take().items)},` +
      `"quantiles":${JSON.stringify(this.#latency.quantiles.take().items)},"health":${JSON.stringify(this.#health)}${told}}`
    )
  }

  /** Unsubscribes. */
  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
    this.#parts.pulse.stop()
  }

  #makeSnapshot(): string {
    const { rooms, legs } = this.#book.whole
    const { utterances, quantiles } = this.#latency
    return (
      `{"at":${this.#parts.wall()},"rooms":[${rooms.join()}],"legs":[${legs.join()}],` +
      `"events":${JSON.stringify(this.#events.all)},"utterances":${JSON.stringify(utterances.all)},` +
      `"quantiles":${JSON.stringify(quantiles.all)},"health":${JSON.stringify(this.#health)},"calls":${this.#calls}}`
    )
  }

  #reads<K extends keyof typeof EVENT_WORDS>(name: K): Disposable {
    const { relay, wall } = this.#parts
    return relay.observer.on(name, (event: RelayEvents[K]) => {
      const words = EVENT_WORDS[name](event)
      if (words) this.#events.add({ id: ++this.#lines, at: wall(), ...words })
    })
  }
}
