import { type Clock, setTimer } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import type { LanguageId } from '../../common/language.ts'
import type { Observer } from '../../core/model/events.ts'
import type { Admission, Invitation } from '../../core/model/invitation.ts'
import type { Leg } from '../../core/model/leg.ts'
import type { Relay } from '../../core/room/relay.ts'

const MINUTE_MS = 60_000
/** Maximum number of created rooms. */
const MOST_PLANS = 1_000

/** Rules of a created room. */
export interface RoomPlan {
  readonly room: string
  /** Allowed languages; absent: any. */
  readonly languages?: readonly LanguageId[] | undefined
  readonly maxParticipants?: number | undefined
  /** The room ends this long after the first participant has joined. */
  readonly maxMinutes?: number | undefined
  /** The room ends when it has been empty for this long. */
  readonly emptyMinutes: number
  /** ISO 8601. */
  readonly createdAt: string
}

interface Entry {
  readonly plan: RoomPlan
  timer: Disposable | undefined
}

/** Created rooms: they exist without participants and end by their own rules. */
export class RoomPlans implements Disposable {
  readonly #observer: Observer
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  #subscription: Disposable | undefined
  readonly #listeners: ((room: string, why: 'empty' | 'time-up') => void)[] = []

  constructor(observer: Observer, clock: Clock) {
    this.#observer = observer
    this.#clock = clock
  }

  /** Applies the rules to rooms that open or close from now on. Call it once. */
  start(): void {
    this.#subscription = this.#observer.on('room', ({ room, state }) => this.#arm(room, state === 'opened'))
  }

  /** Calls `listener` with the name of each room that must end, whether it is empty or not. */
  onOver(listener: (room: string, why: 'empty' | 'time-up') => void): void {
    this.#listeners.push(listener)
  }

  /** Throws `BridgeError` `CAPACITY` above the maximum. */
  add(plan: RoomPlan): void {
    if (this.#entries.has(plan.room)) throw new RangeError(`room ${plan.room} already exists`)
    if (this.#entries.size >= MOST_PLANS)
      throw new BridgeError('CAPACITY', `limit of ${MOST_PLANS} created rooms reached`, { retryable: true })
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
    this.#subscription?.[Symbol.dispose]()
    for (const room of Array.from(this.#entries.keys())) this.remove(room)
  }

  #over(room: string, why: 'empty' | 'time-up'): void {
    for (const listener of this.#listeners) listener(room, why)
  }

  /** Starts the timer that applies now: the maximum duration, or the maximum empty time. */
  #arm(room: string, open: boolean): void {
    const entry = this.#entries.get(room)
    if (!entry) return
    entry.timer?.[Symbol.dispose]()
    const minutes = open ? entry.plan.maxMinutes : entry.plan.emptyMinutes
    entry.timer =
      minutes === undefined
        ? undefined
        : setTimer(this.#clock, minutes * MINUTE_MS, () => this.#over(room, open ? 'time-up' : 'empty'))
  }
}

/** Returns the `languages` that `plan` does not allow. */
export function refusedLanguages(
  plan: RoomPlan | undefined,
  languages: readonly (LanguageId | null | undefined)[],
): LanguageId[] {
  const asked = languages.filter(each => each !== null && each !== undefined)
  return asked.filter(each => plan?.languages?.includes(each) === false)
}

/** Enforces the rules of created rooms for participants of every channel. Other rooms have no rules. */
export class PolicyAdmission implements Admission {
  readonly #inner: Admission
  readonly #relay: Pick<Relay, 'rooms'>
  readonly #plans: RoomPlans

  /** `inner` admits the legs. The caller keeps ownership. */
  constructor(inner: Admission, relay: Pick<Relay, 'rooms'>, plans: RoomPlans) {
    this.#inner = inner
    this.#relay = relay
    this.#plans = plans
  }

  /** Also throws `BridgeError` `CAPACITY` for a room that is full or does not allow the language. */
  admit(leg: Leg, invitation: Invitation): void {
    const plan = this.#plans.find(invitation.room)
    const there = this.#relay.rooms.get(invitation.room)?.participants.size ?? 0
    if (there >= (plan?.maxParticipants ?? Number.POSITIVE_INFINITY))
      throw new BridgeError('CAPACITY', `the room is full: ${there} participants (maxParticipants)`, {
        retryable: true,
      })
    const refused = refusedLanguages(plan, [invitation.speaks, invitation.hears])
    if (refused.length > 0) throw new BridgeError('CAPACITY', `the room does not allow ${refused.join(', ')}`)
    this.#inner.admit(leg, invitation)
  }
}
