interface ErrorRow {
  /** The general code. */
  readonly code: string
  /** HTTP status. */
  readonly status: number
  readonly cause: string
}

/** Every failure a client of the control API can meet, by its specific code. Listed in `docs/reference/errors.md`. */
export const ERROR_TABLE = {
  control_closed: row(
    'not_found',
    404,
    'No key is configured (`control.keys`), so the control API is closed.',
  ),
  key_missing: row('unauthorized', 401, 'The header `Authorization: Bearer <key>` is missing.'),
  key_wrong: row('unauthorized', 401, 'The key, or the token of a link, is not good (any more).'),
  too_many_attempts: row('limit', 429, 'Too many wrong keys came from the address.'),
  too_many_requests: row('limit', 429, 'The key makes more requests than it may.'),
  path_unknown: row('not_found', 404, 'There is nothing at this path.'),
  method_not_allowed: row('bad_request', 405, 'The path has other methods; the header `Allow` names them.'),
  request_malformed: row('bad_request', 400, 'The request or its JSON cannot be read.'),
  not_json: row('bad_request', 415, 'The body is not `application/json`.'),
  too_large: row('bad_request', 413, 'The body is larger than 64 KiB.'),
  value_not_allowed: row('bad_parameter', 400, 'A value is missing, or is not what it may be.'),
  field_unknown: row('bad_parameter', 400, 'There is a field or parameter that is not known.'),
  language_not_allowed: row('bad_parameter', 422, 'The room was created for other languages.'),
  idempotency_reused: row('bad_parameter', 422, 'The `Idempotency-Key` was used for another request.'),
  room_unknown: row('not_found', 404, 'There is no such room, neither open nor created.'),
  participant_unknown: row('not_found', 404, 'There is no such participant (any more).'),
  call_unknown: row('not_found', 404, 'There is no such call (any more).'),
  announcement_unknown: row('not_found', 404, 'There is no such announcement (any more).'),
  code_unknown: row('not_found', 404, 'The room has no such code (any more).'),
  file_unknown: row('not_found', 404, 'The settings (`sounds.files`) have no sound of this name.'),
  transcript_unknown: row('not_found', 404, 'There is no such transcript (any more).'),
  recording_unknown: row('not_found', 404, 'The room is not being recorded.'),
  room_exists: row('conflict', 409, 'There is a room of this name already.'),
  room_full: row('conflict', 409, 'As many are in the room, or being called, as may be.'),
  nobody_there: row('conflict', 409, 'Nobody is there who could hear it.'),
  not_now: row('conflict', 409, 'It is not possible in the present state.'),
  dial_refused: row('forbidden', 403, 'The settings do not allow calls to this destination, or at all.'),
  sounds_off: row('missing', 501, 'This server has no sounds of its own.'),
  recording_off: row('missing', 501, 'Recording is not configured.'),
  capacity: row('limit', 503, 'As many as possible are there already; later it may work.'),
  too_many_readers: row('limit', 503, 'As many read captions as may.'),
  speech_unavailable: row('unavailable', 503, 'The service does not speak or translate the text just now.'),
  sound_unavailable: row('unavailable', 503, 'The file of a sound cannot be played.'),
  unexpected: row('internal', 500, 'A fault of the server itself.'),
} as const satisfies Record<string, ErrorRow>

/** A specific error code. */
export type ErrorName = keyof typeof ERROR_TABLE

function row(code: string, status: number, cause: string) {
  return { code, status, cause }
}
