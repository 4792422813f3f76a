/** Stable codes of run-time failures. `docs/reference/errors.md` describes each. */
export type ErrorCode =
  | 'STATE'
  | 'CONFIG'
  | 'NOT_INSTALLED'
  | 'SERVICE_UNREACHABLE'
  | 'SERVICE_REFUSED'
  | 'SERVICE_SILENT'
  | 'SERVICE_LOST'
  | 'SERVICE_PROTOCOL'
  | 'SERVICE_NOT_MP3'
  | 'LEG_PROTOCOL'
  | 'LEG_SILENT'
  | 'LEG_LOST'
  | 'CAPACITY'
  | 'DIAL_REFUSED'
  | 'DIAL_SPENT'
  | 'DIAL_FAILED'
  | 'SPEECH_UNAVAILABLE'

export type BackOff = 'fast' | 'slow'

export interface BridgeErrorOptions {
  /** Default: false. */
  readonly retryable?: boolean
  /** Default: `fast` if it is retryable, otherwise `slow`. */
  readonly backOff?: BackOff
  readonly cause?: unknown
}

/** A run-time failure. Branch on `code`, never on the message. */
export class BridgeError extends Error {
  readonly code: ErrorCode
  /** True if the same operation can succeed later. */
  readonly retryable: boolean
  /** Delay before a retry: `fast`, about a second at most; `slow`, increasing delays. */
  readonly backOff: BackOff

  constructor(code: ErrorCode, message: string, options: BridgeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'BridgeError'
    this.code = code
    this.retryable = options.retryable ?? false
    this.backOff = options.backOff ?? (this.retryable ? 'fast' : 'slow')
  }
}

/** The reason why an object ended. An end is not an error: a hang-up has no stack trace. */
export type EndReason =
  /** The remote or the local side hung up. */
  | { kind: 'hangup'; by: 'remote' | 'local' }
  /** The owner was closed. */
  | { kind: 'parent-closed' }
  /** No longer needed (a session without listeners). */
  | { kind: 'unused' }
  /** A newer leg of the same call replaced it. */
  | { kind: 'replaced' }
  /** No data arrived for this long. */
  | { kind: 'idle'; afterMs: number }
  | { kind: 'failed'; error: BridgeError }

/** Formats an end reason as a short line for logs. */
export function describeEnd(reason: EndReason): string {
  switch (reason.kind) {
    case 'hangup':
      return `hangup by ${reason.by}`
    case 'idle':
      return `idle for ${Math.round(reason.afterMs)} ms`
    case 'failed':
      return `failed ${reason.error.code}: ${reason.error.message}`
    default:
      return reason.kind
  }
}
