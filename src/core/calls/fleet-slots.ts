import { BridgeError } from '../../common/errors.ts'
import type { Fleet, Slots } from '../model/fleet.ts'

/** A slot that was taken. */
export interface TakenSlot {
  /** Idempotent. */
  release(): void
}

/**
 * A limit of how many of something exist at the same time on all nodes. While the fleet is unavailable, each node has its share
 * of the limit, at least one.
 */
export class FleetSlots {
  readonly #fleet: Pick<Fleet, 'nodes'>
  readonly #slots: Slots
  readonly #limit: number
  /** Nodes when a slot was last taken from the fleet. */
  #nodes: number
  #taken = 0

  constructor(fleet: Pick<Fleet, 'nodes' | 'slots'>, scope: string, limit: number) {
    this.#fleet = fleet
    this.#slots = fleet.slots(scope, limit)
    this.#limit = limit
    this.#nodes = fleet.nodes.length
  }

  /** Takes a slot. Resolves to undefined if none is free. */
  async take(): Promise<TakenSlot | undefined> {
    let shared = true
    try {
      if (!(await this.#slots.take())) return undefined
      this.#nodes = this.#fleet.nodes.length
    } catch (error) {
      if (!(error instanceof BridgeError && error.code === 'FLEET_AWAY')) throw error
      if (this.#taken >= Math.max(1, Math.floor(this.#limit / Math.max(1, this.#nodes)))) return undefined
      shared = false
    }
    this.#taken++
    let released = false
    return {
      release: () => {
        if (released) return
        released = true
        this.#taken--
        if (shared) void this.#slots.release()
      },
    }
  }
}
