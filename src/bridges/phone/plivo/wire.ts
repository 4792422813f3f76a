import {
  dtmfOf,
  type Fields,
  INVALID,
  isFields,
  markOf,
  readFields,
  textOf,
} from '../json-media/message-fields.ts'
import { formatOf } from '../json-media/stream-format.ts'
import { type Inbound, type LineFormat, type MediaDialect, PHONE_LINE } from '../ports/media-dialect.ts'
import { headersIn } from './extra-headers.ts'

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
  const encoding = { contentType: encodingOf(audio), sampleRate: format.rate }
  return {
    format,
    frames: 'text',
    queue: 'carrier',
    order: 'kept',
    parse: data => readFields(data.toString('utf8'), message => parse(message, format)),
    messages: ({ streamId }) => ({
      media: bytes =>
        JSON.stringify({ event: 'playAudio', media: { ...encoding, payload: bytes.toString('base64') } }),
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
  const streamId = textOf(fields.streamId ?? message.streamId)
  const callId = textOf(fields.callId)
  if (!ID.test(streamId) || !ID.test(callId)) return INVALID.start
  return {
    kind: 'start',
    streamId,
    callId,
    ...formatOf(fields.mediaFormat, line),
    parameters: headersIn(message.extra_headers ?? fields.extra_headers),
  }
}
