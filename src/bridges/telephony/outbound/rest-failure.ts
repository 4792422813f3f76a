import { BridgeError } from '../../../common/errors.ts'

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
export class RestFailure extends BridgeError {
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
  static from(thrown: unknown): RestFailure {
    const { status, code } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Record<
      string,
      unknown
    >
    if (typeof status !== 'number') return RestFailure.#unanswered(code)
    const twilioCode = typeof code === 'number' && code > 0 ? code : undefined
    return new RestFailure(kindOf(status, twilioCode), describe(status, twilioCode), twilioCode)
  }

  /** A success response without usable content. */
  static unreadable(): RestFailure {
    return new RestFailure('unsure', 'Twilio returned an invalid call resource')
  }

  static #unanswered(code: unknown): RestFailure {
    const name = typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? code : 'unknown'
    const kind = UNREACHED.includes(name) ? 'later' : 'unsure'
    return new RestFailure(kind, `no response from the REST API (${name})`)
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
