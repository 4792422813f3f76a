import { CLOSE_CODES as BROWSER } from '../../src/bridges/browser/close-codes.ts'
import { CLOSE_CODES as TWILIO } from '../../src/bridges/phone/leg/close-codes.ts'
import type { ErrorCode } from '../../src/common/errors.ts'
import type { EndReason } from '../../src/common/lifecycle.ts'
import { ERROR_TABLE as SERVICE } from '../../src/service/server/errors.ts'
import { ERROR_TABLE as CONTROL } from '../../src/web/control/errors.ts'
import { code, head, table } from './markdown.ts'

const ABOUT = `All codes that programs can branch on: [run-time failures](#run-time-failures), [end reasons](#end-reasons), errors of the
[control API](#control-api) and the [translation service](#translation-service), and close codes of the [Twilio](#twilio-media-socket) and
[browser](#browser-socket) sockets. Texts can change; codes do not.
`

const RUN_TIME_ABOUT = `\`error.code\` of a \`BridgeError\`, the label \`code\` of \`dragoman_failures_total\`, and \`code\` in logs and webhooks.
\`error.retryable\` tells whether a later attempt can succeed.
`

/** Meaning and effect of each run-time failure. */
const RUN_TIME: Readonly<Record<ErrorCode, readonly [meaning: string, effect: string]>> = {
  CONFIG: ['The settings are invalid or contradictory.', 'Thrown at start, before any port is opened.'],
  NOT_INSTALLED: [
    'A package that a configured feature needs is not installed.',
    'Thrown at start. The message names the command to install it.',
  ],
  CAPACITY: [
    'The maximum number of legs is reached, or the relay is closing.',
    'The new call is rejected. Calls in progress are not affected.',
  ],
  JOIN_FAILED: [
    'Discord refuses the voice channel: a permission is missing, it is full, or its server cannot be reached.',
    '`join()` rejects. The message names what is missing.',
  ],
  DIAL_REFUSED: [
    'The settings do not permit this destination, or outbound calls at all.',
    'The requester gets the error. No phone rings.',
  ],
  DIAL_QUOTA_EXCEEDED: [
    'The quota of minutes or money for the day is used up.',
    'Waiting callers hear a notice. Calls are possible again later.',
  ],
  DIAL_FAILED: ['The carrier could not place the call.', 'Waiting callers hear a notice.'],
  SPEECH_UNAVAILABLE: [
    'A text cannot be spoken or translated at the moment.',
    'A tone is played instead of a notice; an API request gets the error.',
  ],
  FLEET_AWAY: [
    'NATS, or its quorum, cannot be reached.',
    'Calls in progress continue. New callers of shared rooms wait; requests that need other nodes get 503.',
  ],
  FLEET_FAILED: ['Another node of the fleet failed to answer a request.', 'Reported to the requester.'],
  NODE_GONE: [
    'A node of the fleet has ended.',
    'Its rooms are taken over by the node that needs them. Requests about them get 404 or 503 until then.',
  ],
  STORAGE: [
    'The state file cannot be read or written: the disk is full, read-only or faulty.',
    'Calls go on, and what changes is in memory until it can be written. A deletion that is only in memory is not confirmed.',
  ],
  NODE_LATE: ['A node of the fleet did not answer in time.', 'The request is repeated, or gets 503.'],
  SERVICE_UNREACHABLE: [
    'No connection to the translation service.',
    'Original voices are played. The connection is retried with back-off.',
  ],
  SERVICE_SILENT: [
    'The service sent no `start`, or no acknowledgment within the deadline.',
    'As for `SERVICE_UNREACHABLE`.',
  ],
  SERVICE_LOST: [
    'A connection to the service broke.',
    'As for `SERVICE_UNREACHABLE`. Unanswered speech is replayed on the next connection.',
  ],
  SERVICE_REFUSED: [
    'The service rejected the session.',
    'If retryable (limit, failed engine): as for `SERVICE_UNREACHABLE`. Otherwise (language): original voices are played, and the log has one error.',
  ],
  SERVICE_KEY_REFUSED: [
    'The service refuses the API key: it is wrong, missing, revoked or expired, or its quota is used up.',
    'Original voices are played, and the log has one error. The service is probed with growing pauses, up to 30 s.',
  ],
  SERVICE_PROTOCOL: ['The service sent an invalid response.', 'Reported to the requester.'],
  SERVICE_NOT_MP3: [
    'The voice in a result is neither MP3 nor WAV nor samples.',
    'It is not played. Counted, and logged once per session. Captions continue.',
  ],
  LEG_PROTOCOL: [
    'The remote side violated the protocol.',
    'Its socket is closed with one of the codes below.',
  ],
  LEG_SILENT: [
    'No sign of life from the remote side.',
    'The leg ends. A call that is still alive resumes with its `<Redirect>`.',
  ],
  LEG_LOST: ['The socket broke, or the remote side does not read.', 'As for `LEG_SILENT`.'],
  STATE: [
    'An impossible transition of a state machine.',
    'Thrown immediately: this is a bug. Please report it.',
  ],
}

const ENDS: Readonly<Record<EndReason['kind'], readonly [of: string, when: string]>> = {
  hangup: [
    'leg, connection, service process',
    '`by: remote`: the remote side stopped or closed its socket, and the call does not continue. `by: local`: regular close by Dragoman.',
  ],
  'parent-closed': ['leg, session', 'The relay or the room closed.'],
  unused: ['session', 'No listener needs this speaker in this language.'],
  replaced: ['leg', 'A newer leg of the same call took over.'],
  idle: ['leg', 'No audio for too long.'],
  failed: ['leg, session, connection', 'A failure; `error.code` is one of the codes above.'],
}

/** Returns `docs/reference/errors.md`. */
export function errorsPage(): string {
  const runTime = Object.entries(RUN_TIME).map(([name, cells]) => [code(name), ...cells])
  const ends = Object.entries(ENDS).map(([name, cells]) => [code(name), ...cells])
  const control = Object.entries(CONTROL).map(([name, { status, code: general, cause }]) => [
    String(status),
    code(general),
    code(name),
    cause,
  ])
  const service = Object.entries(SERVICE).map(([name, { status, code: general, socket, cause }]) => [
    status === 0 ? '' : String(status),
    socket === '-' ? '' : socket,
    code(general),
    code(name),
    cause,
  ])
  return [
    head('Errors', ABOUT),
    `\n## Run-time failures\n\n${RUN_TIME_ABOUT}\n${table(['code', 'meaning', 'effect'], runTime)}`,
    `\n## End reasons\n\nThe value of \`ended\` of legs, sessions and connections. An end is not an error and has no stack trace.\n\n`,
    table(['kind', 'of', 'when'], ends),
    `\n## Control API\n\nBody: \`{ code, error, description }\`.\n\n`,
    table(['status', 'code', 'error', 'cause'], control),
    `\n## Translation service\n\nOver HTTP with a status, on the socket as \`connect_error\` or \`error\`.\n\n`,
    table(['status', 'socket', 'code', 'error', 'cause'], service),
    `\n## Twilio media socket\n\n${closeTable(TWILIO)}`,
    `\n## Browser socket\n\n${closeTable(BROWSER)}`,
  ].join('')
}

function closeTable(codes: Readonly<Record<string, { code: number; meaning: string }>>): string {
  return table(
    ['code', 'cause', 'meaning'],
    Object.entries(codes).map(([cause, each]) => [String(each.code), code(cause), each.meaning]),
  )
}
