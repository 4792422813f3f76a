import type { CarrierMessage, LineFormat, MediaDialect } from '../carrier.ts'
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
} from './message-fields.ts'
import { formatOf } from './stream-format.ts'

/**
 * The media stream messages of Twilio (Twilio: Media Streams, WebSocket Messages), which SignalWire shares. Numbers can be
 * strings or numbers; unknown fields and events are ignored.
 */
export function jsonMedia(format: LineFormat): MediaDialect {
  return {
    format,
    frames: 'text',
    queue: 'carrier',
    order: 'kept',
    parse: data => readFields(data.toString('utf8'), message => parse(message, format)),
    messages: ({ streamId: streamSid }) => ({
      media: audio =>
        JSON.stringify({ event: 'media', streamSid, media: { payload: audio.toString('base64') } }),
      // Requests an echo of `name` once all audio before it has been played.
      mark: name => JSON.stringify({ event: 'mark', streamSid, mark: { name } }),
      // Discards queued audio; Twilio then echoes all outstanding marks at once.
      clear: () => JSON.stringify({ event: 'clear', streamSid }),
    }),
  }
}

const CONNECTED: CarrierMessage = { kind: 'connected' }
const UNKNOWN: CarrierMessage = { kind: 'unknown' }
const SID = /^[A-Za-z0-9_-]{1,64}$/

/** Never throws. */
function parse(message: Fields, format: LineFormat): CarrierMessage {
  switch (message.event) {
    case 'media':
      return media(message)
    case 'mark':
      return mark(message)
    case 'dtmf':
      return dtmf(message)
    case 'start':
      return start(message, format)
    case 'stop':
      return { kind: 'stop', streamId: textOf(message.streamSid) }
    case 'connected':
      return CONNECTED
    default:
      return typeof message.event === 'string' ? UNKNOWN : INVALID.shape
  }
}

function media(message: Fields): CarrierMessage {
  const fields = message.media
  if (!isFields(fields) || typeof fields.payload !== 'string') return INVALID.media
  return {
    kind: 'media',
    streamId: textOf(message.streamSid),
    track: fields.track === 'outbound' ? 'outbound' : 'inbound',
    timestampMs: wholeNumber(fields.timestamp),
    payload: fields.payload,
  }
}

function mark(message: Fields): CarrierMessage {
  return markOf(isFields(message.mark) ? message.mark.name : undefined, textOf(message.streamSid))
}

function dtmf(message: Fields): CarrierMessage {
  return dtmfOf(isFields(message.dtmf) ? message.dtmf.digit : undefined, textOf(message.streamSid))
}

function start(message: Fields, line: LineFormat): CarrierMessage {
  const fields = message.start
  if (!isFields(fields)) return INVALID.start
  const streamId = textOf(message.streamSid) || textOf(fields.streamSid)
  const callId = textOf(fields.callSid)
  if (!SID.test(streamId) || !SID.test(callId)) return INVALID.start
  return {
    kind: 'start',
    streamId,
    callId,
    ...formatOf(fields.mediaFormat, line),
    parameters: parametersOf(fields.customParameters),
  }
}
