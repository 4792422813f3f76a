import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { BoundedMap } from '../../../common/bounded-map.ts'
import type {
  CallInstructions,
  Carrier,
  CarrierMessage,
  CarrierRequest,
  CarrierRequests,
  Instructions,
  LineFormat,
  MediaDialect,
  RequestVerifier,
  StreamMessages,
} from '../carrier.ts'
import { assertSecrets, hasBasicCredentials } from '../credentials.ts'
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
import { firstValues, numberOf } from '../markup/call-form.ts'
import type { DialInput } from '../outbound/outbound-call-state.ts'
import { AudioServer, type AudioServerSettings, FRAME, HEADER_BYTES } from './audio-socket.ts'
import { audioSocketSchema } from './settings.ts'

export interface AsteriskCarrierOptions {
  /** Passwords of the dialplan; several during rotation. */
  readonly secrets: readonly string[]
  /** Sample rate of streams (Hz). Default 8000. */
  readonly sampleRate?: AsteriskRate | undefined
  /** Connection of streams. Default `audiosocket`. */
  readonly stream?: AsteriskStream | undefined
  /** Default: port 9092 of this machine, for itself. */
  readonly audioSocket?: Partial<AudioServerSettings> | undefined
  /** Called with the port of the AudioSocket server. */
  readonly onPort?: ((port: number) => void) | undefined
}

/** An Asterisk, with the secrets of its dialplan. */
export function asteriskCarrier(options: AsteriskCarrierOptions): Carrier {
  const { secrets, sampleRate = 8_000, stream = 'audiosocket', audioSocket, onPort } = options
  const expected = new ExpectedStreams()
  return {
    name: 'asterisk',
    title: 'Asterisk',
    media: (stream === 'websocket' ? asteriskWebSocketMedia : asteriskMedia)(sampleRate, expected),
    instructions: asteriskInstructions(expected, stream),
    requests: asteriskRequests,
    ...(stream === 'websocket'
      ? {}
      : {
          listen: async (accept, log) => {
            const server = await AudioServer.listen(audioSocketSchema.parse(audioSocket ?? {}), accept, log)
            onPort?.(server.port)
            return server
          },
        }),
    verifier: () => {
      assertSecrets(secrets, 'Asterisk', 'a secret')
      return new AsteriskVerifier(secrets, stream)
    },
    secrets,
  }
}

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

const STOP: CarrierMessage = { kind: 'stop', streamId: '' }

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
    parse: frame => audioSocketFrame(frame, audio, rate, expected),
    messages: () => audioSocketMessages(audio),
  }
}

function audioSocketFrame(
  frame: Buffer,
  audio: number,
  rate: AsteriskRate,
  expected: ExpectedStreams,
): CarrierMessage {
  if (frame.length < HEADER_BYTES || frame.readUInt16BE(1) !== frame.length - HEADER_BYTES)
    return INVALID.shape
  switch (frame[0]) {
    case audio:
      return pcmMedia(frame.subarray(HEADER_BYTES))
    case FRAME.dtmf:
      return dtmfOf(frame.toString('latin1', HEADER_BYTES), '')
    case FRAME.uuid:
      return frame.length === HEADER_BYTES + UUID_BYTES
        ? audioSocketStart(frame, rate, expected)
        : INVALID.start
    case FRAME.hangUp:
    case FRAME.error:
      return STOP
    default:
      if (frame[0]! < FRAME.slin || frame[0]! > 0x18) return UNKNOWN
      // Audio at a rate other than the configured one cannot be played; an empty frame is harmless.
      return frame.length === HEADER_BYTES ? pcmMedia(frame.subarray(HEADER_BYTES)) : INVALID.media
  }
}

/** Without a known UUID the stream has no token, and is rejected. */
function audioSocketStart(frame: Buffer, rate: AsteriskRate, expected: ExpectedStreams): CarrierMessage {
  const uuid = formatUuid(frame.subarray(HEADER_BYTES))
  const { callId = uuid, parameters = {} } = expected.take(uuid) ?? {}
  return { kind: 'start', streamId: uuid, callId, codec: 'l16', rate, channels: 1, parameters }
}

/** Writes 16 bytes as a UUID. */
function formatUuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

function audioSocketMessages(audio: number): StreamMessages {
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

/** Variable of the channel with the UUID of its stream. In the dialplan it starts with `_`, so that the channel inherits it. */
const STREAM_VARIABLE = 'DRAGOMAN_STREAM'
/** Asterisk plays frames of 20 ms, and drops an incomplete one (Asterisk: chan_websocket, `process_binary_message`). */
const FRAME_MS = 20
/** The length limit protects logs. */
const CHANNEL_ID = /^[\w.;-]{1,128}$/

const UNKNOWN: CarrierMessage = { kind: 'unknown' }

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
        : readFields(data.toString('utf8'), message => webSocketEvent(message, format, expected)),
    messages: () => webSocketMessages(rate),
  }
}

function webSocketEvent(message: Fields, line: LineFormat, expected: ExpectedStreams): CarrierMessage {
  switch (message.event) {
    case 'MEDIA_START':
      return webSocketStart(message, line, expected)
    case 'DTMF_END':
      return dtmfOf(message.digit, '')
    case 'MEDIA_MARK_PROCESSED':
      return markOf(message.correlation_id, '')
    default:
      return typeof message.event === 'string' ? UNKNOWN : INVALID.shape
  }
}

/** Without a known UUID the stream has no token, and is rejected. */
function webSocketStart(
  { channel_id, channel_variables, format }: Fields,
  line: LineFormat,
  expected: ExpectedStreams,
): CarrierMessage {
  const uuid = isFields(channel_variables) ? textOf(channel_variables[STREAM_VARIABLE]) : ''
  const { callId = textOf(channel_id), parameters = {} } = expected.take(uuid) ?? {}
  if (!CHANNEL_ID.test(callId)) return INVALID.start
  return { kind: 'start', streamId: '', callId, ...formatOf(format, line), parameters }
}

/** Messages to one stream: whole frames. What remains of the audio waits for more, or for a mark, which silence precedes. */
function webSocketMessages(rate: AsteriskRate): StreamMessages {
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

/** Connection of streams: by the channel driver AudioSocket, or by chan_websocket. */
export type AsteriskStream = 'audiosocket' | 'websocket'

/**
 * `CallInstructions` as one line for the dialplan, whose fields are separated by `|`: the label to go to, the address to
 * request next, and what the label needs. The dialplan in docs/channels/asterisk.md has a label for each.
 */
function asteriskInstructions(expected: ExpectedStreams, stream: AsteriskStream): CallInstructions {
  return {
    connectStream: ({ callId, parameters, resumeUrl, pauseSeconds = 0 }) => {
      const uuid = uuidOf(parameters.token ?? '')
      expected.add(uuid, { callId, parameters })
      return line(
        stream === 'websocket' ? 'websocket' : 'stream',
        resumeUrl,
        uuid,
        String(Math.round(pauseSeconds)),
      )
    },
    waitAndAsk: (seconds, url) => line('wait', url, String(Math.round(seconds))),
    // Without a number of keys, `#` ends the answer, as in the application `Read`.
    gatherKeys: ({ playUrls, actionUrl, keys = MAX_KEYS, pauseSeconds }) =>
      line('keys', actionUrl, String(Math.round(keys)), String(Math.round(pauseSeconds)), sounds(playUrls)),
    playAndHangUp: urls => line('play', '', sounds(urls)),
    sayAndHangUp: ({ text, language = 'en-US' }) => line('say', '', language, text),
    reject: reason => line(reason === 'busy' ? 'busy' : 'reject', ''),
    hangUp: () => line('hangup', ''),
  }
}

const MAX_KEYS = 32

function line(label: string, next: string, ...fields: readonly string[]): Instructions {
  const body = [label, next, ...fields].map(plain).join('|')
  return { contentType: 'text/plain; charset=utf-8', body }
}

/** Several sounds in one field, played in turn (Asterisk: `Playback`, `Read`). */
function sounds(urls: readonly string[]): string {
  return urls.join('&')
}

/** Removes what would end a field, start an expression, or end the line. */
function plain(field: string): string {
  return field.toWellFormed().replace(SPECIAL, ' ')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they would end the line
const SPECIAL = /[|$"\\\u0000-\u001f\u007f]/g

/** Derives the UUID of a stream from its token, so that a repeated request gets the same one: version 4, 122 bits. */
export function uuidOf(token: string): string {
  const bytes = createHash('sha256').update(token).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return formatUuid(bytes)
}

/** User name of the dialplan’s requests. */
export const USER = 'dragoman'

/** An `UNIQUEID` can have the system’s name in front: `office-1764098434.12`. */
const CALL = /^[\w.-]{2,64}$/
const MAX_FIELDS = 50

/** Reads the requests of the dialplan: a form with names that the dialplan chooses. */
const asteriskRequests: CarrierRequests = {
  contentType: 'application/x-www-form-urlencoded',
  read,
  words: {
    call: {
      call: 'The call: UNIQUEID of its channel.',
      from: 'Caller: CALLERID(num).',
      to: 'Destination: EXTEN.',
      direction: 'inbound or outbound.',
      state: 'CHANNEL(state): Ring or Up; DIALSTATUS, or completed.',
    },
    digits: { digits: 'The keys.' },
    answeredBy: { answeredBy: 'AMDSTATUS: HUMAN, MACHINE, NOTSURE or HANGUP.' },
  },
}

function read({ body }: FastifyRequest): CarrierRequest | undefined {
  const fields = firstValues(Object.entries((body ?? {}) as Record<string, string | string[]>), MAX_FIELDS)
  if (!fields) return undefined
  const { call = '', from = '', to = '', direction = '' } = fields
  if (!CALL.test(call)) return undefined
  const { digits = '', state = '', answeredBy = '' } = fields
  return {
    ...{ callId: call, accountId: '', direction, fields, digits },
    from: numberOf(from),
    to: numberOf(to),
    status: inputOf(state),
    answeredBy: verdictOf(answeredBy),
  }
}

const STATES: Readonly<Record<string, DialInput>> = {
  ringing: { type: 'ringing' },
  up: { type: 'picked-up' },
  completed: { type: 'final', status: 'completed' },
  busy: { type: 'final', status: 'busy' },
  noanswer: { type: 'final', status: 'no-answer' },
  cancel: { type: 'final', status: 'canceled' },
  congestion: { type: 'final', status: 'failed' },
  chanunavail: { type: 'final', status: 'failed' },
}

/** Converts the state of a channel, or a `DIALSTATUS`; undefined if it is irrelevant. */
export function inputOf(state: string): DialInput | undefined {
  const name = state.toLowerCase()
  return Object.hasOwn(STATES, name) ? STATES[name] : undefined
}

/** Converts an `AMDSTATUS`; anything not identified as a machine is a person. */
export function verdictOf(answeredBy: string): DialInput | undefined {
  if (answeredBy === '') return undefined
  return { type: answeredBy === 'MACHINE' ? 'machine' : 'person' }
}

/** Accepts requests with one of the secrets as password; upgrades only for chan_websocket. */
class AsteriskVerifier implements RequestVerifier {
  readonly #secrets: readonly string[]
  readonly #stream: AsteriskStream

  constructor(secrets: readonly string[], stream: AsteriskStream) {
    this.#secrets = secrets
    this.#stream = stream
  }

  webhook(request: FastifyRequest): boolean {
    let known = false
    for (const secret of this.#secrets) if (hasBasicCredentials(request, USER, secret)) known = true
    return known
  }

  upgrade(request: FastifyRequest): boolean {
    return this.#stream === 'websocket' && this.webhook(request)
  }
}
