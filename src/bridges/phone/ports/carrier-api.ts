import { BridgeError } from '../../../common/errors.ts'
import type { DialInput } from '../outbound/outbound-call-state.ts'

/** The parameters of a new call. All addresses are absolute and public. */
export interface CallOrder {
  readonly to: string
  readonly from: string
  /** Queried for instructions when the call is answered. */
  readonly answerUrl: string
  /** Receives status callbacks. */
  readonly statusUrl: string
  /** Receives the result of machine detection; absent: no detection. */
  readonly machineUrl?: string
  readonly ringSeconds: number
  readonly limitSeconds?: number
}

/** The account that places calls, as its carrier reports it. */
export interface AccountState {
  /** The reason why it places no calls, or not all; undefined: it reports none. */
  readonly problem?: string | undefined
  /** The address that its application requests for incoming calls, if the carrier reports it. */
  readonly voiceUrl?: string | undefined
}

/** The part of a carrier’s REST API needed for dialing. Every method rejects only with `CarrierError`. */
export interface CarrierApi {
  /** Resolves to the carrier’s id of the call. */
  place(order: CallOrder): Promise<string>
  /** Ends the call at any stage; succeeds if it is already over. */
  hangUp(callId: string): Promise<void>
  /** Resolves to the state of the call; undefined if it says nothing new, as for a call that waits to be dialed. */
  status(callId: string): Promise<DialInput | undefined>
  /** Resolves to the state of the account, for checks; absent if the API does not report it. */
  account?(): Promise<AccountState>
}

/**
 * Consequence of a failed request. `refused`: not executed, permanently. `later`: not executed, but can be retried.
 * `unsure`: possibly executed. `gone`: the call does not exist or is over.
 */
export type FailureKind = 'refused' | 'later' | 'unsure' | 'gone'

/** Errors before a connection was established: the request was not executed. */
const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']

export interface CarrierErrorOptions {
  /** The carrier’s error code, if the response has one. */
  readonly carrierCode?: number | string | undefined
  /** The account has too many calls: for callers, all lines are busy. */
  readonly busy?: boolean
}

/** A failed request to the REST API. Its message is safe for logs: it contains no phone numbers. */
export class CarrierError extends BridgeError {
  readonly kind: FailureKind
  readonly carrierCode: number | string | undefined

  constructor(kind: FailureKind, message: string, { carrierCode, busy = false }: CarrierErrorOptions = {}) {
    super(busy ? 'CAPACITY' : 'DIAL_FAILED', message, { retryable: kind !== 'refused' })
    this.kind = kind
    this.carrierCode = carrierCode
  }

  /** A request without a response; `code` is that of the network error, such as `ECONNREFUSED`. */
  static noResponse(code: unknown): CarrierError {
    const name = typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? code : 'unknown'
    const kind = UNREACHED.includes(name) ? 'later' : 'unsure'
    return new CarrierError(kind, `no response from the REST API (${name})`)
  }
}
