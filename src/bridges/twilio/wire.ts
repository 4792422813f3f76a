import {
  type Inbound,
  type MediaDialect,
  PHONE_LINE,
  type WireFault,
} from '../telephony/ports/media-dialect.ts'
import { parseUsualMedia } from './media-message.ts'

/**
 * Parses and builds Twilio’s media stream messages (Twilio: Media Streams, WebSocket Messages). Numbers can be strings
 * or numbers; unknown fields and events are ignored.
 */
export const twilioMedia: MediaDialect = {
  format: PHONE_LINE,
  frames: 'text',
  queue: 'carrier',
  order: 'kept',
  parse,
  messages: ({ streamId: streamSid }) => {
    const start = Buffer.from(mediaStart(streamSid))
    return {
      media: (audio, length) => mediaMessage(start, audio.toString('base64', 0, length)),
      mark: name => markMessage(streamSid, name),
      clear: () => clearMessage(streamSid),
    }
  },
}

type Fields = Readonly<Record<string, unknown>>

const CONNECTED: Inbound = { kind: 'connected' }
const UNKNOWN: Inbound = { kind: 'unknown' }
const INVALID = {
  json: { kind: 'invalid', fault: 'json' },
  shape: { kind: 'invalid', fault: 'shape' },
  start: { kind: 'invalid', fault: 'start' },
  media: { kind: 'invalid', fault: 'media' },
  dtmf: { kind: 'invalid', fault: 'dtmf' },
  mark: { kind: 'invalid', fault: 'mark' },
} as const satisfies Record<WireFault, Inbound>

const SID = /^[A-Za-z0-9_-]{1,64}$/
const DIGIT = /^[0-9*#A-D]$/
const MAX_PARAMETERS = 100
const MAX_NAME = 512

/** Parses one text message, which is valid until the next call. Never throws. */
function parse(data: Buffer): Inbound {
  return parseUsualMedia(data) ?? parseJson(data.toString('utf8'))
}

function parseJson(text: string): Inbound {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return INVALID.json
  }
  if (!isFields(message)) return INVALID.shape
  switch (message.event) {
    case 'media':
      return media(message)
    case 'mark':
      return mark(message)
    case 'dtmf':
      return dtmf(message)
    case 'start':
      return start(message)
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

/** Without the intermediate strings, and their encoding as UTF-8, of a concatenation. */
function mediaMessage(start: Buffer, base64: string): Buffer {
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
  const fields = message.mark
  const name = isFields(fields) ? textOf(fields.name) : ''
  if (name === '' || name.length > MAX_NAME) return INVALID.mark
  return { kind: 'mark', streamId: textOf(message.streamSid), name }
}

function dtmf(message: Fields): Inbound {
  const fields = message.dtmf
  const digit = isFields(fields) ? textOf(fields.digit) : ''
  return DIGIT.test(digit) ? { kind: 'dtmf', streamId: textOf(message.streamSid), digit } : INVALID.dtmf
}

function start(message: Fields): Inbound {
  const fields = message.start
  if (!isFields(fields)) return INVALID.start
  const streamId = textOf(message.streamSid) || textOf(fields.streamSid)
  const callId = textOf(fields.callSid)
  if (!SID.test(streamId) || !SID.test(callId)) return INVALID.start
  const format = isFields(fields.mediaFormat) ? fields.mediaFormat : {}
  return {
    kind: 'start',
    streamId,
    callId,
    codec: codecOf(textOf(format.encoding)),
    rate: format.sampleRate === undefined ? 8000 : wholeNumber(format.sampleRate),
    channels: format.channels === undefined ? 1 : wholeNumber(format.channels),
    parameters: parametersOf(fields.customParameters),
  }
}

/** A missing encoding is Twilio’s default. */
function codecOf(encoding: string): string {
  return encoding === '' || encoding === 'audio/x-mulaw' ? 'mulaw' : encoding
}

function parametersOf(given: unknown): Readonly<Record<string, string>> {
  const parameters: Record<string, string> = Object.create(null)
  if (!isFields(given)) return parameters
  for (const [name, value] of Object.entries(given).slice(0, MAX_PARAMETERS))
    if (name !== '__proto__' && (typeof value === 'string' || typeof value === 'number'))
      parameters[name] = String(value)
  return parameters
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** Parses a whole number of at most 15 digits, from a number or a string; otherwise NaN. */
function wholeNumber(value: unknown): number {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : Number.NaN
  if (typeof value !== 'string' || value.length === 0 || value.length > 15) return Number.NaN
  let number = 0
  for (let at = 0; at < value.length; at++) {
    const digit = value.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    number = number * 10 + digit
  }
  return number
}
