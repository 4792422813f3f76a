import type { Inbound, LineFormat, MediaDialect } from '../ports/media-dialect.ts'
import { mediaReader } from './media-reader.ts'
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

const readMedia = mediaReader({ stream: 'streamSid' })

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
    parse: data => readMedia(data) ?? readFields(data.toString('utf8'), message => parse(message, format)),
    messages: ({ streamId: streamSid }) => {
      const start = lasting(mediaStart(streamSid))
      return {
        media: (audio, length) => mediaMessage(start, audio.toString('base64', 0, length)),
        mark: name => markMessage(streamSid, name),
        clear: () => clearMessage(streamSid),
      }
    },
  }
}

const CONNECTED: Inbound = { kind: 'connected' }
const UNKNOWN: Inbound = { kind: 'unknown' }
const SID = /^[A-Za-z0-9_-]{1,64}$/

/** Never throws. */
function parse(message: Fields, format: LineFormat): Inbound {
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

/**
 * Returns the start of a media message to `streamSid`; base64 µ-law and `MEDIA_END` complete it. Built once per
 * stream.
 */
export function mediaStart(streamSid: string): string {
  return `{"event":"media","streamSid":${JSON.stringify(streamSid)},"media":{"payload":"`
}

export const MEDIA_END = '"}}'

/** Bytes in a separate allocation: a part of Node's pool would keep all 64 KiB of it for as long as the call. */
function lasting(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** Without the intermediate strings, and their encoding as UTF-8, of a concatenation. */
export function mediaMessage(start: Buffer, base64: string): Buffer {
  const end = start.length + base64.length
  const message = Buffer.allocUnsafe(end + MEDIA_END.length)
  message.set(start)
  message.write(base64, start.length, 'latin1')
  message.write(MEDIA_END, end, 'latin1')
  return message
}

/** Requests an echo of `name` once all audio before it has been played. */
export function markMessage(streamSid: string, name: string): string {
  return JSON.stringify({ event: 'mark', streamSid, mark: { name } })
}

/** Discards queued audio; Twilio then echoes all outstanding marks at once. */
export function clearMessage(streamSid: string): string {
  return JSON.stringify({ event: 'clear', streamSid })
}

function media(message: Fields): Inbound {
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

function mark(message: Fields): Inbound {
  return markOf(isFields(message.mark) ? message.mark.name : undefined, textOf(message.streamSid))
}

function dtmf(message: Fields): Inbound {
  return dtmfOf(isFields(message.dtmf) ? message.dtmf.digit : undefined, textOf(message.streamSid))
}

function start(message: Fields, line: LineFormat): Inbound {
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
