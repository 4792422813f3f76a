import type { WallClock } from '../../../common/wall-clock.ts'

/** Time after a call’s instructions in which the carrier possibly repeats its request for them (ms). */
export const REPEATED_MS = 30_000
/** Maximum time from the first request about a call to its first stream: menus, and waiting for a room (ms). */
const MENU_MS = 300_000

/** What is known of a phone call. Values only grow, so notes of several processes can be merged in any order. */
export interface CallRecord {
  /** Time of the last note (ms since 1970). */
  readonly changedAt: number
  /** Latest attempt: instructions for a new stream. 0: none yet. */
  readonly attempt: number
  /** Latest attempt whose stream has started. 0: none. */
  readonly started: number
  readonly ended: boolean
}

export type CallNote = Partial<Omit<CallRecord, 'changedAt'>>

/** Keeps what is known of calls, longer than the process lives. */
export interface CallStore {
  /** The clock of its records. */
  readonly wallClock: WallClock
  /** Rejects with `BridgeError` `FLEET_AWAY`. */
  find(call: string): Promise<CallRecord | undefined>
  /** Merges `note` into the record of `call`. */
  note(call: string, note: CallNote): void
}

/**
 * Tells old requests from new ones. Signatures such as Twilio’s contain no time, so a captured request could be repeated
 * years later. A call begins once: its first request is possibly repeated within seconds, until its stream has started. Each
 * stream continues once: its request names its attempt, and the answer starts the next one.
 */
export class CallHistory {
  readonly #carrier: string
  readonly #store: CallStore

  /** `carrier`: its name, because ids of calls are unique only there. */
  constructor(carrier: string, store: CallStore) {
    this.#carrier = carrier
    this.#store = store
  }

  /** Returns whether a request with which a call begins, or a menu of it, can be new. Rejects with `FLEET_AWAY`. */
  async begins(callId: string): Promise<boolean> {
    const record = await this.#store.find(this.#keyOf(callId))
    if (!record) {
      this.#store.note(this.#keyOf(callId), {})
      return true
    }
    if (record.ended || record.started > 0) return false
    return this.#age(record) <= (record.attempt === 0 ? MENU_MS : REPEATED_MS)
  }

  /**
   * Returns whether a request to continue a call after the stream of `attempt` can be new. A call that is unknown here is: it
   * began before there were records. Rejects with `FLEET_AWAY`.
   */
  async continues(callId: string, attempt = 0): Promise<boolean> {
    const record = await this.#store.find(this.#keyOf(callId))
    if (!record) return true
    if (record.ended) return false
    return attempt >= record.attempt || (record.attempt > record.started && this.#age(record) <= REPEATED_MS)
  }

  /** Records that instructions for the stream of `attempt` are sent. */
  instructed(callId: string, attempt: number): void {
    this.#store.note(this.#keyOf(callId), { attempt })
  }

  /** Records that the stream of `attempt` has started: the carrier has its instructions. */
  started(callId: string, attempt: number): void {
    this.#store.note(this.#keyOf(callId), { attempt, started: attempt })
  }

  /** Records that the call is over. */
  ended(callId: string): void {
    this.#store.note(this.#keyOf(callId), { ended: true })
  }

  /** The clock of this machine can have been set back since. */
  #age({ changedAt }: CallRecord): number {
    return Math.abs(this.#store.wallClock() - changedAt)
  }

  #keyOf(callId: string): string {
    return `${this.#carrier} ${callId}`
  }
}
