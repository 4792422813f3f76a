import type { StsResult, SttResult } from '../service/contract.ts'

/**
 * What a scripted service does wrong. Every field may be set at `listen`, changed while it runs
 * (`service.faults.noAck = true`), or queued for the next session alone (`service.next({ dropAt: 20 })`);
 * a field queued for a session hides the service's own.
 */
export interface Faults {
  /** HTTP status that answers the WebSocket upgrade, for example 503. Service-wide only. */
  refuse?: number
  /** New connections are accepted by TCP and never answered. Service-wide only. */
  hang?: boolean
  /** Every key is refused, with this as the `data` of `connect_error`. */
  refuseKey?: unknown
  /** `connected` is left out; `start` comes all the same unless `noStart`. */
  noConnected?: boolean
  noStart?: boolean
  /** `start` is sent this long after `connected`. */
  startDelayMs?: number
  /** Payload of `start` instead of `true`. */
  startWith?: unknown
  /** The service ends the session after so long; `connected` says so unless `lifeUntold`. */
  lifeMs?: number
  lifeUntold?: boolean
  /** Fragments still to be answered `false`; they are not taken. Counts down; `Infinity` refuses for ever. */
  nack?: number
  /** Fragments are taken and never acknowledged. */
  noAck?: boolean
  /** Fragments are acknowledged this late. */
  ackAfterMs?: number
  /** Arguments of the acknowledgement instead of `true`. */
  ackWith?: readonly unknown[]
  /** The connection is cut when the session's fragment of this number (from 1) arrives, which is not taken. */
  dropAt?: number
  /** How `dropAt` cuts: the TCP connection (default), or politely by the service. */
  dropHow?: DropHow
  /** Answers come this much later. */
  answerAfterMs?: number
  /** Every result is sent twice. */
  duplicate?: boolean
  /** Utterances are answered in pairs, the later first. */
  reorder?: boolean
  neverEndSynth?: boolean
  /** The mp3 is cut into pieces of this many bytes, one `result` each, whatever the mode. */
  sliceBytes?: number
  /** Replaces the payload of every `result`: arbitrary bytes, wrong types; `undefined` leaves the result out. */
  mangle?: (result: ScriptedResult) => unknown
}

/** What a scripted session sends as `result`, in any namespace. */
export type ScriptedResult = Pick<SttResult, 'id' | 'final' | 'text'> & Partial<StsResult>

/** `cut`: the TCP connection is gone, as when the process dies. `kick`: the service disconnects the socket. */
export type DropHow = 'cut' | 'kick'

/** The faults of one session: its own first, else the service's as they are now. */
export class SessionFaults {
  readonly #own: Faults
  readonly #shared: Faults

  constructor(own: Faults, shared: Faults) {
    this.#own = own
    this.#shared = shared
  }

  get<K extends keyof Faults>(name: K): Faults[K] {
    return name in this.#own ? this.#own[name] : this.#shared[name]
  }

  /** Whether the fragment at hand is to be refused; counts `nack` down where it is set. */
  takeNack(): boolean {
    const holder = 'nack' in this.#own ? this.#own : this.#shared
    if (!holder.nack || holder.nack <= 0) return false
    holder.nack -= 1
    return true
  }
}
