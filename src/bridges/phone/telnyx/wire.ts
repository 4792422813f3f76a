import {
  dtmfOf,
  type Fields,
  INVALID,
  isFields,
  markOf,
  parametersOf,
  readFields,
  textOf,
  wholeNumber,
} from '../json-media/message-fields.ts'
import { formatOf } from '../json-media/stream-format.ts'
import { type Inbound, type MediaDialect, PHONE_LINE } from '../ports/media-dialect.ts'

const CONNECTED: Inbound = { kind: 'connected' }
const UNKNOWN: Inbound = { kind: 'unknown' }
const CALL_ID = /^[A-Za-z0-9_:.-]{1,128}$/

/**
 * Telnyx’s media stream messages (Telnyx: Media Streaming over WebSockets): snake_case, no stream ID in what it receives, and
 * media in any order, numbered by `chunk`.
 */
export const telnyxMedia: MediaDialect = {
  format: PHONE_LINE,
  frames: 'text',
  queue: 'carrier',
  order: 'any',
  parse: data => readFields(data.toString('utf8'), parse),
  messages: () => ({
    media: audio => JSON.stringify({ event: 'media', media: { payload: audio.toString('base64') } }),
    mark: name => JSON.stringify({ event: 'mark', mark: { name } }),
    clear: () => '{"event":"clear"}',
  }),
}

/** Never throws. */
function parse(message: Fields): Inbound {
  const streamId = textOf(message.stream_id)
  switch (message.event) {
    case 'media':
      return media(message, streamId)
    case 'mark':
      return mark(message, streamId)
    case 'dtmf':
      return dtmf(message, streamId)
    case 'start':
      return start(message, streamId)
    case 'stop':
      return { kind: 'stop', streamId }
    case 'connected':
      return CONNECTED
    default:
      return typeof message.event === 'string' ? UNKNOWN : INVALID.shape
  }
}

function media(message: Fields, streamId: string): Inbound {
  const fields = message.media
  if (!isFields(fields) || typeof fields.payload !== 'string') return INVALID.media
  return {
    kind: 'media',
    streamId,
    track: fields.track === 'outbound' ? 'outbound' : 'inbound',
    timestampMs: wholeNumber(fields.timestamp),
    sequence: wholeNumber(fields.chunk),
    payload: fields.payload,
  }
}

function mark(message: Fields, streamId: string): Inbound {
  return markOf(isFields(message.mark) ? message.mark.name : undefined, streamId)
}

function dtmf(message: Fields, streamId: string): Inbound {
  return dtmfOf(isFields(message.dtmf) ? message.dtmf.digit : undefined, streamId)
}

/** With TeXML, the ID of the call is `CallSid` of the webhooks (Telnyx: TeXML stream callback). */
function start(message: Fields, streamId: string): Inbound {
  const fields = message.start
  if (!isFields(fields)) return INVALID.start
  const callId = textOf(fields.call_control_id)
  if (!CALL_ID.test(callId) || (streamId !== '' && !CALL_ID.test(streamId))) return INVALID.start
  return {
    kind: 'start',
    streamId,
    callId,
    ...formatOf(fields.media_format, PHONE_LINE),
    parameters: parametersOf(fields.custom_parameters),
  }
}
