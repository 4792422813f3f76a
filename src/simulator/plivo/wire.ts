import { linearReader, linearVoice } from '../phone/linear-audio.ts'
import type { PhoneReader, PhoneWire } from '../twilio/phone/profile.ts'
import { bytesOfBase64, type FromServer, isCanonicalBase64 } from '../twilio/phone/server-message.ts'
import type { StreamIds } from '../twilio/phone/wire.ts'

/** Content types of `<Stream>` that are modeled. Plivo also has linear PCM of 8 kHz, its default. */
export const CONTENT_TYPES: readonly string[] = ['audio/x-mulaw;rate=8000', 'audio/x-l16;rate=16000']

/** Time of day of the first audio (ms): only its differences matter. */
const EPOCH_MS = 1_705_312_200_000

/** Plivo’s messages to the server (Plivo: Stream Event Protocol): numbers are JSON numbers, timestamps are strings. */
export class PlivoWire implements PhoneWire {
  readonly #ids: StreamIds
  readonly #encoding: string
  readonly #rate: number
  readonly #linear: ((payload: string) => string) | undefined
  #headers = ''
  #sequence = 0
  #chunk = 0

  constructor(ids: StreamIds, contentType: string) {
    const [encoding = '', rate = ''] = contentType.split(';rate=')
    this.#ids = ids
    this.#encoding = encoding
    this.#rate = Number(rate)
    this.#linear = encoding === 'audio/x-l16' ? linearVoice() : undefined
  }

  connected(): undefined {
    return undefined
  }

  start(parameters: Readonly<Record<string, string>> | undefined, callSid = this.#ids.callSid): string {
    const { accountSid, streamSid } = this.#ids
    this.#headers = Object.entries(parameters ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join(';')
    const mediaFormat = { encoding: this.#encoding, sampleRate: this.#rate }
    const start = {
      callId: callSid,
      streamId: streamSid,
      accountId: accountSid,
      tracks: ['inbound'],
      mediaFormat,
    }
    return JSON.stringify({
      event: 'start',
      sequenceNumber: ++this.#sequence,
      start,
      extra_headers: this.#headers,
    })
  }

  media(timestampMs: number, payload: string): string {
    const media = {
      track: 'inbound',
      timestamp: String(EPOCH_MS + Math.round(timestampMs)),
      chunk: ++this.#chunk,
      payload: this.#linear?.(payload) ?? payload,
    }
    return this.#message('media', { media, extra_headers: this.#headers })
  }

  dtmf(digit: string): string {
    const dtmf = { track: 'inbound', digit, timestamp: String(EPOCH_MS) }
    return this.#message('dtmf', { dtmf, extra_headers: this.#headers })
  }

  mark(name: string): string {
    return this.#message('playedStream', { name })
  }

  cleared(): string {
    return this.#message('clearedAudio', {})
  }

  stop(): undefined {
    return undefined
  }

  unknown(): string {
    return this.#message('weather', { weather: { sky: 'clear' } })
  }

  #message(event: string, fields: object): string {
    return JSON.stringify({
      ...{ event, sequenceNumber: ++this.#sequence, streamId: this.#ids.streamSid },
      ...fields,
    })
  }
}

/** Reads messages from the server as strictly as Plivo documents them: exactly these fields, in the format of the stream. */
export class PlivoReader implements PhoneReader {
  readonly #streamId: string
  readonly #contentType: string

  private constructor({ streamSid }: StreamIds, contentType: string) {
    this.#streamId = streamSid
    this.#contentType = contentType
  }

  /** Returns a reader whose audio is µ-law, as phones need it. */
  static of(ids: StreamIds, contentType: string): PhoneReader {
    const reader = new PlivoReader(ids, contentType)
    return contentType.startsWith('audio/x-l16') ? linearReader(reader) : reader
  }

  read(data: Uint8Array, isBinary: boolean): FromServer {
    if (isBinary) return wrong('a binary frame')
    let message: unknown
    try {
      message = JSON.parse(Buffer.from(data).toString('utf8'))
    } catch {
      return wrong('not JSON')
    }
    if (!isObject(message)) return wrong('not a JSON object')
    switch (message.event) {
      case 'playAudio':
        return only(message, 'event', 'media') ?? this.#audio(message.media)
      case 'checkpoint':
        return only(message, 'event', 'streamId', 'name') ?? this.#checkpoint(message)
      case 'clearAudio':
        return only(message, 'event', 'streamId') ?? this.#of(message, { kind: 'clear' })
      default:
        return wrong(`event ${JSON.stringify(message.event)}`)
    }
  }

  #checkpoint({ name, streamId }: Record<string, unknown>): FromServer {
    if (typeof name !== 'string' || name === '') return wrong('checkpoint.name is not a string with text')
    return this.#of({ streamId }, { kind: 'mark', name })
  }

  #audio(fields: unknown): FromServer {
    if (!isObject(fields)) return wrong('playAudio.media is not an object')
    const odd = only(fields, 'contentType', 'sampleRate', 'payload')
    if (odd) return odd
    const { contentType, sampleRate, payload } = fields
    if (typeof sampleRate !== 'number' || `${contentType};rate=${sampleRate}` !== this.#contentType)
      return wrong(`audio of ${contentType} at ${sampleRate} on a stream of ${this.#contentType}`)
    if (typeof payload !== 'string' || payload === '' || !isCanonicalBase64(payload))
      return wrong('media.payload is not canonical base64')
    return { kind: 'media', payload, bytes: bytesOfBase64(payload) }
  }

  #of({ streamId }: Record<string, unknown>, message: FromServer): FromServer {
    return streamId === this.#streamId ? message : wrong(`streamId ${JSON.stringify(streamId)}`)
  }
}

/** Returns a fault unless `object` has exactly these fields. */
function only(object: Record<string, unknown>, ...fields: readonly string[]): FromServer | undefined {
  const odd = Object.keys(object).find(field => !fields.includes(field))
  if (odd !== undefined) return wrong(`field ${odd} is unknown`)
  const missing = fields.find(field => !Object.hasOwn(object, field))
  return missing === undefined ? undefined : wrong(`field ${missing} is missing`)
}

function wrong(why: string): FromServer {
  return { kind: 'wrong', code: 31951, why }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
