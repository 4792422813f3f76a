import { z } from 'zod'
import { linearReader, linearVoice } from '../phone/linear-audio.ts'
import type { PhoneReader, PhoneWire } from '../twilio/phone/profile.ts'
import { audio, type FromServer, MessageReader, markName } from '../twilio/phone/server-message.ts'
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

/** Returns a reader as strict as Plivo documents: exactly these fields, in the format of the stream. Its audio is µ-law. */
export function plivoReader({ streamSid }: StreamIds, format: string): PhoneReader {
  const [contentType = '', rate = ''] = format.split(';rate=')
  const streamId = z.literal(streamSid)
  const media = z.strictObject({
    contentType: z.literal(contentType),
    sampleRate: z.literal(Number(rate)),
    payload: audio,
  })
  const reader = new MessageReader(
    z.discriminatedUnion('event', [
      z.strictObject({ event: z.literal('playAudio'), media }).transform(message => message.media.payload),
      z
        .strictObject({ event: z.literal('checkpoint'), streamId, name: markName })
        .transform(message => message.name),
      z
        .strictObject({ event: z.literal('clearAudio'), streamId })
        .transform((): FromServer => ({ kind: 'clear' })),
    ]),
  )
  return contentType === 'audio/x-l16' ? linearReader(reader) : reader
}
