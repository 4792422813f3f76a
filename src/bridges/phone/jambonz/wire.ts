import {
  dtmfOf,
  type Fields,
  INVALID,
  isFields,
  markOf,
  parametersOf,
  pcmMedia,
  readFields,
} from '../json-media/message-fields.ts'
import { formatOf } from '../json-media/stream-format.ts'
import type { Inbound, LineFormat, MediaDialect, StreamMessages } from '../ports/media-dialect.ts'

/** Sample rates of a stream, in both directions (Hz). */
export type JambonzRate = LineFormat['rate']

/** WebSocket subprotocol of the streams (jambonz: listen). */
export const SUBPROTOCOL = 'audio.jambonz.org'

/**
 * Parses and builds the messages of jambonz’s verb `listen`: 16-bit PCM in binary frames in both directions, and events as
 * JSON. The first text frame describes the call. Unknown fields and events are ignored.
 */
export function jambonzMedia(rate: JambonzRate): MediaDialect {
  const format: LineFormat = { codec: 'l16', rate }
  return {
    format,
    frames: 'both',
    queue: 'carrier',
    order: 'kept',
    parse: (data, isBinary) =>
      isBinary ? pcmMedia(data) : readFields(data.toString('utf8'), message => event(message, format)),
    messages: () => messagesOf(rate),
  }
}

const UNKNOWN: Inbound = { kind: 'unknown' }
const CALL_SID = /^[A-Za-z0-9_-]{2,64}$/

function event(message: Fields, line: LineFormat): Inbound {
  if (message.type === 'mark') return mark(message)
  if (message.event === 'dtmf') return dtmf(message)
  if (message.type !== undefined || message.event !== undefined) return UNKNOWN
  return message.callSid === undefined ? UNKNOWN : start(message, line)
}

/**
 * The echo of a mark. Its `event` is `playout`, or `cleared` after `killAudio`; the caller knows which marks it has
 * flushed.
 */
function mark({ data }: Fields): Inbound {
  return markOf(isFields(data) ? data.name : undefined, '')
}

function dtmf({ dtmf: digit }: Fields): Inbound {
  return dtmfOf(digit, '')
}

/**
 * The attributes of the call, its format, and the `metadata` of the verb, at the top level (jambonz-feature-server: `listen`); read
 * from a field `metadata` as well.
 */
function start(message: Fields, line: LineFormat): Inbound {
  const { callSid, sampleRate, mixType, metadata } = message
  if (typeof callSid !== 'string' || !CALL_SID.test(callSid)) return INVALID.start
  return {
    kind: 'start',
    streamId: '',
    callId: callSid,
    ...formatOf({ sampleRate, channels: mixType === 'stereo' ? 2 : 1 }, line),
    parameters: Object.assign(Object.create(null), parametersOf(message), parametersOf(metadata)),
  }
}

/** Audio that jambonz holds back until more arrives: before the first playback, and from then on (ms). */
const FIRST_HELD_MS = 160
const HELD_MS = 80

/**
 * Messages to one stream. jambonz plays audio in batches of 80 ms, and holds back the rest (freeswitch-modules of October
 * 2024: `streamingPreBufSize`), so silence follows the end of a sentence.
 */
function messagesOf(rate: JambonzRate): StreamMessages {
  const bytesPerMs = (rate / 1_000) * 2
  let first = true
  /** Audio was sent since the last silence. */
  let holding = false
  return {
    media(pcm) {
      holding = true
      return mediaMessage(pcm)
    },
    padding() {
      if (!holding) return undefined
      const ms = first ? FIRST_HELD_MS : HELD_MS
      first = false
      holding = false
      return Buffer.alloc(ms * bytesPerMs)
    },
    mark: name => JSON.stringify({ type: 'mark', data: { name } }),
    clear() {
      holding = false
      return '{"type":"killAudio"}'
    },
  }
}

/**
 * Copies PCM, without samples of −1: jambonz keeps marks as samples of that value in its queue, and a
 * mark would be confirmed early and the sample dropped (jambonz, freeswitch-modules of October 2024: `AUDIO_MARKER`).
 */
export function mediaMessage(pcm: Buffer): Buffer {
  const message = Buffer.allocUnsafe(pcm.length)
  for (let at = 0; at < pcm.length; at += 2) {
    const low = pcm[at]!
    const high = pcm[at + 1]!
    message[at] = low === 0xff && high === 0xff ? 0xfe : low
    message[at + 1] = high
  }
  return message
}
