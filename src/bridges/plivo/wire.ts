import { mediaMessage } from '../telephony/json-media/json-media.ts'
import { mediaReader } from '../telephony/json-media/media-reader.ts'
import {
  dtmfOf,
  type Fields,
  INVALID,
  isFields,
  markOf,
  readFields,
  textOf,
  wholeNumber,
} from '../telephony/json-media/message-fields.ts'
import {
  type Inbound,
  type LineFormat,
  type MediaDialect,
  PHONE_LINE,
} from '../telephony/ports/media-dialect.ts'

/** Audio of a stream, by its name in the settings. Plivo does not document the byte order of linear PCM. */
export type PlivoAudio = 'mulaw-8k' | 'l16-16k' | 'l16be-16k'

const LINES: Readonly<Record<PlivoAudio, LineFormat>> = {
  'mulaw-8k': PHONE_LINE,
  'l16-16k': { codec: 'l16', rate: 16_000 },
  'l16be-16k': { codec: 'l16be', rate: 16_000 },
}

const MULAW = 'audio/x-mulaw'
const LINEAR = 'audio/x-l16'
/** Plivo’s IDs are UUIDs; the length limit protects logs. */
const ID = /^[A-Za-z0-9-]{1,64}$/
const UNKNOWN: Inbound = { kind: 'unknown' }

const readMedia = mediaReader({ stream: 'streamId', timed: false })

/** Returns the encoding and sample rate of a stream, as `<Stream contentType>` has them. */
export function contentTypeOf(audio: PlivoAudio): string {
  const { rate } = LINES[audio]
  return `${encodingOf(audio)};rate=${rate}`
}

function encodingOf(audio: PlivoAudio): string {
  return LINES[audio].codec === 'mulaw' ? MULAW : LINEAR
}

/**
 * Plivo’s stream messages (Plivo: Stream Event Protocol): numbers are JSON numbers, no message precedes `start`, and none
 * announces the end. `media.timestamp` is a time of day, not a position in the audio, so audio counts as continuous.
 */
export function plivoMedia(audio: PlivoAudio): MediaDialect {
  const format = LINES[audio]
  const media = { contentType: encodingOf(audio), sampleRate: format.rate, payload: '' }
  const head = Buffer.from(JSON.stringify({ event: 'playAudio', media }).slice(0, -'"}}'.length))
  return {
    format,
    frames: 'text',
    queue: 'carrier',
    order: 'kept',
    parse: data => readMedia(data) ?? readFields(data.toString('utf8'), message => parse(message, format)),
    messages: ({ streamId }) => ({
      media: (bytes, length) => mediaMessage(head, bytes.toString('base64', 0, length)),
      mark: name => JSON.stringify({ event: 'checkpoint', streamId, name }),
      clear: () => JSON.stringify({ event: 'clearAudio', streamId }),
    }),
  }
}

/** Never throws. */
function parse(message: Fields, format: LineFormat): Inbound {
  switch (message.event) {
    case 'media':
      return media(message)
    case 'playedStream':
      return mark(message)
    case 'dtmf':
      return dtmf(message)
    case 'start':
      return start(message, format)
    case 'stop':
      return { kind: 'stop', streamId: textOf(message.streamId) }
    default:
      return typeof message.event === 'string' ? UNKNOWN : INVALID.shape
  }
}

function media(message: Fields): Inbound {
  const fields = message.media
  if (!isFields(fields) || typeof fields.payload !== 'string') return INVALID.media
  return {
    kind: 'media',
    streamId: textOf(message.streamId),
    track: fields.track === 'outbound' ? 'outbound' : 'inbound',
    timestampMs: Number.NaN,
    payload: fields.payload,
  }
}

/** A checkpoint was reached. After `clearAudio`, those before it are not confirmed. */
function mark(message: Fields): Inbound {
  return markOf(message.name, textOf(message.streamId))
}

function dtmf(message: Fields): Inbound {
  return dtmfOf(isFields(message.dtmf) ? message.dtmf.digit : undefined, textOf(message.streamId))
}

function start(message: Fields, line: LineFormat): Inbound {
  const fields = message.start
  if (!isFields(fields)) return INVALID.start
  const streamId = textOf(fields.streamId)
  const callId = textOf(fields.callId)
  if (!ID.test(streamId) || !ID.test(callId)) return INVALID.start
  const format = isFields(fields.mediaFormat) ? fields.mediaFormat : {}
  const encoding = textOf(format.encoding).toLowerCase()
  return {
    kind: 'start',
    streamId,
    callId,
    codec:
      encoding === MULAW ? 'mulaw' : encoding === LINEAR && line.codec !== 'mulaw' ? line.codec : encoding,
    rate: wholeNumber(format.sampleRate),
    channels: 1,
    parameters: parametersIn(textOf(message.extra_headers)),
  }
}

/**
 * Returns `parameters` for `<Stream extraHeaders>`: `name=value,…`, at most 512 bytes of letters and digits, so values are
 * written as hexadecimal UTF-8. Names must be letters and digits.
 */
export function extraHeaders(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${Buffer.from(value, 'utf8').toString('hex')}`)
    .join(',')
}

const HEX = /^[0-9a-f]*$/i
const MAX_EXTRA_HEADERS = 1_024

/** Reads `extra_headers`, where Plivo separates them by semicolons. A name can have a prefix: `X-PH-token`. */
function parametersIn(text: string): Readonly<Record<string, string>> {
  const parameters: Record<string, string> = Object.create(null)
  for (const header of text.slice(0, MAX_EXTRA_HEADERS).split(/[;,]/)) {
    const at = header.lastIndexOf('=')
    const name = header.slice(0, Math.max(0, at)).split(/\W/).at(-1) ?? ''
    const value = header.slice(at + 1)
    if (name !== '' && name !== '__proto__' && HEX.test(value))
      parameters[name] = Buffer.from(value, 'hex').toString('utf8')
  }
  return parameters
}
