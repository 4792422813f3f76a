import type { z } from 'zod'
import { BridgeError, type ErrorCode } from '../../common/errors.ts'
import type { errorSchema } from './schemas.ts'

interface ErrorRow {
  /** The general code. */
  readonly code: string
  /** HTTP status. */
  readonly status: number
  readonly cause: string
}

/**
 * Every error that clients of the control API can receive, by its specific code. `docs/control.md` shows the same
 * table.
 */
export const ERROR_TABLE = {
  control_closed: row(
    'not_found',
    404,
    'The control API is disabled, because no key is configured (`control.keys`).',
  ),
  key_missing: row('unauthorized', 401, 'The header `Authorization: Bearer <key>` is missing.'),
  key_wrong: row('unauthorized', 401, 'The key or link token is invalid or expired.'),
  too_many_attempts: row('limit', 429, 'The address sent too many wrong keys.'),
  too_many_requests: row('limit', 429, 'The key exceeded its request rate.'),
  path_unknown: row('not_found', 404, 'The path does not exist.'),
  method_not_allowed: row(
    'bad_request',
    405,
    'The path does not support this method; the `Allow` header lists its methods.',
  ),
  request_malformed: row('bad_request', 400, 'The request or its JSON is malformed.'),
  not_json: row('bad_request', 415, 'The body is not `application/json`.'),
  too_large: row('bad_request', 413, 'The body is larger than 64 KiB.'),
  value_not_allowed: row('bad_parameter', 400, 'A value is missing or not allowed.'),
  field_unknown: row('bad_parameter', 400, 'The request has an unknown field or parameter.'),
  language_not_allowed: row('bad_parameter', 422, 'The room does not allow this language.'),
  idempotency_reused: row('bad_parameter', 422, 'The `Idempotency-Key` was used for another request.'),
  room_unknown: row('not_found', 404, 'The room does not exist.'),
  participant_unknown: row('not_found', 404, 'The participant does not exist or has left.'),
  call_unknown: row('not_found', 404, 'The call does not exist or has been forgotten.'),
  announcement_unknown: row('not_found', 404, 'The announcement does not exist or has been forgotten.'),
  code_unknown: row('not_found', 404, 'The room has no such code, or it has expired.'),
  file_unknown: row('not_found', 404, 'The settings (`sounds.files`) have no sound of this name.'),
  transcript_unknown: row('not_found', 404, 'The transcript does not exist or has been deleted.'),
  recording_unknown: row('not_found', 404, 'The room is not being recorded.'),
  room_exists: row('conflict', 409, 'A room of this name already exists.'),
  room_full: row('conflict', 409, 'The room is full (`maxParticipants`).'),
  nobody_there: row('conflict', 409, 'The room has no listener for it.'),
  not_now: row('conflict', 409, 'Not possible in the current state.'),
  dial_refused: row('forbidden', 403, 'The settings do not allow calls to this destination, or at all.'),
  sounds_off: row('missing', 501, 'Sounds are disabled on this server.'),
  recording_off: row('missing', 501, 'Recording is not configured.'),
  capacity: row('limit', 503, 'A limit is reached. Retry later.'),
  too_many_readers: row('limit', 503, 'Too many caption readers. Retry later.'),
  speech_unavailable: row('unavailable', 503, 'The service currently cannot speak or translate the text.'),
  sound_unavailable: row('unavailable', 503, 'The sound file cannot be played.'),
  fleet_away: row('unavailable', 503, 'The server cannot reach the other nodes of the service. Retry later.'),
  unexpected: row('internal', 500, 'Internal error of the server.'),
} as const satisfies Record<string, ErrorRow>

/** A specific error code. */
export type ErrorName = keyof typeof ERROR_TABLE

function row(code: string, status: number, cause: string) {
  return { code, status, cause }
}

/** Error body sent to clients. */
export type ErrorBody = Readonly<z.infer<typeof errorSchema>>

const LONGEST = 300
/** Delay before a retry is worthwhile (s). */
const RETRY_SECONDS = '5'

/**
 * An error for clients. The description states the value found and the allowed ones; it never contains keys or phone
 * numbers.
 */
export class ControlError extends Error {
  readonly specific: ErrorName
  readonly headers: Readonly<Record<string, string>>

  constructor(
    specific: ErrorName,
    description: string = ERROR_TABLE[specific].cause,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(description.replace(/\p{Cc}+/gu, ' ').slice(0, LONGEST))
    this.name = 'ControlError'
    this.specific = specific
    this.headers = headers
  }

  get status(): number {
    return ERROR_TABLE[this.specific].status
  }

  get body(): ErrorBody {
    return { code: ERROR_TABLE[this.specific].code, error: this.specific, description: this.message }
  }
}

/**
 * Errors of the core with their specific codes. By the rules for logs, their messages contain no phone numbers or
 * secrets.
 */
const KNOWN: Partial<Record<ErrorCode, ErrorName>> = {
  CAPACITY: 'capacity',
  DIAL_QUOTA_EXCEEDED: 'capacity',
  STATE: 'not_now',
  DIAL_REFUSED: 'dial_refused',
  SPEECH_UNAVAILABLE: 'speech_unavailable',
  FLEET_AWAY: 'fleet_away',
  NODE_GONE: 'fleet_away',
  NODE_LATE: 'fleet_away',
  STORAGE: 'not_now',
}

/** Converts any thrown value to an error for clients; unexpected faults become `unexpected`. */
export function toControlError(error: unknown): ControlError {
  if (error instanceof ControlError) return error
  const name = error instanceof BridgeError ? KNOWN[error.code] : undefined
  const headers: Record<string, string> =
    name === 'capacity' || name === 'fleet_away' ? { 'retry-after': RETRY_SECONDS } : {}
  if (name) return new ControlError(name, (error as BridgeError).message, headers)
  return new ControlError('unexpected', 'internal error; see the server log')
}

/** Converts the framework’s error for a malformed request. */
export function fromFramework(error: Error & { statusCode?: number }): ControlError {
  const { statusCode = 500 } = error
  if (error instanceof ControlError || error instanceof BridgeError || statusCode >= 500)
    return toControlError(error)
  if (statusCode === 413) return new ControlError('too_large')
  if (statusCode === 415) return new ControlError('not_json')
  return new ControlError('request_malformed')
}
