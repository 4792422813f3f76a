import { FairPlaces } from '../../net/fair-places.ts'
import type { BridgeCounters, TalkSocket } from './socket.ts'

/** Maximum number of connections awaiting admission, in total and per address. */
const MOST = 100
const MOST_EACH = 10

/** Network origin of a connection. */
export interface Origin {
  readonly address: string
  /** The group whose connections count together; undefined if the address is exempt from per-address limits. */
  readonly group: string | undefined
}

/**
 * Connections awaiting admission. If there are too many, the oldest connection of the busiest address is closed, so
 * idle connections cannot keep out a visitor with a link.
 */
export class Lobby {
  readonly #counters: BridgeCounters
  readonly #waiting = new FairPlaces<TalkSocket>()

  constructor(counters: BridgeCounters) {
    this.#counters = counters
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Returns false if `socket` was rejected because its address has too many connections. */
  enter(socket: TalkSocket, { address, group }: Origin): boolean {
    if (group !== undefined && this.#waiting.of(address) >= MOST_EACH) {
      this.#counters.refuse('busy')
      socket.tell({ kind: 'refused', why: 'busy' })
      void socket.close('refused')
      return false
    }
    this.#waiting.add(socket, address)
    const crowding = this.#waiting.size > MOST ? this.#waiting.crowding(socket) : undefined
    if (crowding) {
      this.leave(crowding)
      this.#counters.refuse('busy')
      crowding.fail('no-hello')
    }
    return true
  }

  /** Removes a connection that was admitted or closed. */
  leave(socket: TalkSocket): void {
    this.#waiting.remove(socket)
  }
}
