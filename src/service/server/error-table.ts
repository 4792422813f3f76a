/** How a failure reaches a client on the socket. */
export type Delivery =
  /** The connection is refused: `connect_error`, the body in `err.data`. */
  | 'connect_error'
  /** The `error` event; the session goes on. */
  | 'error'
  /** The `error` event, then the service disconnects. */
  | 'error, disconnect'
  /** Not on the socket. */
  | '-'

interface ErrorRow {
  /** The general code. */
  readonly code: string
  /** HTTP status; 0 where it does not arise on HTTP. */
  readonly status: number
  readonly socket: Delivery
  readonly cause: string
}

/** Every failure a client can meet, by its specific code. `docs/service/protocol.md` shows the same table. */
export const ERROR_TABLE = {
  key_missing: row('unauthorized', 401, 'connect_error', 'No API key was sent.'),
  key_wrong: row('unauthorized', 401, 'connect_error', 'The API key is not one of this service.'),
  key_revoked: row('unauthorized', 401, 'error, disconnect', 'The API key was revoked during the session.'),
  too_many_attempts: row(
    'limit',
    429,
    'connect_error',
    'Too many wrong or missing keys came from the address.',
  ),
  namespace_unknown: row('bad_namespace', 0, 'connect_error', 'The interface has no such namespace.'),
  too_many_sessions: row('limit', 503, 'connect_error', 'All sessions of the service are taken.'),
  service_behind: row('limit', 503, 'connect_error', 'One more session would make the open ones slow.'),
  key_sessions_taken: row('limit', 429, 'connect_error', 'All sessions of the API key are taken.'),
  minutes_used_up: row('limit', 429, 'connect_error', 'The minutes of audio of the API key are used up.'),
  language_missing: row(
    'bad_parameter',
    400,
    'error, disconnect',
    'A language of the connection is missing.',
  ),
  language_malformed: row(
    'bad_parameter',
    400,
    'error, disconnect',
    'Not of the form `<language>-<region>`.',
  ),
  language_unknown: row('bad_parameter', 400, 'error, disconnect', 'No engine here knows the language.'),
  language_not_transcribed: row(
    'bad_parameter',
    400,
    'error, disconnect',
    'No engine understands speech in it.',
  ),
  pair_not_offered: row(
    'bad_parameter',
    400,
    'error, disconnect',
    'Nothing translates the one into the other.',
  ),
  voice_not_offered: row(
    'bad_parameter',
    400,
    'error, disconnect',
    'There is no such voice for the language.',
  ),
  grammar_unknown: row(
    'bad_parameter',
    0,
    'error, disconnect',
    'The settings have no such grammar for the language.',
  ),
  not_json: row(
    'bad_parameter',
    400,
    'error, disconnect',
    '`sendAudio` or `receiveAudio` is not a JSON object.',
  ),
  field_unknown: row(
    'bad_parameter',
    400,
    'error, disconnect',
    'The JSON object has a field that is not known.',
  ),
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
    'Another codec than `linear16` in, `mp3` out.',
  ),
  rate_not_supported: row(
    'bad_parameter',
    400,
    'error, disconnect',
    'A sample rate that is not in the list.',
  ),
  mode_not_supported: row(
    'bad_parameter',
    400,
    'error, disconnect',
    'Another mode than `block`, `streaming`.',
  ),
  value_not_allowed: row('bad_parameter', 400, 'error, disconnect', 'A value that is not in the list.'),
  parameter_repeated: row('bad_parameter', 400, 'error, disconnect', 'A parameter came more than once.'),
  transcription_missing: row(
    'engine_missing',
    501,
    'error, disconnect',
    'No engine for speech is installed.',
  ),
  translation_missing: row(
    'engine_missing',
    501,
    'error, disconnect',
    'No engine for translation is installed.',
  ),
  synthesis_missing: row('engine_missing', 501, 'error, disconnect', 'No engine for voices is installed.'),
  transcription_failed: row('engine_failed', 503, 'error, disconnect', 'The engine for speech broke down.'),
  translation_failed: row('engine_failed', 503, 'error', 'One utterance or text could not be translated.'),
  synthesis_failed: row('engine_failed', 503, 'error', 'One utterance or text could not be spoken.'),
  before_start: row('not_ready', 0, 'error', 'Data came before `start`.'),
  event_not_taken: row('bad_event', 0, 'error', 'The namespace does not take this event.'),
  too_many_payloads: row('bad_event', 0, 'error', 'An event has more than one payload.'),
  packet_malformed: row(
    'bad_event',
    0,
    'error, disconnect',
    'What came is no packet of Socket.IO, or its attachments did not come with it.',
  ),
  not_binary: row('bad_audio', 0, 'error', 'A fragment is not binary.'),
  odd_byte_count: row('bad_audio', 0, 'error', 'A fragment ends inside a sample.'),
  not_text: row('bad_text', 0, 'error', 'A text is not a string.'),
  text_empty: row('bad_text', 400, 'error', 'There is nothing in a text.'),
  text_too_long: row('limit', 413, 'error', 'A text is longer than allowed.'),
  fragment_too_large: row('limit', 0, 'error', 'A fragment is larger than allowed.'),
  backlog_full: row('limit', 0, 'error', 'Audio or text comes faster than it is processed.'),
  falling_behind: row('limit', 0, 'error', 'Results are later than documented; they still come.'),
  too_far_behind: row('limit', 0, 'error, disconnect', 'Results are too late to be of use.'),
  too_many_bad_fragments: row('limit', 0, 'error, disconnect', 'Many fragments or texts in a row failed.'),
  reader_too_slow: row('limit', 0, 'error, disconnect', 'The client does not read what it is sent.'),
  stream_not_read: row('limit', 0, 'error', 'Streamed audio was lost: it is read too slowly, or not at all.'),
  session_idle: row('timeout', 0, 'error, disconnect', 'No audio or text came for a long time.'),
  path_unknown: row('not_found', 404, '-', 'There is nothing at this path.'),
  stream_unknown: row('not_found', 404, '-', 'No open session streams its audio at this path.'),
  origin_not_allowed: row(
    'unauthorized',
    403,
    '-',
    'A web page of another site, or a request to another host name, may not use the service.',
  ),
  request_malformed: row('bad_request', 400, '-', 'The HTTP request cannot be read.'),
  not_multipart: row('bad_request', 415, '-', 'The body is not a multipart form.'),
  form_malformed: row('bad_request', 400, '-', 'The multipart form cannot be read, or ends too early.'),
  form_field_unknown: row('bad_request', 400, '-', 'The form has a field that is not known.'),
  parameter_missing: row('bad_parameter', 400, '-', 'A parameter that is needed is missing.'),
  file_missing: row('bad_file', 400, '-', 'The form has no file.'),
  empty_file: row('bad_file', 400, '-', 'There is nothing in the file.'),
  format_unknown: row('bad_file', 415, '-', 'The file is none of wav, mp3, ogg, WebM.'),
  coding_not_supported: row(
    'bad_file',
    415,
    '-',
    'The coding, rate or channels of the sound cannot be read.',
  ),
  file_damaged: row('bad_file', 422, '-', 'The file contradicts itself or cannot be decoded.'),
  truncated: row('bad_file', 422, '-', 'The file ends before its sound does.'),
  too_large: row('bad_file', 413, '-', 'The file has more bytes than allowed.'),
  too_long: row('bad_file', 413, '-', 'The sound of the file is longer than allowed.'),
  file_not_text: row('bad_file', 415, '-', 'The file is not text in UTF-8.'),
  language_not_detected: row('bad_file', 422, '-', 'The language of the audio could not be determined.'),
  too_many_jobs: row('limit', 503, '-', 'As many files are being worked on as allowed.'),
  upload_too_slow: row('timeout', 408, '-', 'The request took too long to come.'),
  job_too_long: row('timeout', 504, '-', 'The job was not done in time.'),
  unexpected: row('internal', 500, 'error, disconnect', 'A fault of the service itself.'),
} as const satisfies Record<string, ErrorRow>

/** A specific error code. */
export type ErrorName = keyof typeof ERROR_TABLE

function row<D extends Delivery>(code: string, status: number, socket: D, cause: string) {
  return { code, status, socket, cause }
}
