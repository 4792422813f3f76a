import type { ServiceErrorBody } from '../contract.ts'

/** Counts how often each error of the table was sent to clients. */
export class ErrorCounts {
  readonly #counts = new Map<ErrorName, number>()

  count(error: ErrorName): void {
    this.#counts.set(error, (this.#counts.get(error) ?? 0) + 1)
  }

  get all(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts)
  }
}

/** Delivery of a failure to a client on the socket. */
export type FailureDelivery =
  /** The connection is rejected with `connect_error`, the body in `err.data`. */
  | 'connect_error'
  /** The `error` event; the session continues. */
  | 'error'
  /** The `error` event, then the service disconnects. */
  | 'error, disconnect'
  /** Not on the socket. */
  | '-'

interface ErrorRow {
  /** General code. */
  readonly code: string
  /** HTTP status; 0 if it does not occur on HTTP. */
  readonly status: number
  readonly socket: FailureDelivery
  readonly cause: string
}

/** Every failure a client can receive, by its specific code. `docs/reference/errors.md` shows the same table. */
export const ERROR_TABLE = {
  key_missing: row('unauthorized', 401, 'connect_error', 'No API key was sent.'),
  key_wrong: row('unauthorized', 401, 'connect_error', 'The API key is not valid for this service.'),
  key_revoked: row('unauthorized', 401, 'error, disconnect', 'The API key was revoked during the session.'),
  too_many_attempts: row(
    'limit',
    429,
    'connect_error',
    'Too many requests with a wrong or missing key from this address.',
  ),
  namespace_unknown: row('bad_namespace', 0, 'connect_error', 'The namespace does not exist.'),
  too_many_sessions: row('limit', 503, 'connect_error', 'All sessions of the service are in use.'),
  service_behind: row(
    'limit',
    503,
    'connect_error',
    'The service is overloaded and accepts no new sessions.',
  ),
  key_sessions_taken: row('limit', 429, 'connect_error', 'All sessions of the API key are in use.'),
  minutes_used_up: row('limit', 429, 'connect_error', 'The audio quota of the API key is used up.'),
  language_missing: row('bad_parameter', 400, 'error, disconnect', 'A required language is missing.'),
  language_malformed: row(
    'bad_parameter',
    400,
    'error, disconnect',
    'The language id does not have the form `<language>-<region>`.',
  ),
  language_unknown: row('bad_parameter', 400, 'error, disconnect', 'No engine supports the language.'),
  language_not_transcribed: row(
    'bad_parameter',
    400,
    'error, disconnect',
    'No engine recognizes speech in this language.',
  ),
  pair_not_offered: row(
    'bad_parameter',
    400,
    'error, disconnect',
    'No engine translates this language pair.',
  ),
  voice_not_offered: row('bad_parameter', 400, 'error, disconnect', 'The language has no such voice.'),
  grammar_unknown: row(
    'bad_parameter',
    0,
    'error, disconnect',
    'The settings define no such grammar for the language.',
  ),
  not_json: row(
    'bad_parameter',
    400,
    'error, disconnect',
    '`sendAudio` or `receiveAudio` is not a JSON object.',
  ),
  field_unknown: row('bad_parameter', 400, 'error, disconnect', 'The JSON object has an unknown field.'),
  broadcast_not_supported: row(
    'bad_parameter',
    0,
    'error, disconnect',
    '`sendAudio.broadcastVia` is not `chunk`.',
  ),
  obtain_not_supported: row(
    'bad_parameter',
    400,
    'error, disconnect',
    '`receiveAudio.obtainVia` is neither `chunk` nor `stream`.',
  ),
  codec_not_supported: row(
    'bad_parameter',
    400,
    'error, disconnect',
    'The codec is not `linear16` (input) or `mp3` (output).',
  ),
  rate_not_supported: row('bad_parameter', 400, 'error, disconnect', 'The sample rate is not in the list.'),
  mode_not_supported: row(
    'bad_parameter',
    400,
    'error, disconnect',
    'The mode is neither `block` nor `streaming`.',
  ),
  value_not_allowed: row('bad_parameter', 400, 'error, disconnect', 'The value is not in the list.'),
  parameter_unknown: row(
    'bad_parameter',
    400,
    'error, disconnect',
    'The query has a parameter with an unknown name.',
  ),
  parameter_repeated: row('bad_parameter', 400, 'error, disconnect', 'A parameter was sent more than once.'),
  transcription_missing: row(
    'engine_missing',
    501,
    'error, disconnect',
    'No speech recognition engine is installed.',
  ),
  translation_missing: row('engine_missing', 501, 'error, disconnect', 'No translation engine is installed.'),
  synthesis_missing: row(
    'engine_missing',
    501,
    'error, disconnect',
    'No speech synthesis engine is installed.',
  ),
  transcription_failed: row(
    'engine_failed',
    503,
    'error, disconnect',
    'The speech recognition engine failed.',
  ),
  interpretation_failed: row(
    'engine_failed',
    0,
    'error, disconnect',
    'The engine that translates from speech to speech failed.',
  ),
  translation_failed: row('engine_failed', 503, 'error', 'One utterance or text could not be translated.'),
  synthesis_failed: row('engine_failed', 503, 'error', 'One utterance or text could not be spoken.'),
  before_start: row('not_ready', 0, 'error', 'Data arrived before `start`.'),
  event_not_taken: row('bad_event', 0, 'error', 'The namespace does not accept this event.'),
  too_many_payloads: row('bad_event', 0, 'error', 'An event has more than one payload.'),
  packet_malformed: row(
    'bad_event',
    0,
    'error, disconnect',
    'A Socket.IO packet is malformed or lacks its attachments.',
  ),
  not_binary: row('bad_audio', 0, 'error', 'A fragment is not binary.'),
  odd_byte_count: row('bad_audio', 0, 'error', 'A fragment ends inside a sample.'),
  not_text: row('bad_text', 0, 'error', 'A text is not a string.'),
  text_empty: row('bad_text', 400, 'error', 'A text is empty.'),
  text_too_long: row('limit', 413, 'error', 'A text is longer than allowed.'),
  fragment_too_large: row('limit', 0, 'error', 'A fragment is larger than allowed.'),
  backlog_full: row('limit', 0, 'error', 'Audio or text arrives faster than it is processed.'),
  too_many_messages: row(
    'limit',
    0,
    'error, disconnect',
    'The connection sends too many messages per second.',
  ),
  falling_behind: row('limit', 0, 'error', 'Results are late, but are still sent.'),
  too_far_behind: row('limit', 0, 'error, disconnect', 'Results are too late to be useful.'),
  too_many_bad_fragments: row(
    'limit',
    0,
    'error, disconnect',
    'Too many consecutive fragments or texts failed.',
  ),
  reader_too_slow: row('limit', 0, 'error, disconnect', 'The client does not read the data sent to it.'),
  stream_not_read: row(
    'limit',
    0,
    'error',
    'Streamed audio was dropped because it was read too slowly or not at all.',
  ),
  session_idle: row('timeout', 0, 'error, disconnect', 'No audio or text arrived within the idle timeout.'),
  path_unknown: row('not_found', 404, '-', 'The path does not exist.'),
  stream_unknown: row('not_found', 404, '-', 'No open session streams its audio at this path.'),
  origin_not_allowed: row('unauthorized', 403, '-', 'The origin or host name of the request is not allowed.'),
  request_malformed: row('bad_request', 400, '-', 'The HTTP request cannot be read.'),
  not_multipart: row('bad_request', 415, '-', 'The body is not a multipart form.'),
  form_malformed: row('bad_request', 400, '-', 'The multipart form cannot be read, or ends too early.'),
  form_field_unknown: row('bad_request', 400, '-', 'The form has an unknown field.'),
  parameter_missing: row('bad_parameter', 400, '-', 'A required parameter is missing.'),
  file_missing: row('bad_file', 400, '-', 'The form has no file.'),
  empty_file: row('bad_file', 400, '-', 'The file is empty.'),
  format_unknown: row('bad_file', 415, '-', 'Unsupported format; expected WAV, MP3, Ogg or WebM.'),
  coding_not_supported: row(
    'bad_file',
    415,
    '-',
    'The encoding, sample rate or channel count is not supported.',
  ),
  file_damaged: row('bad_file', 422, '-', 'The file is inconsistent or cannot be decoded.'),
  truncated: row('bad_file', 422, '-', 'The file ends before its audio does.'),
  too_large: row('bad_file', 413, '-', 'The file has more bytes than allowed.'),
  too_long: row('bad_file', 413, '-', 'The audio is longer than allowed.'),
  file_not_text: row('bad_file', 415, '-', 'The file is not UTF-8 text.'),
  language_not_detected: row('bad_file', 422, '-', 'The language of the audio could not be determined.'),
  too_many_jobs: row('limit', 503, '-', 'The maximum number of batch jobs is reached.'),
  upload_too_slow: row('timeout', 408, '-', 'The request was not received in time.'),
  job_too_long: row('timeout', 504, '-', 'The job was not finished in time.'),
  unexpected: row('internal', 500, 'error, disconnect', 'An internal error of the service.'),
} as const satisfies Record<string, ErrorRow>

/** A specific error code. */
export type ErrorName = keyof typeof ERROR_TABLE

function row<D extends FailureDelivery>(code: string, status: number, socket: D, cause: string) {
  return { code, status, socket, cause }
}

/**
 * A failure that is reported to a client. The description names the value found and the values allowed, never a key.
 */
export class ServiceError extends Error {
  readonly specific: ErrorName
  /** Property in which Socket.IO passes the reason of a rejected connection to the client. */
  readonly data: ServiceErrorBody

  /** Time after which a retry can succeed (ms), if known. */
  readonly retryAfterMs: number | undefined

  constructor(
    specific: ErrorName,
    description: string,
    options: { cause?: unknown; retryAfterMs?: number } = {},
  ) {
    super(description, 'cause' in options ? { cause: options.cause } : undefined)
    this.retryAfterMs = options.retryAfterMs
    this.name = 'ServiceError'
    this.specific = specific
    this.data = { code: ERROR_TABLE[specific].code, error: specific, description }
  }

  get status(): number {
    return ERROR_TABLE[this.specific].status || 400
  }

  /** True if the error ends the connection. */
  get fatal(): boolean {
    return ERROR_TABLE[this.specific].socket !== 'error'
  }
}

/** Converts any thrown value to an error for the client; internal faults become `unexpected`. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  return new ServiceError('unexpected', 'the service failed: see its log', { cause: error })
}
