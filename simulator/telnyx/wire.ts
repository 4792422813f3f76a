import { z } from 'zod'
import type { PhoneWire } from '../twilio/phone/profile.ts'
import { audio, type FromServer, MessageReader, markName } from '../twilio/phone/server-message.ts'
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
      ...(parameters && { custom_parameters: parameters }),
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

const payload = audio.refine(
  message => message.kind === 'media' && message.bytes >= MIN_BYTES && message.bytes <= MAX_BYTES,
  `must have ${MIN_BYTES} to ${MAX_BYTES} bytes`,
)
const schema = z.discriminatedUnion('event', [
  z
    .strictObject({ event: z.literal('media'), media: z.strictObject({ payload }) })
    .transform(({ media }) => media.payload),
  z
    .strictObject({ event: z.literal('mark'), mark: z.strictObject({ name: markName }) })
    .transform(({ mark }) => mark.name),
  z.strictObject({ event: z.literal('clear') }).transform((): FromServer => ({ kind: 'clear' })),
])

/** Reads messages from the server as strictly as Telnyx documents them: no stream ID, and no other fields. */
export const telnyxReader = new MessageReader(schema)
