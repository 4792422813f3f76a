import { randomBytes } from 'node:crypto'

/** Twilio's identifiers: two letters for the type, then 32 hexadecimal digits. */
export type SidKind = 'AC' | 'CA' | 'MZ' | 'PN' | 'RQ'

/** Returns a new identifier: `AC` account, `CA` call, `MZ` media stream, `PN` number, `RQ` request. */
export function newSid(kind: SidKind): string {
  return kind + randomBytes(16).toString('hex')
}

/** The identity of one stream on the wire. */
export interface StreamIds {
  readonly accountSid: string
  readonly callSid: string
  readonly streamSid: string
}

/** Messages to the server: Twilio's messages verbatim, every number a string except in `mediaFormat`. */
export class Wire {
  readonly #ids: StreamIds
  readonly #tail: string
  #sequence = 0
  #chunk = 0

  constructor(ids: StreamIds) {
    this.#ids = ids
    this.#tail = `"},"streamSid":"${ids.streamSid}"}`
  }

  /** The first message of every socket; without sequence number and stream. */
  connected(): string {
    return '{"event":"connected","protocol":"Call","version":"1.0.0"}'
  }

  /** `parameters` undefined omits `customParameters`; `callSid` can name another call than the actual one. */
  start(parameters: Readonly<Record<string, string>> | undefined, callSid = this.#ids.callSid): string {
    const { accountSid, streamSid } = this.#ids
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 }
    const start = { accountSid, streamSid, callSid, tracks: ['inbound'], mediaFormat }
    return JSON.stringify({
      event: 'start',
      sequenceNumber: this.#next(),
      start: parameters ? { ...start, customParameters: parameters } : start,
      streamSid,
    })
  }

  /** `payload` is inserted unchanged: fifty of these per second and phone are too many for a serializer. */
  media(timestampMs: number, payload: string): string {
    const chunk = ++this.#chunk
    return `{"event":"media","sequenceNumber":"${++this.#sequence}","media":{"track":"inbound","chunk":"${chunk}","timestamp":"${timestampMs}","payload":"${payload}${this.#tail}`
  }

  dtmf(digit: string): string {
    const { streamSid } = this.#ids
    return JSON.stringify({
      event: 'dtmf',
      streamSid,
      sequenceNumber: this.#next(),
      dtmf: { track: 'inbound_track', digit },
    })
  }

  mark(name: string): string {
    const { streamSid } = this.#ids
    return JSON.stringify({ event: 'mark', sequenceNumber: this.#next(), streamSid, mark: { name } })
  }

  stop(): string {
    const { accountSid, callSid, streamSid } = this.#ids
    return JSON.stringify({
      event: 'stop',
      sequenceNumber: this.#next(),
      stop: { accountSid, callSid },
      streamSid,
    })
  }

  /** An event that is not in the documentation. */
  unknown(): string {
    const { streamSid } = this.#ids
    return JSON.stringify({
      event: 'weather',
      sequenceNumber: this.#next(),
      streamSid,
      weather: { sky: 'clear' },
    })
  }

  #next(): string {
    return String(++this.#sequence)
  }
}
