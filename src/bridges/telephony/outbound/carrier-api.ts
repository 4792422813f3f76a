import { type BackoffPolicy, backoffMs } from '../../../common/backoff.ts'
import { type Clock, setTimer } from '../../../common/clock.ts'
import { BridgeError } from '../../../common/errors.ts'
import type { Logger } from '../../../common/log.ts'

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

/** The part of Twilio’s REST API needed for dialing. Every method rejects only with `CarrierError`. */
export interface CallsApi {
  /** Resolves to the CallSid. */
  create(order: CallOrder): Promise<string>
  /** Ends the call at any stage; succeeds if it is already over. */
  hangUp(callSid: string): Promise<void>
  /** Resolves to Twilio’s status, such as `in-progress`. */
  status(callSid: string): Promise<string>
}

/**
 * Consequence of a failed request. `refused`: not executed, permanently. `later`: not executed, but can be retried.
 * `unsure`: possibly executed. `gone`: the call does not exist or is over.
 */
export type FailureKind = 'refused' | 'later' | 'unsure' | 'gone'

/** Twilio’s common error codes for outbound calls, with plain explanations (Twilio: Error and Warning Dictionary). */
const MEANINGS: Readonly<Record<number, string>> = {
  10004: 'too many concurrent calls for this account',
  20003: 'the credentials are wrong',
  20404: 'not found',
  20429: 'too many requests',
  21201: 'no number to call',
  21205: 'the public address is not accepted',
  21210: 'the caller number does not belong to the account and is not verified',
  21211: 'the number cannot be called',
  21212: 'the caller number is not valid',
  21214: 'the number cannot be reached',
  21215: 'calls to this country are not permitted (Voice Geographic Permissions)',
  21216: 'calls to this number are blocked',
  21217: 'the number is not valid',
  21219: 'a trial account can only call verified numbers',
  21220: 'the call is over',
}
/** Errors before a connection was established: nothing was executed. */
const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']
/** The call is over already (Twilio: 20404 not found, 21220 invalid call state). */
const OVER = [20404, 21220]

/**
 * A failed request to the REST API. Its message is safe for logs, unlike Twilio’s own, which can contain phone
 * numbers.
 */
export class CarrierError extends BridgeError {
  readonly kind: FailureKind
  /** Twilio’s error code, if the response has one. */
  readonly twilioCode: number | undefined

  private constructor(kind: FailureKind, message: string, twilioCode?: number) {
    // Twilio limits concurrent calls per account: for callers, all lines are busy.
    const code = twilioCode === 10004 ? 'CAPACITY' : 'DIAL_FAILED'
    super(code, message, { retryable: kind !== 'refused' })
    this.kind = kind
    this.twilioCode = twilioCode
  }

  /** Converts an error of the client. */
  static from(thrown: unknown): CarrierError {
    const { status, code } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Record<
      string,
      unknown
    >
    if (typeof status !== 'number') return CarrierError.#unanswered(code)
    const twilioCode = typeof code === 'number' && code > 0 ? code : undefined
    return new CarrierError(kindOf(status, twilioCode), describe(status, twilioCode), twilioCode)
  }

  /** A success response without usable content. */
  static unreadable(): CarrierError {
    return new CarrierError('unsure', 'Twilio returned an invalid call resource')
  }

  static #unanswered(code: unknown): CarrierError {
    const name = typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? code : 'unknown'
    const kind = UNREACHED.includes(name) ? 'later' : 'unsure'
    return new CarrierError(kind, `no response from the REST API (${name})`)
  }
}

function kindOf(status: number, code: number | undefined): FailureKind {
  if (code !== undefined && OVER.includes(code)) return 'gone'
  if (status === 429 || code === 20429) return 'later'
  if (status >= 500) return 'unsure'
  return 'refused'
}

function describe(status: number, code: number | undefined): string {
  if (code === undefined) return `the REST API returned HTTP ${status}`
  const meaning = MEANINGS[code]
  return `Twilio error ${code}${meaning === undefined ? '' : `: ${meaning}`} (HTTP ${status})`
}

/** Time during which a request that certainly was not executed is retried (ms). */
const ORDER_MS = 10_000
/** Retries of requests. */
const RETRY: BackoffPolicy = { firstMs: 500, maxMs: 4_000 }
/** Attempts to hang up; repeating this is harmless. */
const HANG_UP_ATTEMPTS = 5

export interface PersistenceOptions {
  readonly api: CallsApi
  readonly clock: Clock
  readonly log: Logger
  readonly random: () => number
}

/**
 * Places a call once. Requests that certainly were not executed (no connection, rate limit) are retried for 10 s,
 * others never, so that no phone rings twice. Resolves to the CallSid, or undefined once `wanted` returns false
 * between attempts; rejects with `CarrierError`.
 */
export async function placeCall(
  order: CallOrder,
  { api, clock, random }: PersistenceOptions,
  wanted: () => boolean,
): Promise<string | undefined> {
  const until = clock.now() + ORDER_MS
  for (let attempt = 0; ; attempt++) {
    try {
      return await api.create(order)
    } catch (failure) {
      if (!(failure instanceof CarrierError) || failure.kind !== 'later' || clock.now() >= until)
        throw failure
    }
    await pause(clock, attempt, random)
    if (!wanted()) return undefined
  }
}

/** Hangs up a call; never rejects. Logs repeated failure: the call then ends at its time limit. */
export async function hangUpCall(
  callSid: string,
  dial: string,
  { api, clock, log, random }: PersistenceOptions,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await api.hangUp(callSid)
    } catch (failure) {
      const refused = failure instanceof CarrierError && failure.kind === 'refused'
      if (refused || attempt === HANG_UP_ATTEMPTS) {
        const error = failure instanceof CarrierError ? failure.message : 'unknown'
        return log.error({ dial, callSid, error }, 'hang-up failed')
      }
    }
    await pause(clock, attempt - 1, random)
  }
}

function pause(clock: Clock, attempt: number, random: () => number): Promise<void> {
  const ms = backoffMs(attempt + 1, RETRY, random())
  return new Promise(resolve => void setTimer(clock, ms, resolve))
}
