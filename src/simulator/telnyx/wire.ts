import type { PhoneReader, PhoneWire } from '../twilio/phone/profile.ts'
import { bytesOfBase64, type FromServer, isCanonicalBase64 } from '../twilio/phone/server-message.ts'
import type { StreamIds } from '../twilio/phone/wire.ts'

/** Shortest and longest audio of one message (Telnyx: 20 ms to 30 s), in bytes of PCMU. */
const MIN_BYTES = 160
const MAX_BYTES = 240_000

/** Telnyx’s messages to the server (Telnyx: Media Streaming over WebSockets): snake_case, numbers as strings. */
export class TelnyxWire implements PhoneWire {
  readonly #ids: StreamIds
  #sequence = 0
  #chunk = 0

  constructor(ids: StreamIds) {
    this.#ids = ids
  }

  connected(): string {
    return '{"event":"connected","version":"1.0.0"}'
  }

  start(parameters: Readonly<Record<string, string>> | undefined, callSid = this.#ids.callSid): string {
    const start = {
      user_id: this.#ids.accountSid,
      call_control_id: callSid,
      call_session_id: callSid.slice(3),
      client_state: null,
      ...(parameters ? { custom_parameters: parameters } : {}),
      media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 },
    }
    return this.#message('start', { start })
  }

  media(timestampMs: number, payload: string): string {
    const chunk = ++this.#chunk
    return `{"event":"media","sequence_number":"${++this.#sequence}","media":{"track":"inbound","chunk":"${chunk}","timestamp":"${timestampMs}","payload":"${payload}"},"stream_id":"${this.#ids.streamSid}"}`
  }

  dtmf(digit: string): string {
    return this.#message('dtmf', { dtmf: { digit } })
  }

  mark(name: string): string {
    return this.#message('mark', { mark: { name } })
  }

  stop(): string {
    const { accountSid, callSid } = this.#ids
    return this.#message('stop', { stop: { user_id: accountSid, call_control_id: callSid } })
  }

  unknown(): string {
    return this.#message('weather', { weather: { sky: 'clear' } })
  }

  #message(event: string, fields: object): string {
    const sequence_number = String(++this.#sequence)
    return JSON.stringify({ event, sequence_number, ...fields, stream_id: this.#ids.streamSid })
  }
}

/** Reads messages from the server as strictly as Telnyx documents them: no stream ID, and no other fields. */
export class TelnyxReader implements PhoneReader {
  read(data: Uint8Array, isBinary: boolean): FromServer {
    if (isBinary) return wrong('a binary frame')
    let message: unknown
    try {
      message = JSON.parse(Buffer.from(data).toString('utf8'))
    } catch {
      return wrong('not JSON')
    }
    if (!isObject(message)) return wrong('not a JSON object')
    const { event } = message
    if (event === 'clear') return only(message, 'event') ?? { kind: 'clear' }
    if (event === 'mark') return only(message, 'event', 'mark') ?? mark(message.mark)
    if (event === 'media') return only(message, 'event', 'media') ?? media(message.media)
    return wrong(`event ${JSON.stringify(event)}`)
  }
}

function mark(fields: unknown): FromServer {
  if (!isObject(fields) || typeof fields.name !== 'string' || fields.name === '')
    return wrong('mark.name is not a string with text')
  return only(fields, 'name') ?? { kind: 'mark', name: fields.name }
}

function media(fields: unknown): FromServer {
  if (!isObject(fields) || typeof fields.payload !== 'string' || !isCanonicalBase64(fields.payload))
    return wrong('media.payload is not canonical base64')
  const bytes = bytesOfBase64(fields.payload)
  if (bytes < MIN_BYTES || bytes > MAX_BYTES) return wrong(`media.payload has ${bytes} bytes`)
  return only(fields, 'payload') ?? { kind: 'media', payload: fields.payload, bytes }
}

/** Returns a fault unless `object` has exactly these fields. */
function only(object: Record<string, unknown>, ...fields: readonly string[]): FromServer | undefined {
  const odd = Object.keys(object).find(field => !fields.includes(field))
  return odd === undefined ? undefined : wrong(`field ${odd} is unknown`)
}

function wrong(why: string): FromServer {
  return { kind: 'wrong', code: 31951, why }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
