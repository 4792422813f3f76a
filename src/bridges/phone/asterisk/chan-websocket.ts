import {
  dtmfOf,
  type Fields,
  INVALID,
  isFields,
  markOf,
  pcmMedia,
  readFields,
  textOf,
} from '../json-media/message-fields.ts'
import { formatOf } from '../json-media/stream-format.ts'
import type { Inbound, LineFormat, MediaDialect, StreamMessages } from '../ports/media-dialect.ts'
import type { AsteriskRate, ExpectedStreams } from './wire.ts'

/** Variable of the channel with the UUID of its stream. In the dialplan it starts with `_`, so that the channel inherits it. */
const STREAM_VARIABLE = 'DRAGOMAN_STREAM'
/** Asterisk plays frames of 20 ms, and drops an incomplete one (Asterisk: chan_websocket, `process_binary_message`). */
const FRAME_MS = 20
/** The length limit protects logs. */
const CHANNEL_ID = /^[\w.;-]{1,128}$/

const UNKNOWN: Inbound = { kind: 'unknown' }

/**
 * The messages of Asterisk’s WebSocket channels (Asterisk: WebSocket channel driver): 16-bit PCM in binary frames in both
 * directions, and events and commands as JSON. Asterisk queues the audio, and supports marks and flushing.
 */
export function asteriskWebSocketMedia(rate: AsteriskRate, expected: ExpectedStreams): MediaDialect {
  const format: LineFormat = { codec: 'l16', rate }
  return {
    format,
    frames: 'both',
    queue: 'carrier',
    order: 'kept',
    parse: (data, isBinary) =>
      isBinary
        ? pcmMedia(data)
        : readFields(data.toString('utf8'), message => event(message, format, expected)),
    messages: () => messagesOf(rate),
  }
}

function event(message: Fields, line: LineFormat, expected: ExpectedStreams): Inbound {
  switch (message.event) {
    case 'MEDIA_START':
      return start(message, line, expected)
    case 'DTMF_END':
      return dtmfOf(message.digit, '')
    case 'MEDIA_MARK_PROCESSED':
      return markOf(message.correlation_id, '')
    default:
      return typeof message.event === 'string' ? UNKNOWN : INVALID.shape
  }
}

/** Without a known UUID the stream has no token, and is rejected. */
function start(
  { channel_id, channel_variables, format }: Fields,
  line: LineFormat,
  expected: ExpectedStreams,
): Inbound {
  const uuid = isFields(channel_variables) ? textOf(channel_variables[STREAM_VARIABLE]) : ''
  const { callId = textOf(channel_id), parameters = {} } = expected.take(uuid) ?? {}
  if (!CHANNEL_ID.test(callId)) return INVALID.start
  return { kind: 'start', streamId: '', callId, ...formatOf(format, line), parameters }
}

/** Messages to one stream: whole frames. What remains of the audio waits for more, or for a mark, which silence precedes. */
function messagesOf(rate: AsteriskRate): StreamMessages {
  const frameBytes = ((rate * FRAME_MS) / 1_000) * 2
  const rest = Buffer.alloc(frameBytes)
  let waiting = 0
  return {
    media(pcm) {
      const whole = waiting + pcm.length - ((waiting + pcm.length) % frameBytes)
      const message = Buffer.allocUnsafe(whole)
      const used = Math.max(0, whole - waiting)
      rest.copy(message, 0, 0, Math.min(waiting, whole))
      pcm.copy(message, waiting, 0, used)
      if (whole > 0) waiting = 0
      waiting += pcm.copy(rest, waiting, used)
      return message
    },
    padding() {
      if (waiting === 0) return undefined
      const message = Buffer.alloc(frameBytes)
      rest.copy(message, 0, 0, waiting)
      waiting = 0
      return message
    },
    mark: name => JSON.stringify({ command: 'MARK_MEDIA', correlation_id: name }),
    clear() {
      waiting = 0
      return '{"command":"FLUSH_MEDIA"}'
    },
  }
}
