import { BridgeError } from '../../../core/errors.ts'

/**
 * What may be concluded from a failed request.
 * `refused`: it was not done, and will not be. `later`: it was not done, but may be when asked again.
 * `unsure`: it may have been done. `gone`: there is no such call (any more).
 */
export type FailureKind = 'refused' | 'later' | 'unsure' | 'gone'

/** Twilio's codes that people meet when they dial out, in words that help (Twilio: Error and Warning Dictionary). */
const MEANINGS: Readonly<Record<number, string>> = {
  10004: 'too many calls at a time for this account',
  20003: 'the credentials are wrong',
  20404: 'not found',
  20429: 'too many requests',
  21201: 'no number to call',
  21205: 'the public address is not accepted',
  21210: 'the caller number is not one of the account, nor verified',
  21211: 'the number cannot be called',
  21212: 'the caller number is not valid',
  21214: 'the number cannot be reached',
  21215: 'calls to this country are not permitted (Voice Geographic Permissions)',
  21216: 'calls to this number are blocked',
  21217: 'the number is not valid',
  21219: 'a trial account calls verified numbers only',
  21220: 'the call is over',
}
/** Errors before a connection stood: nothing can have been done. */
const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']
/** The call is over already (Twilio: 20404 not found, 21220 invalid call state). */
const OVER = [20404, 21220]

/** A request to the REST API that failed. Its message is fit for logs: Twilio's own may hold telephone numbers. */
export class RestFailure extends BridgeError {
  readonly kind: FailureKind
  /** Twilio's code, where the answer had one. */
  readonly twilioCode: number | undefined

  private constructor(kind: FailureKind, message: string, twilioCode?: number) {
    // Twilio limits how many calls an account has at a time: to whoever waits, the lines are full.
    const code = twilioCode === 10004 ? 'CAPACITY' : 'DIAL_FAILED'
    super(code, message, { retryable: kind !== 'refused' })
    this.kind = kind
    this.twilioCode = twilioCode
  }

  /** What was thrown by the client, judged. */
  static from(thrown: unknown): RestFailure {
    const { status, code } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Record<
      string,
      unknown
    >
    if (typeof status !== 'number') return RestFailure.#unanswered(code)
    const twilioCode = typeof code === 'number' && code > 0 ? code : undefined
    return new RestFailure(kindOf(status, twilioCode), describe(status, twilioCode), twilioCode)
  }

  /** An answer that says it was done, but not what. */
  static unreadable(): RestFailure {
    return new RestFailure('unsure', 'Twilio answered something that is no call')
  }

  static #unanswered(code: unknown): RestFailure {
    const name = typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? code : 'unknown'
    const kind = UNREACHED.includes(name) ? 'later' : 'unsure'
    return new RestFailure(kind, `no answer from the REST API (${name})`)
  }
}

function kindOf(status: number, code: number | undefined): FailureKind {
  if (code !== undefined && OVER.includes(code)) return 'gone'
  if (status === 429 || code === 20429) return 'later'
  if (status >= 500) return 'unsure'
  return 'refused'
}

function describe(status: number, code: number | undefined): string {
  if (code === undefined) return `the REST API answered HTTP ${status}`
  const meaning = MEANINGS[code]
  return `Twilio error ${code}${meaning === undefined ? '' : `: ${meaning}`} (HTTP ${status})`
}
