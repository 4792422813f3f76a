import { BoundedMap } from '../../../common/bounded-map.ts'
import { dtmfOf, INVALID, pcmMedia } from '../json-media/message-fields.ts'
import type { Inbound, LineFormat, MediaDialect, StreamMessages } from '../ports/media-dialect.ts'
import { FRAME, HEADER_BYTES } from './audio-socket.ts'

/** Sample rate of the streams (Hz): `c(slin)` or `c(slin16)` in the dialplan. */
export type AsteriskRate = LineFormat['rate']

/** The call of a stream, by the UUID in its first frame. */
export interface ExpectedStream {
  readonly callId: string
  readonly parameters: Readonly<Record<string, string>>
}

const MAX_EXPECTED = 10_000

/** Streams whose UUID was given to Asterisk. Their tokens expire; this map is only bounded. */
export class ExpectedStreams {
  readonly #streams = new BoundedMap<string, ExpectedStream>(MAX_EXPECTED)

  add(uuid: string, stream: ExpectedStream): void {
    this.#streams.set(uuid, stream)
  }

  /** Returns the stream of `uuid`, once. */
  take(uuid: string): ExpectedStream | undefined {
    const stream = this.#streams.get(uuid)
    this.#streams.delete(uuid)
    return stream
  }
}

const UNKNOWN: Inbound = { kind: 'unknown' }
const STOP: Inbound = { kind: 'stop', streamId: '' }

const UUID_BYTES = 16

/**
 * Parses and builds AudioSocket frames: 16-bit PCM, low byte first. Asterisk plays audio when it arrives, and has neither
 * marks nor clearing.
 */
export function asteriskMedia(rate: AsteriskRate, expected: ExpectedStreams): MediaDialect {
  const audio = rate === 16_000 ? FRAME.slin16 : FRAME.slin
  return {
    format: { codec: 'l16', rate },
    frames: 'binary',
    queue: 'none',
    order: 'kept',
    parse: frame => parse(frame, audio, rate, expected),
    messages: () => messagesOf(audio),
  }
}

function parse(frame: Buffer, audio: number, rate: AsteriskRate, expected: ExpectedStreams): Inbound {
  if (frame.length < HEADER_BYTES || frame.readUInt16BE(1) !== frame.length - HEADER_BYTES)
    return INVALID.shape
  switch (frame[0]) {
    case audio:
      return pcmMedia(frame.subarray(HEADER_BYTES))
    case FRAME.dtmf:
      return dtmfOf(frame.toString('latin1', HEADER_BYTES), '')
    case FRAME.uuid:
      return frame.length === HEADER_BYTES + UUID_BYTES ? start(frame, rate, expected) : INVALID.start
    case FRAME.hangUp:
    case FRAME.error:
      return STOP
    default:
      if (frame[0]! < FRAME.slin || frame[0]! > 0x18) return UNKNOWN
      // Audio at another rate than configured can neither be played nor skipped, unless there is none.
      return frame.length === HEADER_BYTES ? pcmMedia(frame.subarray(HEADER_BYTES)) : INVALID.media
  }
}

/** Without a known UUID the stream has no token, and is rejected. */
function start(frame: Buffer, rate: AsteriskRate, expected: ExpectedStreams): Inbound {
  const uuid = formatUuid(frame.subarray(HEADER_BYTES))
  const { callId = uuid, parameters = {} } = expected.take(uuid) ?? {}
  return { kind: 'start', streamId: uuid, callId, codec: 'l16', rate, channels: 1, parameters }
}

/** Writes 16 bytes as a UUID. */
export function formatUuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

function messagesOf(audio: number): StreamMessages {
  return {
    media(pcm) {
      const frame = Buffer.allocUnsafe(HEADER_BYTES + pcm.length)
      frame[0] = audio
      frame.writeUInt16BE(pcm.length, 1)
      pcm.copy(frame, HEADER_BYTES)
      return frame
    },
    // Neither is called for a carrier without a queue.
    mark: () => '',
    clear: () => '',
  }
}
