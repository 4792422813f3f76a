import type { Clock } from '../../common/clock.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import { FleetSlots, type TakenSlot } from '../../core/calls/fleet-slots.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import { FleetUsage } from './fleet-usage.ts'
import type { NumberSettings } from './number-settings.ts'

/** Time in which an admitted call must arrive (ms): its room can have to be found first. */
const ARRIVAL_MS = 30_000

export interface NumberLeasesOptions {
  readonly clock: Clock
  readonly wallClock: WallClock
}

interface Lease {
  readonly slot: TakenSlot | undefined
  readonly takenAt: number
  /** It was in progress. */
  arrived: boolean
}

/**
 * Takes inbound calls and their minutes from the limits that a number has on all nodes. Calls in progress continue when
 * no minute is left. While the fleet is away, callers are admitted within this node’s share of the calls.
 */
export class NumberLeases implements Disposable {
  readonly #fleet: Fleet
  readonly #clock: Clock
  readonly #usage: FleetUsage
  readonly #slots = new Map<string, FleetSlots>()
  readonly #leases = new Map<string, Lease>()
  /** Requests of calls that are being decided; the carrier can repeat them. */
  readonly #deciding = new Map<string, Promise<'calls' | 'minutes' | undefined>>()

  constructor(fleet: Fleet, { clock, wallClock }: NumberLeasesOptions) {
    this.#fleet = fleet
    this.#clock = clock
    this.#usage = new FleetUsage(fleet, wallClock)
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

  /** Call `callId` is in progress and counts `minutes`. */
  keep(callId: string, minutes: number): void {
    const lease = this.#leases.get(callId)
    if (lease) lease.arrived = true
    this.#usage.reach(callId, minutes)
  }

  /** Call `callId` has ended after `minutes`. */
  end(callId: string, minutes: number): void {
    this.#leases.get(callId)?.slot?.release()
    this.#leases.delete(callId)
    this.#usage.close(callId, minutes)
  }

  [Symbol.dispose](): void {
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
    this.#leases.set(callId, { slot, takenAt: this.#clock.now(), arrived: false })
    return undefined
  }

  #slotsOf(number: string, maxCalls: number): FleetSlots {
    const slots =
      this.#slots.get(number) ??
      new FleetSlots(this.#fleet, `calls to ${this.#fleet.digest(number)}`, maxCalls)
    this.#slots.set(number, slots)
    return slots
  }
}
