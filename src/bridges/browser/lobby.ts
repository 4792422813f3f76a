import { FairPlaces } from '../../net/fair-places.ts'
import type { PageSocket } from './close-codes.ts'
import type { BridgeCounters } from './leg-counters.ts'

/**
 * Maximum number of connections awaiting admission, in total and per address. In a flood of 1 500 a second, each has 0.7 s for
 * its first message.
 */
const MOST = 1_000
const MOST_EACH = 10

/** Network origin of a connection. */
export interface Origin {
  readonly address: string
  /** The group whose connections count together; undefined if the address is exempt from per-address limits. */
  readonly group: string | undefined
}

/**
 * Connections awaiting admission. If there are too many, the oldest one of the address, or of the busiest address, is closed,
 * so idle connections cannot keep out a visitor with a link.
 */
export class Lobby {
  readonly #counters: BridgeCounters
  readonly #waiting = new FairPlaces<PageSocket>()

  constructor(counters: BridgeCounters) {
    this.#counters = counters
  }

  get size(): number {
    return this.#waiting.size
  }

  enter(socket: PageSocket, { address, group }: Origin): void {
    this.#waiting.add(socket, address)
    if (group !== undefined && this.#waiting.of(address) > MOST_EACH)
      this.#displace(this.#waiting.oldestOf(address))
    if (this.#waiting.size > MOST) this.#displace(this.#waiting.crowding(socket))
  }

  #displace(socket: PageSocket | undefined): void {
    if (!socket) return
    this.leave(socket)
    this.#counters.refuse('busy')
    socket.fail('no-hello')
  }

  /** Removes a connection that was admitted or closed. */
  leave(socket: PageSocket): void {
    this.#waiting.remove(socket)
  }
}
