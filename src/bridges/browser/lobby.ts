import { FairPlaces } from '../../guard/fair-places.ts'
import type { BridgeCounters } from './counters.ts'
import type { TalkSocket } from './talk-socket.ts'

/** Connections that have not been let in: in all, and from one address. */
const MOST = 100
const MOST_EACH = 10

/** Where a connection comes from. */
export interface Origin {
  readonly address: string
  /** Whom its address is counted with; undefined: it is not limited by itself. */
  readonly group: string | undefined
}

/**
 * Connections that have not been let in yet. When there are too many, the one that came first of the address with the most makes
 * room: whoever opens connections and says nothing keeps nobody out who has a link.
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

  /** False: `socket` was turned away, since too many from its address are here. */
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

  /** It was let in, or is gone. */
  leave(socket: TalkSocket): void {
    this.#waiting.remove(socket)
  }
}
