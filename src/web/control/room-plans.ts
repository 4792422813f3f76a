import { type Clock, setTimer } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import type { LanguageId } from '../../common/language.ts'
import type { Logger } from '../../common/log.ts'
import type { Observer } from '../../core/model/events.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import type { Admission, Invitation } from '../../core/model/invitation.ts'
import type { Leg } from '../../core/model/leg.ts'
import type { Relay } from '../../core/room/relay.ts'
import { type SharedPlan, type SharedPlanEntry, SharedPlans } from './shared-plans.ts'

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
  /** This node runs the timers: it created the room, or the room opened here last. */
  own: boolean
  timer: Disposable | undefined
}

/** The other nodes of a fleet, among which created rooms are shared. */
export interface PlansFleet {
  readonly fleet: Fleet
  readonly log: Logger
}

/**
 * Created rooms: they exist without participants and end by their own rules. In a fleet, a room created at one node is
 * known at all. Its timers run at its creator until it opens at another node, which then runs them.
 */
export class RoomPlans implements Disposable {
  readonly #observer: Observer
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  /** Absent: this process is alone. */
  readonly #shared: SharedPlans | undefined
  readonly #node: string | undefined
  #subscription: Disposable | undefined
  readonly #listeners: ((room: string, why: 'empty' | 'time-up') => void)[] = []
  readonly #elsewhere: ((room: string, exists: boolean) => void)[] = []

  constructor(observer: Observer, clock: Clock, shared?: PlansFleet) {
    this.#observer = observer
    this.#clock = clock
    this.#node = shared?.fleet.node
    this.#shared =
      shared &&
      new SharedPlans({
        ...shared,
        changed: (room, entry) => this.#changed(room, entry),
        read: entries => this.#read(entries),
      })
  }

  /** Applies the rules to rooms that open or close from now on. Call it once. */
  start(): void {
    this.#shared?.start()
    this.#subscription = this.#observer.on('room', ({ room, state }) => this.#arm(room, state === 'opened'))
  }

  /** Calls `listener` with the name of each room that must end, whether it is empty or not. */
  onOver(listener: (room: string, why: 'empty' | 'time-up') => void): void {
    this.#listeners.push(listener)
  }

  /** Calls `listener` when another node has created a room (`exists`), or ended one that was created. */
  onElsewhere(listener: (room: string, exists: boolean) => void): void {
    this.#elsewhere.push(listener)
  }

  /**
   * Resolves to false if the room exists. Rejects with `BridgeError` `CAPACITY` above the maximum, which applies to all nodes
   * together, or `FLEET_AWAY`.
   */
  async add(plan: RoomPlan): Promise<boolean> {
    if (this.#entries.has(plan.room)) return false
    if (this.#entries.size >= MOST_PLANS)
      throw new BridgeError('CAPACITY', `limit of ${MOST_PLANS} created rooms reached`, { retryable: true })
    if (this.#shared && !(await this.#shared.create(asShared(plan)))) return false
    this.#entries.set(plan.room, { plan, own: true, timer: undefined })
    this.#arm(plan.room, false)
    return true
  }

  /** Looks a room up that is unknown here: another node can have created it just now. Rejects with `FLEET_AWAY`. */
  async learn(room: string): Promise<void> {
    if (!this.#shared || this.#entries.has(room)) return
    const entry = await this.#shared.get(room)
    if (entry) this.#changed(room, entry)
  }

  find(room: string): RoomPlan | undefined {
    return this.#entries.get(room)?.plan
  }

  [Symbol.iterator](): Iterator<RoomPlan> {
    return Array.from(this.#entries.values(), ({ plan }) => plan).values()
  }

  /** Removes a room, at all nodes. Idempotent. */
  remove(room: string): void {
    if (this.#forget(room)) this.#shared?.delete(room)
  }

  /** Stops the timers. Rooms of a fleet continue to exist. */
  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]()
    this.#shared?.[Symbol.dispose]()
    for (const room of Array.from(this.#entries.keys())) this.#forget(room)
  }

  #forget(room: string): boolean {
    this.#entries.get(room)?.timer?.[Symbol.dispose]()
    return this.#entries.delete(room)
  }

  /** Another node created `room`, took it over, or ended it. */
  #changed(room: string, entry: SharedPlanEntry | undefined): void {
    const known = this.#entries.get(room)
    if (entry && known) {
      known.own = entry.node === this.#node
      if (!known.own) known.timer?.[Symbol.dispose]()
      return
    }
    if (entry) {
      // Its own rooms, after a restart.
      this.#entries.set(room, { plan: entry.plan, own: entry.node === this.#node, timer: undefined })
      this.#arm(room, false)
    } else if (!this.#forget(room)) return
    for (const listener of this.#elsewhere) listener(room, entry !== undefined)
  }

  /** All rooms of the table were read: others were ended while the fleet was away. */
  #read(entries: readonly SharedPlanEntry[]): void {
    const rooms = new Set(entries.map(({ plan }) => plan.room))
    for (const [room, { own }] of this.#entries) if (!own && !rooms.has(room)) this.#changed(room, undefined)
    for (const entry of entries) this.#changed(entry.plan.room, entry)
  }

  #over(room: string, why: 'empty' | 'time-up'): void {
    for (const listener of this.#listeners) listener(room, why)
  }

  /** Starts the timer that applies now: the maximum duration, or the maximum empty time. */
  #arm(room: string, open: boolean): void {
    const entry = this.#entries.get(room)
    if (!entry || (!entry.own && !open)) return
    if (!entry.own) {
      entry.own = true
      this.#shared?.takeOver(asShared(entry.plan))
    }
    entry.timer?.[Symbol.dispose]()
    const minutes = open ? entry.plan.maxMinutes : entry.plan.emptyMinutes
    entry.timer =
      minutes === undefined
        ? undefined
        : setTimer(this.#clock, minutes * MINUTE_MS, () => this.#over(room, open ? 'time-up' : 'empty'))
  }
}

function asShared({ languages, ...rest }: RoomPlan): SharedPlan {
  return { ...rest, ...(languages ? { languages: [...languages] } : {}) }
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
