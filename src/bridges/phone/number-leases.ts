import { z } from 'zod'
import type { Clock } from '../../common/clock.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import { FleetSlots, type TakenSlot } from '../../core/calls/fleet-slots.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import { FleetUsage } from './fleet-usage.ts'
import type { NumberSettings } from './number-settings.ts'

/** Time in which an admitted call must arrive (ms): its room can have to be found first. */
const ARRIVAL_MS = 30_000

/** Subject on which a node looks for the home of a call that it has admitted. */
const SUBJECT = 'number call'
const messageSchema = z.object({
  callId: z.string().max(128),
  /** Digest of the number called. */
  number: z.string().max(64),
  /** The call is at the node that sends this. Absent: the sender is looking for the call. */
  found: z.literal(true).optional(),
})

export interface NumberLeasesOptions {
  readonly clock: Clock
  readonly wallClock: WallClock
  /** The numbers with limits. */
  readonly numbers: Readonly<Record<string, NumberSettings>>
  readonly isInProgress: (callId: string) => boolean
  /** A call to `number` that another node has admitted is in progress here, and counts here from now on. */
  readonly adopted: (callId: string, number: string) => void
  /** A call that was admitted here counts at another node from now on. */
  readonly left: (callId: string) => void
}

interface Lease {
  readonly number: string
  slot: TakenSlot | undefined
  securing?: boolean
  readonly takenAt: number
  /** It was in progress. */
  arrived: boolean
}

/**
 * Takes inbound calls and their minutes from the limits that a number has on all nodes. Calls in progress continue when
 * no minute remains. While the fleet is unavailable, callers are admitted within this node’s share of the calls. A call whose
 * room is at another node is passed on to that node.
 */
export class NumberLeases implements Disposable {
  readonly #fleet: Fleet
  readonly #clock: Clock
  readonly #options: NumberLeasesOptions
  readonly #hearing: Disposable
  readonly #usage: FleetUsage
  readonly #slots = new Map<string, FleetSlots>()
  readonly #leases = new Map<string, Lease>()
  /** Requests of calls that are being decided; the carrier can repeat them. */
  readonly #deciding = new Map<string, Promise<'calls' | 'minutes' | undefined>>()

  constructor(fleet: Fleet, options: NumberLeasesOptions) {
    this.#fleet = fleet
    this.#clock = options.clock
    this.#options = options
    this.#usage = new FleetUsage(fleet, options.wallClock)
    this.#hearing = fleet.exchange.hear(SUBJECT, messageSchema, ({ callId, number, found }) => {
      if (found) this.#leave(callId)
      else void this.#adopt(callId, number)
    })
  }

  /** Takes call `callId` from the limits of `number`. Resolves to the limit that is reached. */
  take(
    callId: string,
    number: string,
    settings: Pick<NumberSettings, 'maxCalls' | 'maxMinutesPerDay'>,
  ): Promise<'calls' | 'minutes' | undefined> {
    const deciding =
      this.#deciding.get(callId) ??
      this.#take(callId, number, settings).finally(() => this.#deciding.delete(callId))
    this.#deciding.set(callId, deciding)
    return deciding
  }

  /** Returns true while call `callId` was admitted and can still arrive. */
  expects(callId: string): boolean {
    const lease = this.#leases.get(callId)
    return lease !== undefined && !lease.arrived && this.#clock.now() - lease.takenAt < ARRIVAL_MS
  }

  /** Looks for call `callId`, which was admitted and has not arrived: it can be at another node. */
  seek(callId: string): void {
    const lease = this.#leases.get(callId)
    if (lease) this.#fleet.exchange.tell(SUBJECT, { callId, number: this.#fleet.digest(lease.number) })
  }

  /** Call `callId` is in progress and counts `minutes`. */
  keep(callId: string, minutes: number): void {
    const lease = this.#leases.get(callId)
    if (lease) {
      lease.arrived = true
      if (!lease.slot) void this.#secure(callId, lease)
    }
    this.#usage.reach(callId, minutes)
  }

  /** Call `callId` has ended after `minutes`. */
  end(callId: string, minutes: number): void {
    this.#leases.get(callId)?.slot?.release()
    this.#leases.delete(callId)
    this.#usage.close(callId, minutes)
  }

  [Symbol.dispose](): void {
    this.#hearing[Symbol.dispose]()
    for (const { slot } of this.#leases.values()) slot?.release()
    this.#leases.clear()
    void this.#usage[Symbol.asyncDispose]()
  }

  async #take(
    callId: string,
    number: string,
    { maxCalls, maxMinutesPerDay }: Pick<NumberSettings, 'maxCalls' | 'maxMinutesPerDay'>,
  ): Promise<'calls' | 'minutes' | undefined> {
    if (this.#leases.has(callId)) return undefined
    let slot: TakenSlot | undefined
    if (maxCalls !== undefined) {
      slot = await this.#slotsOf(number, maxCalls).take()
      if (!slot) return 'calls'
    }
    if (maxMinutesPerDay !== undefined) {
      const scope = { name: `in ${number}`, maxMinutes: maxMinutesPerDay, maxSpend: Number.POSITIVE_INFINITY }
      const minutes = await this.#usage.open(callId, [scope])
      if (minutes < 1 && this.#fleet.status !== 'away') {
        slot?.release()
        return 'minutes'
      }
    }
    this.#leases.set(callId, { number, slot, takenAt: this.#clock.now(), arrived: false })
    return undefined
  }

  /** Takes over a call that another node has admitted, if it is in progress here. Its limits were checked there. */
  async #adopt(callId: string, digest: string): Promise<void> {
    const { numbers, isInProgress, adopted } = this.#options
    const found = Object.entries(numbers).find(([number]) => this.#fleet.digest(number) === digest)
    if (!found || !isInProgress(callId)) return
    const [number, settings] = found
    // First, so that the other node has given back its slot.
    this.#fleet.exchange.tell(SUBJECT, { callId, number: digest, found: true })
    if (!this.#leases.has(callId)) {
      // Without a free slot or minute, the call continues and takes a slot as soon as one is free.
      if (await this.take(callId, number, settings).catch(() => 'calls' as const))
        this.#leases.set(callId, { number, slot: undefined, takenAt: this.#clock.now(), arrived: true })
      adopted(callId, number)
    }
  }

  /** Takes a slot for a call that is in progress without one. */
  async #secure(callId: string, lease: Lease): Promise<void> {
    const { maxCalls } = this.#options.numbers[lease.number] ?? {}
    if (maxCalls === undefined || lease.securing) return
    lease.securing = true
    const slot = await this.#slotsOf(lease.number, maxCalls)
      .take()
      .catch(() => undefined)
    lease.securing = false
    if (this.#leases.get(callId) === lease) lease.slot = slot
    else slot?.release()
  }

  #leave(callId: string): void {
    if (this.#leases.get(callId)?.arrived !== false) return
    this.end(callId, 0)
    this.#options.left(callId)
  }

  #slotsOf(number: string, maxCalls: number): FleetSlots {
    const slots =
      this.#slots.get(number) ??
      new FleetSlots(this.#fleet, `calls to ${this.#fleet.digest(number)}`, maxCalls)
    this.#slots.set(number, slots)
    return slots
  }
}
