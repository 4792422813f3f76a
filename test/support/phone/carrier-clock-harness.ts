import { EventEmitter } from 'node:events'
import { randomFrom } from '../../../simulator/random.ts'
import {
  asteriskMedia,
  asteriskWebSocketMedia,
  ExpectedStreams,
} from '../../../src/bridges/phone/asterisk/dialect.ts'
import { type MediaDialect, PHONE_LINE } from '../../../src/bridges/phone/carrier.ts'
import { jambonzMedia } from '../../../src/bridges/phone/jambonz/dialect.ts'
import { jsonMedia } from '../../../src/bridges/phone/json-media/json-media.ts'
import { PhoneLeg } from '../../../src/bridges/phone/leg/phone-leg.ts'
import { DEFAULT_LIMITS } from '../../../src/bridges/phone/limits.ts'
import { plivoMedia } from '../../../src/bridges/phone/plivo/dialect.ts'
import { telnyxMedia } from '../../../src/bridges/phone/telnyx/dialect.ts'
import type { LegTransport } from '../../../src/bridges/websocket/guarded-socket.ts'
import { noopLogger } from '../../../src/common/log.ts'

export const FRAME_MS = 20
const JITTER_MS = 40
/** Lead of the playout over real time (ms). */
const LEAD_MS = 200
const SENT = new Int16Array(16 * 2 * FRAME_MS)

/** One message of a carrier. */
interface Message {
  readonly data: Buffer
  readonly binary: boolean
}

/** A carrier's messages, as far as a call without a network needs them. */
export interface ClockDialect {
  readonly name: string
  readonly media: MediaDialect
  readonly start: Message
  /** The message with 20 ms of `audio`, which is the message `index` of the stream. */
  message(index: number, audio?: Buffer): Message
  /** Length of the audio of a message to the carrier (ms). */
  lengthMs(message: Buffer): number
}

/** A connection without a network, which passes on what is sent. */
class Line extends EventEmitter implements LegTransport {
  readonly bufferedAmount = 0
  readonly #sent: (message: Buffer) => void

  constructor(sent: (message: Buffer) => void) {
    super()
    this.#sent = sent
  }

  send(message: string | Buffer): void {
    this.#sent(Buffer.from(message))
  }

  ping(): void {}
  close(): void {}
  terminate(): void {}
}

/** A leg on such a connection, at a time that the test sets. */
export function answered(
  { name, media, start }: ClockDialect,
  hooks: { sent: (message: Buffer) => void; heard: (frame: Int16Array) => void },
) {
  const time = { now: 1_000 }
  const clock = { now: () => time.now, at: () => ({ [Symbol.dispose]() {} }) }
  const line = new Line(hooks.sent)
  let leg: PhoneLeg | undefined
  const options = { carrier: name, media, clock, limits: DEFAULT_LIMITS, log: noopLogger }
  const handshake = { check: () => undefined, refused: () => {}, nextId: () => `${name}-1` }
  const { counters } = PhoneLeg.accept(line, { ...options, ...handshake }, made => {
    leg = made
    made.attach({ write: hooks.heard, marked: () => {}, dtmf: () => {} })
  })
  const hear = ({ data, binary }: Message) => line.emit('message', data, binary)
  hear(start)
  return { time, leg: leg!, counters, hear }
}

function text(message: object | string): Message {
  return { data: Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)), binary: false }
}

const SILENT_MULAW = Buffer.alloc(160, 0xff)
const SILENT_PCM = Buffer.alloc(640)

/** Length of µ-law in base64, which ends the message. */
function base64Ms(message: Buffer): number {
  const base64 = message.subarray(message.indexOf('"payload":"') + '"payload":"'.length, -3)
  const padding = base64.length - (base64.indexOf('=') < 0 ? base64.length : base64.indexOf('='))
  return ((base64.length * 3) / 4 - padding) / 8
}

const TWILIO_START = { event: 'start', streamSid: 'MZ1', start: { streamSid: 'MZ1', callSid: 'CA1' } }

function pcmFrame(audio: Buffer = SILENT_PCM): Buffer {
  return Buffer.concat([Buffer.from([0x12, audio.length >> 8, audio.length & 0xff]), audio])
}

/** Every dialect: µ-law at 8 kHz with times, without, or in any order; and linear PCM at 16 kHz. */
export const CLOCK_DIALECTS: readonly ClockDialect[] = [
  {
    name: 'twilio',
    media: jsonMedia(PHONE_LINE),
    start: text(TWILIO_START),
    message: (index, audio: Buffer = SILENT_MULAW) =>
      text(
        `{"event":"media","sequenceNumber":"4","media":{"track":"inbound","chunk":"3","timestamp":"${index * FRAME_MS}","payload":"${audio.toString('base64')}"},"streamSid":"MZ1"}`,
      ),
    lengthMs: base64Ms,
  },
  {
    name: 'telnyx',
    media: telnyxMedia,
    start: text({
      event: 'start',
      stream_id: 's1',
      start: { call_control_id: 'c1', media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 } },
    }),
    message: (index, audio: Buffer = SILENT_MULAW) =>
      text(
        `{"event":"media","sequence_number":"1","media":{"track":"inbound","chunk":"${index + 1}","timestamp":"${index * FRAME_MS}","payload":"${audio.toString('base64')}"},"stream_id":"s1"}`,
      ),
    lengthMs: base64Ms,
  },
  {
    name: 'plivo',
    media: plivoMedia('mulaw-8k'),
    start: text({
      event: 'start',
      start: {
        ...{ callId: 'c1', streamId: 's1' },
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 },
      },
    }),
    message: (index, audio: Buffer = SILENT_MULAW) =>
      text(
        `{"event":"media","sequenceNumber":4,"streamId":"s1","media":{"track":"inbound","timestamp":"1705312200000","chunk":${index},"payload":"${audio.toString('base64')}"}}`,
      ),
    lengthMs: base64Ms,
  },
  {
    name: 'asterisk',
    media: asteriskMedia(16_000, new ExpectedStreams()),
    start: { data: Buffer.concat([Buffer.from([0x01, 0, 16]), Buffer.alloc(16, 1)]), binary: true },
    message: (_index, audio) => ({ data: pcmFrame(audio), binary: true }),
    lengthMs: message => (message.length - 3) / 32,
  },
  {
    name: 'chan_websocket',
    media: asteriskWebSocketMedia(8_000, new ExpectedStreams()),
    start: text({ event: 'MEDIA_START', channel_id: '1.1', format: 'slin', channel_variables: {} }),
    message: (_index, audio: Buffer = SILENT_PCM.subarray(0, 320)) => ({ data: audio, binary: true }),
    lengthMs: message => message.length / 16,
  },
  {
    name: 'jambonz',
    media: jambonzMedia(16_000),
    start: text({ callSid: 'c1', sampleRate: 16_000, mixType: 'mono' }),
    message: (_index, audio: Buffer = SILENT_PCM) => ({ data: audio, binary: true }),
    lengthMs: message => message.length / 32,
  },
]

/** Smallest and largest value. */
class Range {
  lowest = Number.POSITIVE_INFINITY
  highest = Number.NEGATIVE_INFINITY

  get width(): number {
    return this.highest - this.lowest
  }

  add(value: number): void {
    this.lowest = Math.min(this.lowest, value)
    this.highest = Math.max(this.highest, value)
  }
}

/**
 * A call with a carrier whose clock is `ppm` fast. Returns what a listener of the caller has in advance, and what waits at
 * the carrier for the caller, both in ms.
 */
export function callWithDrift(dialect: ClockDialect, ppm: number, hours: number) {
  const { media, message, lengthMs } = dialect
  let [heardMs, sentMs] = [0, 0]
  const hooks = {
    heard: () => {
      heardMs += FRAME_MS
    },
    sent: (data: Buffer) => {
      sentMs += lengthMs(data)
    },
  }
  const { time, leg, counters, hear } = answered(dialect, hooks)
  const startedAt = time.now
  const [ahead, queued] = [new Range(), new Range()]
  const random = randomFrom(1)
  // Both in our time: the moment at which the audio of the next message is complete, and the last arrival.
  let [arrivedAt, playedTo] = [startedAt, startedAt - LEAD_MS]
  const messages = (hours * 3_600_000) / FRAME_MS
  for (let index = 0; index < messages; index++) {
    const sent = (index + 1) * FRAME_MS
    const dueAt = startedAt + sent / (1 + ppm * 1e-6)
    // Messages are delayed, but keep their order.
    arrivedAt = Math.max(arrivedAt, dueAt + random() * JITTER_MS)
    time.now = arrivedAt
    hear(message(index))
    ahead.add(heardMs - (dueAt - startedAt))
    // What we send follows our clock; what the carrier plays, its own. Without a queue at the carrier, nothing is sent
    // before it is due.
    for (; playedTo + 2 * FRAME_MS <= dueAt; playedTo += 2 * FRAME_MS) leg.play(SENT)
    leg.pace(dueAt)
    queued.add(sentMs - sent - (media.queue === 'carrier' ? playedTo + LEAD_MS - dueAt : 0))
  }
  return { messages, counters, spreadMs: { heard: ahead.width, queued: queued.width } }
}

/** Counters of a call that lost and invented nothing. */
export const NO_LOSS = {
  ...{ gapsFilledMs: 0, pauses: 0, duplicates: 0, backlogDroppedMs: 0, silenceFedMs: 0, floodDropped: 0 },
  ...{ badMessages: 0, badPayloads: 0, ignored: 0 },
}
