import { after, type Clock } from '../../core/clock.ts'
import { BridgeError } from '../../core/errors.ts'
import type { LanguageId } from '../../core/languages.ts'
import type { Observer } from '../../core/observer.ts'

const MINUTE_MS = 60_000
/** Rooms that were created and have not ended. */
const MOST_PLANS = 1_000

/** What a room was created with. */
export interface RoomPlan {
  readonly room: string
  /** What may be spoken and heard in it; absent: anything. */
  readonly languages?: readonly LanguageId[] | undefined
  readonly maxParticipants?: number | undefined
  /** It ends this long after the first has come in. */
  readonly maxMinutes?: number | undefined
  /** It ends when nobody has been in it for this long. */
  readonly emptyMinutes: number
  /** ISO 8601. */
  readonly createdAt: string
}

interface Entry {
  readonly plan: RoomPlan
  timer: Disposable | undefined
}

/** Rooms that were created: they exist without anybody in them, and end by their own rules. */
export class RoomPlans implements Disposable {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  readonly #subscription: Disposable
  /** Called with the name of a room whose time is over, whether anybody is in it or not. */
  onOver: (room: string, why: 'empty' | 'time-up') => void = () => {}

  constructor(observer: Observer, clock: Clock) {
    this.#clock = clock
    this.#subscription = observer.on('room', ({ room, state }) => this.#arm(room, state === 'opened'))
  }

  /** Throws `BridgeError` `CAPACITY` when there are too many. */
  add(plan: RoomPlan): void {
    if (this.#entries.has(plan.room)) throw new RangeError(`room ${plan.room} was created already`)
    if (this.#entries.size >= MOST_PLANS)
      throw new BridgeError('CAPACITY', `${MOST_PLANS} created rooms are the most`, { retryable: true })
    this.#entries.set(plan.room, { plan, timer: undefined })
    this.#arm(plan.room, false)
  }

  find(room: string): RoomPlan | undefined {
    return this.#entries.get(room)?.plan
  }

  [Symbol.iterator](): Iterator<RoomPlan> {
    return Array.from(this.#entries.values(), ({ plan }) => plan).values()
  }

  /** Idempotent. */
  remove(room: string): void {
    this.#entries.get(room)?.timer?.[Symbol.dispose]()
    this.#entries.delete(room)
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]()
    for (const room of Array.from(this.#entries.keys())) this.remove(room)
  }

  /** The time that counts now: how long it may be open, or how long empty. */
  #arm(room: string, open: boolean): void {
    const entry = this.#entries.get(room)
    if (!entry) return
    entry.timer?.[Symbol.dispose]()
    const minutes = open ? entry.plan.maxMinutes : entry.plan.emptyMinutes
    entry.timer =
      minutes === undefined
        ? undefined
        : after(this.#clock, minutes * MINUTE_MS, () => this.onOver(room, open ? 'time-up' : 'empty'))
  }
}

/** Those of `languages` that `plan` does not take. */
export function refusedLanguages(
  plan: RoomPlan | undefined,
  languages: readonly (LanguageId | null | undefined)[],
): LanguageId[] {
  const asked = languages.filter(each => each !== null && each !== undefined)
  return asked.filter(each => plan?.languages?.includes(each) === false)
}
