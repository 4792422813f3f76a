import type { StsResult, SttResult } from '../../service/contract.ts'

/**
 * Faults of a scripted service. Every field can be set at `listen`, changed at run time (`service.faults.noAck =
 * true`), or queued for the next session only (`service.next({ dropAt: 20 })`). A field queued for a session overrides
 * the service's own.
 */
export interface Faults {
  /** HTTP status that answers the WebSocket upgrade, for example 503. Service-wide only. */
  refuse?: number
  /** New connections are accepted by TCP and never answered. Service-wide only. */
  hang?: boolean
  /** Rejects every key, with this as the `data` of `connect_error`. */
  refuseKey?: unknown
  /** Omits `connected`; `start` is still sent unless `noStart` is set. */
  noConnected?: boolean
  noStart?: boolean
  /** Delay of `start` after `connected` (ms). */
  startDelayMs?: number
  /** Payload of `start` instead of `true`. */
  startWith?: unknown
  /** The service ends the session after this time (ms); `connected` announces it unless `lifeUntold`. */
  lifeMs?: number
  lifeUntold?: boolean
  /**
   * Number of fragments still to be answered with `false` and not accepted. Counts down; `Infinity` rejects them all.
   */
  nack?: number
  /** Accepts fragments and never acknowledges them. */
  noAck?: boolean
  /** Delay of acknowledgments (ms). */
  ackAfterMs?: number
  /** Arguments of the acknowledgment instead of `true`. */
  ackWith?: readonly unknown[]
  /** Cuts the connection when this fragment of the session (from 1) arrives; the fragment is not accepted. */
  dropAt?: number
  /** How `dropAt` ends the connection: by cutting TCP (default) or by a disconnect from the service. */
  dropHow?: DropHow
  /** Additional delay of answers (ms). */
  answerAfterMs?: number
  /** Every result is sent twice. */
  duplicate?: boolean
  /** Answers utterances in pairs, the later one first. */
  reorder?: boolean
  neverEndSynth?: boolean
  /** Cuts the mp3 into pieces of this many bytes, one `result` each, in any mode. */
  sliceBytes?: number
  /** Replaces the payload of every `result`: arbitrary bytes, wrong types; `undefined` omits the result. */
  mangle?: (result: ScriptedResult) => unknown
}

/** Payload that a scripted session sends as `result`, in any namespace. */
export type ScriptedResult = Pick<SttResult, 'id' | 'final' | 'text'> & Partial<StsResult>

/** `cut`: the TCP connection is gone, as when the process dies. `kick`: the service disconnects the socket. */
export type DropHow = 'cut' | 'kick'

/** Faults of one session: its own, otherwise the current ones of the service. */
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

  /** Returns whether to reject the current fragment; counts `nack` down where it is set. */
  takeNack(): boolean {
    const holder = 'nack' in this.#own ? this.#own : this.#shared
    if (!holder.nack || holder.nack <= 0) return false
    holder.nack -= 1
    return true
  }
}
