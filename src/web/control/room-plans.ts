import { type Clock, setTimer, Ticker } from '../../common/clock.ts'
import { MINUTE_MS } from '../../common/durations.ts'
import { BridgeError } from '../../common/errors.ts'
import type { LanguageId } from '../../common/language.ts'
import type { Logger } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { Observer } from '../../core/model/events.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import type { Admission, Invitation } from '../../core/model/invitation.ts'
import type { Leg } from '../../core/model/leg.ts'
import type { Relay } from '../../core/room/relay.ts'
import { type RoomPlan, type SharedPlanEntry, type SharedPlanState, SharedPlans } from './shared-plans.ts'

/** Maximum number of created rooms. */
const MOST_PLANS = 1_000
/** Interval between looks for rooms whose node has ended (ms); a node that is missing twice has. */
const LOOK_MS = 5_000
/** A node without heartbeats for this long has ended (ms). */
const SILENT_MS = 10_000

interface Entry {
  readonly plan: RoomPlan
  /** The node that runs the timers: it created the room, or the room opened there last. Undefined: this one. */
  node: string | undefined
  state: SharedPlanState
  /** Since when the participants of an earlier run are awaited (ms since 1970): the room ends like an empty one. */
  awaitedSince?: number | undefined
  timer: Disposable | undefined
}

/** Keeps created rooms, and shares them among the nodes of a fleet. */
export interface PlansFleet {
  readonly fleet: Fleet
  readonly log: Logger
  /** Returns whether a room that closes here continues at another node. */
  readonly hasMoved: (room: string) => boolean
}

/**
 * Created rooms: they exist without participants, across restarts, and end by their own rules. In a fleet, a room created at one node is
 * known at all. Its timers run at its creator until it opens at another node, which then runs them; if that node ends, at
 * another, from where they were.
 */
export class RoomPlans implements Disposable {
  readonly #observer: Observer
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  /** Absent: in memory only. */
  readonly #shared: SharedPlans | undefined
  readonly #fleet: PlansFleet | undefined
  readonly #wall: WallClock
  #subscription: Disposable | undefined
  #ticker: Ticker | undefined
  /** Nodes that were missing at the last look. */
  #missing = new Set<string>()
  readonly #listeners: ((room: string, why: 'empty' | 'time-up') => void)[] = []
  readonly #elsewhere: ((room: string, exists: boolean) => void)[] = []

  constructor(observer: Observer, clock: Clock, wall: WallClock, shared?: PlansFleet) {
    this.#observer = observer
    this.#clock = clock
    this.#wall = wall
    this.#fleet = shared
    this.#shared =
      shared &&
      new SharedPlans({
        ...shared,
        changed: (room, entry) => this.#changed(room, entry),
        read: entries => this.#read(entries),
      })
  }

  /** Applies the rules to rooms that open or close from now on. Call it once. Settles when stored rooms are read. Never rejects. */
  async start(): Promise<void> {
    this.#subscription = this.#observer.on('room', ({ room, state }) => {
      if (state === 'opened') this.#opened(room)
      else this.#closed(room)
    })
    const { fleet } = this.#fleet ?? {}
    if (fleet && fleet.status !== 'alone') this.#ticker = new Ticker(this.#clock, LOOK_MS, () => this.#look())
    await this.#shared?.start()
  }

  /** Calls `listener` with the name of each room that must end, whether it is empty or not. */
  onOver(listener: (room: string, why: 'empty' | 'time-up') => void): void {
    this.#listeners.push(listener)
  }

  /** Calls `listener` when another node has created a room (`exists`), or ended a created room. */
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
    const since = this.#wall()
    if (this.#shared && !(await this.#shared.create(plan, since))) return false
    const entry: Entry = { plan, node: undefined, state: { open: false, since }, timer: undefined }
    this.#entries.set(plan.room, entry)
    this.#arm(entry)
    return true
  }

  /** Looks a room up that is unknown here: another node can have created it in the meantime. Rejects with `FLEET_AWAY`. */
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
    this.#ticker?.[Symbol.dispose]()
    this.#shared?.[Symbol.dispose]()
    for (const room of Array.from(this.#entries.keys())) this.#forget(room)
  }

  #forget(room: string): boolean {
    this.#entries.get(room)?.timer?.[Symbol.dispose]()
    return this.#entries.delete(room)
  }

  /** A node created `room`, took it over, or ended it. */
  #changed(room: string, told: SharedPlanEntry | undefined): void {
    const known = this.#entries.get(room)
    if (told) {
      // Its own rooms, after a restart or when it takes them over.
      const node = told.node === this.#fleet?.fleet.node ? undefined : told.node
      const state = { open: told.open, since: told.since }
      const awaitedSince = told.open && node === undefined ? this.#wall() : undefined
      const entry: Entry = known ?? { plan: told.plan, node, state, awaitedSince, timer: undefined }
      this.#entries.set(room, entry)
      // This node’s own rooms are excluded: it has newer data.
      if (known && known.node === undefined && node === undefined) return
      entry.node = node
      entry.state = state
      this.#arm(entry)
      if (known) return
    } else if (!this.#forget(room)) return
    for (const listener of this.#elsewhere) listener(room, told !== undefined)
  }

  /** All rooms of the table were read: others were ended while the fleet was unavailable. */
  #read(entries: readonly SharedPlanEntry[]): void {
    const rooms = new Set(entries.map(({ plan }) => plan.room))
    for (const [room, { node }] of this.#entries)
      if (node !== undefined && !rooms.has(room)) this.#changed(room, undefined)
    for (const entry of entries) this.#changed(entry.plan.room, entry)
  }

  #over(room: string, why: 'empty' | 'time-up'): void {
    for (const listener of this.#listeners) listener(room, why)
  }

  #opened(room: string): void {
    const entry = this.#entries.get(room)
    if (!entry) return
    // Its participants came from a node that has ended: its time continues.
    const since = entry.state.open ? entry.state.since : this.#wall()
    this.#run(entry, { open: true, since })
  }

  #closed(room: string): void {
    const entry = this.#entries.get(room)
    if (entry?.node !== undefined || !entry || this.#fleet?.hasMoved(room)) return
    this.#run(entry, { open: false, since: this.#wall() })
  }

  /** This node runs the timers of a room from now on. */
  #run(entry: Entry, state: SharedPlanState): void {
    entry.node = undefined
    entry.state = state
    entry.awaitedSince = undefined
    this.#shared?.record(entry.plan, state)
    this.#arm(entry)
  }

  /** Starts the timer that applies now, if this node runs it: the maximum duration, or the maximum empty time. */
  #arm(entry: Entry): void {
    entry.timer?.[Symbol.dispose]()
    entry.timer = undefined
    const { plan, node, state } = entry
    if (node !== undefined) return
    const leftMs = (minutes = Number.POSITIVE_INFINITY, since = this.#wall()) =>
      Math.max(0, minutes * MINUTE_MS - Math.max(0, this.#wall() - since))
    const emptySince = state.open ? entry.awaitedSince : state.since
    const emptyMs =
      emptySince === undefined ? Number.POSITIVE_INFINITY : leftMs(plan.emptyMinutes, emptySince)
    const timeMs = state.open ? leftMs(plan.maxMinutes, state.since) : Number.POSITIVE_INFINITY
    const first = Math.min(emptyMs, timeMs)
    if (first === Number.POSITIVE_INFINITY) return
    entry.timer = setTimer(this.#clock, first, () =>
      this.#over(plan.room, emptyMs < timeMs ? 'empty' : 'time-up'),
    )
  }

  /** Takes over the rooms of nodes that have ended. */
  #look(): void {
    const { fleet } = this.#fleet ?? {}
    if (fleet?.status !== 'up') {
      this.#missing.clear()
      return
    }
    const alive = new Set(fleet.nodes.filter(({ silentMs }) => silentMs < SILENT_MS).map(({ node }) => node))
    const missing = new Set<string>()
    for (const [room, { node }] of this.#entries) {
      if (node === undefined || alive.has(node)) continue
      missing.add(node)
      if (this.#missing.has(node)) this.#shared?.takeOver(room, node, this.#wall())
    }
    this.#missing = missing
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
export class RoomRules implements Admission {
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
    // An audience is no participant.
    if (leg.listeners === undefined && there >= (plan?.maxParticipants ?? Number.POSITIVE_INFINITY))
      throw new BridgeError('CAPACITY', `the room is full: ${there} participants (maxParticipants)`, {
        retryable: true,
      })
    const refused = refusedLanguages(plan, [invitation.speaks, invitation.hears])
    if (refused.length > 0) throw new BridgeError('CAPACITY', `the room does not allow ${refused.join(', ')}`)
    this.#inner.admit(leg, invitation)
  }
}
