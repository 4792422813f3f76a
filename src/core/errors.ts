/** Stable codes of run-time failures; each has its row in `docs/reference/errors.md`. */
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
  /** Default: `fast` where it is retryable, `slow` where it is not. */
  readonly backOff?: BackOff
  readonly cause?: unknown
}

/** A failure at run time. Branch on `code`, never on the text. */
export class BridgeError extends Error {
  readonly code: ErrorCode
  /** True when doing the same again later may work. */
  readonly retryable: boolean
  /** How soon it is worth another try: `fast`, within a second or so; `slow`, after ever longer waits. */
  readonly backOff: BackOff

  constructor(code: ErrorCode, message: string, options: BridgeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'BridgeError'
    this.code = code
    this.retryable = options.retryable ?? false
    this.backOff = options.backOff ?? (this.retryable ? 'fast' : 'slow')
  }
}

/** Why something ended. An ending is not an error: a hang-up never has a stack trace. */
export type EndReason =
  /** Somebody hung up: the far side, or we. */
  | { kind: 'hangup'; by: 'remote' | 'local' }
  /** The owner closed and took its children along. */
  | { kind: 'parent-closed' }
  /** Nobody needs it any more (a session without listeners). */
  | { kind: 'unused' }
  /** A newer leg of the same call took its place. */
  | { kind: 'replaced' }
  /** Nothing was heard for this long. */
  | { kind: 'idle'; afterMs: number }
  | { kind: 'failed'; error: BridgeError }

/** The ending in one short line, for logs. */
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
