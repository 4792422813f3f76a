/** Stable codes of run-time failures. `docs/reference/errors.md` describes each. */
export const ERROR_CODES = [
  'STATE',
  'CONFIG',
  'NOT_INSTALLED',
  'SERVICE_UNREACHABLE',
  'SERVICE_REFUSED',
  'SERVICE_KEY_REFUSED',
  'SERVICE_SILENT',
  'SERVICE_LOST',
  'SERVICE_PROTOCOL',
  'SERVICE_NOT_MP3',
  'LEG_PROTOCOL',
  'LEG_SILENT',
  'LEG_LOST',
  'CAPACITY',
  'JOIN_FAILED',
  'DIAL_REFUSED',
  'DIAL_QUOTA_EXCEEDED',
  'DIAL_FAILED',
  'SPEECH_UNAVAILABLE',
  'FLEET_AWAY',
  'FLEET_FAILED',
  'NODE_GONE',
  'NODE_LATE',
  'STORAGE',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

export type BackOff = 'fast' | 'slow'

export interface BridgeErrorOptions {
  /** Default: false. */
  readonly retryable?: boolean
  /** Default: `fast` if it is retryable, otherwise `slow`. */
  readonly backOff?: BackOff
  /** The peer has no free place; one that is given up elsewhere would help. Default: false. */
  readonly full?: boolean
  readonly cause?: unknown
}

/** A run-time failure. Branch on `code`, never on the message. */
export class BridgeError extends Error {
  readonly code: ErrorCode
  /** True if the same operation can succeed later. */
  readonly retryable: boolean
  /** Delay before a retry: `fast`, about a second at most; `slow`, increasing delays. */
  readonly backOff: BackOff
  readonly full: boolean

  constructor(code: ErrorCode, message: string, options: BridgeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'BridgeError'
    this.code = code
    this.retryable = options.retryable ?? false
    this.full = options.full ?? false
    this.backOff = options.backOff ?? (this.retryable ? 'fast' : 'slow')
  }
}
