import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { jambonzMedia } from '../../../src/bridges/jambonz/wire.ts'
import { jsonMedia } from '../../../src/bridges/telephony/json-media/json-media.ts'
import { DEFAULT_LIMITS } from '../../../src/bridges/telephony/limits.ts'
import { type MediaDialect, PHONE_LINE } from '../../../src/bridges/telephony/ports/media-dialect.ts'
import { StreamLeg } from '../../../src/bridges/telephony/streams/stream-leg.ts'
import { LegCounters, MediaSocket } from '../../../src/bridges/telephony/streams/stream-socket.ts'
import { telnyxMedia } from '../../../src/bridges/telnyx/wire.ts'
import type { LegTransport } from '../../../src/bridges/websocket/leg-socket.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { randomFrom } from '../../../src/simulator/random.ts'
import { decodeMulaw } from '../../../src/transcode/g711.ts'
import { extent } from '../../harness/vitest/seeds.ts'

const FRAME_MS = 20
const JITTER_MS = 40
/** Lead of the playout over real time (ms). */
const LEAD_MS = 200
/** In an hour, the clocks differ by 18 times the permitted variation. */
const HOURS = extent(1, 4)
const SENT = new Int16Array(16 * 2 * FRAME_MS)

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
function answered(
  media: MediaDialect,
  start: object,
  hooks: { sent: (message: Buffer) => void; heard: (frame: Int16Array) => void },
) {
  const time = { now: 1_000 }
  const clock = { now: () => time.now, at: () => ({ [Symbol.dispose]() {} }) }
  const line = new Line(hooks.sent)
  const counters = new LegCounters()
  const socket = new MediaSocket(line, { clock, limits: DEFAULT_LIMITS, counters, media })
  socket.start()
  let leg: StreamLeg | undefined
  const options = { carrier: 'twilio', media, clock, limits: DEFAULT_LIMITS, log: noopLogger }
  const handshake = { check: () => undefined, refused: () => {}, nextId: () => 'twilio-1' }
  StreamLeg.answer(socket, { ...options, ...handshake }, made => {
    leg = made
    made.attach({ write: hooks.heard, marked: () => {}, dtmf: () => {} })
  })
  line.emit('message', Buffer.from(JSON.stringify(start)), false)
  return {
    time,
    leg: leg!,
    counters,
    hear: (data: Buffer, binary: boolean) => line.emit('message', data, binary),
  }
}

interface Dialect {
  readonly media: MediaDialect
  readonly start: object
  /** The message with 20 ms of silence at `positionMs`. */
  message(positionMs: number): { data: Buffer; binary: boolean }
  /** Length of the audio of a message to the carrier (ms). */
  lengthMs(message: Buffer): number
}

const SILENT = Buffer.alloc(160, 0xff).toString('base64')
const HEAD = '{"event":"media","streamSid":"MZ1","media":{"payload":"'.length

/** µ-law at 8 kHz, with timestamps. */
const TWILIO: Dialect = {
  media: jsonMedia(PHONE_LINE),
  start: { event: 'start', streamSid: 'MZ1', start: { streamSid: 'MZ1', callSid: 'CA1' } },
  message: at => ({
    data: Buffer.from(
      `{"event":"media","sequenceNumber":"4","media":{"track":"inbound","chunk":"3","timestamp":"${at}","payload":"${SILENT}"},"streamSid":"MZ1"}`,
    ),
    binary: false,
  }),
  lengthMs(message) {
    const base64 = message.subarray(HEAD, -3).toString('latin1')
    return ((base64.length * 3) / 4 - (base64.length - base64.replace(/=+$/, '').length)) / 8
  },
}

const PCM = Buffer.alloc(2 * 320)

/** Linear PCM at 16 kHz, without timestamps. */
const JAMBONZ: Dialect = {
  media: jambonzMedia(16_000),
  start: { callSid: 'c1', sampleRate: 16_000, mixType: 'mono' },
  message: () => ({ data: PCM, binary: true }),
  lengthMs: message => message.length / 32,
}

/** Smallest and largest value. */
class Range {
  lowest = Number.POSITIVE_INFINITY
  highest = Number.NEGATIVE_INFINITY

  add(value: number): void {
    this.lowest = Math.min(this.lowest, value)
    this.highest = Math.max(this.highest, value)
  }
}

/**
 * A call with a carrier whose clock is `ppm` fast. Returns what a listener of the caller has in advance, and what waits at
 * the carrier for the caller, both in ms.
 */
function call({ media, start, message, lengthMs }: Dialect, ppm: number, hours: number) {
  let [heardMs, sentMs] = [0, 0]
  const hooks = {
    heard: () => {
      heardMs += FRAME_MS
    },
    sent: (data: Buffer) => {
      sentMs += lengthMs(data)
    },
  }
  const { time, leg, counters, hear } = answered(media, start, hooks)
  const startedAt = time.now
  const [ahead, queued] = [new Range(), new Range()]
  const random = randomFrom(1)
  // Both in our time: the moment at which the audio of the next message is complete, and the last arrival.
  let [arrivedAt, playedTo] = [startedAt, startedAt - LEAD_MS]
  for (let sent = FRAME_MS; sent <= hours * 3_600_000; sent += FRAME_MS) {
    const dueAt = startedAt + sent / (1 + ppm * 1e-6)
    // Messages are delayed, but keep their order.
    arrivedAt = Math.max(arrivedAt, dueAt + random() * JITTER_MS)
    time.now = arrivedAt
    const { data, binary } = message(sent - FRAME_MS)
    hear(data, binary)
    ahead.add(heardMs - (dueAt - startedAt))
    // What we send follows our clock; what the carrier plays, its own.
    for (; playedTo + 2 * FRAME_MS <= dueAt; playedTo += 2 * FRAME_MS) leg.play(SENT)
    queued.add(sentMs - sent - (playedTo + LEAD_MS - dueAt))
  }
  return { ahead, queued, counters }
}

const NO_LOSS = {
  ...{ gapsFilledMs: 0, pauses: 0, duplicates: 0, backlogDroppedMs: 0, silenceFedMs: 0, floodDropped: 0 },
  ...{ badMessages: 0, badPayloads: 0, ignored: 0 },
}

describe.each([
  ['timestamps', TWILIO, 1],
  ['timestamps', TWILIO, -1],
  ['no timestamps', JAMBONZ, 1],
  ['no timestamps', JAMBONZ, -1],
] as const)('a leg of a carrier with %s', (_, dialect, sign) => {
  test(`whose clock differs by ${200 * sign} ppm has no gap and a steady delay for ${HOURS} h`, () => {
    const { ahead, queued, counters } = call(dialect, 200 * sign, HOURS)
    expect(counters).toMatchObject({ ...NO_LOSS, mediaIn: HOURS * 180_000 })
    // Both delays include the jitter of arrivals and a frame that is not complete.
    expect(ahead.highest - ahead.lowest).toBeLessThan(40)
    expect(queued.highest - queued.lowest).toBeLessThan(40)
  })
})

describe('a leg of a carrier that delivers media in any order', () => {
  const MESSAGES = 5_000
  /** One level for each message of a period: µ-law that is not silent. */
  const LEVELS = 50

  function level(index: number): number {
    return 0x80 + (index % LEVELS)
  }

  test.each([20, 60, 100])('up to %i ms late loses nothing and keeps the order', lateMs => {
    const heard: number[] = []
    const start = {
      event: 'start',
      stream_id: 's1',
      start: { call_control_id: 'c1', media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 } },
    }
    const hooks = { sent: () => {}, heard: (frame: Int16Array) => void heard.push(frame[160]!) }
    const { time, leg, counters, hear } = answered(telnyxMedia, start, hooks)
    const random = randomFrom(lateMs)
    const startedAt = time.now
    const arrivals = Array.from({ length: MESSAGES + 1 }, (_, index) => ({
      index,
      at: startedAt + (index + 1) * FRAME_MS + random() * lateMs,
    })).sort((one, other) => one.at - other.at)
    for (const { index, at } of arrivals) {
      time.now = at
      const payload = Buffer.alloc(160, level(index)).toString('base64')
      const media = {
        track: 'inbound',
        chunk: String(index + 1),
        timestamp: String(index * FRAME_MS),
        payload,
      }
      hear(
        Buffer.from(JSON.stringify({ event: 'media', sequence_number: '1', media, stream_id: 's1' })),
        false,
      )
    }
    time.now += lateMs + FRAME_MS
    leg.watch(time.now)
    // The last message completes the frame before it, if the correction of the clock took a sample.
    expect(counters).toMatchObject({ ...NO_LOSS, late: 0, mediaIn: MESSAGES + 1 })
    if (lateMs > FRAME_MS) expect(counters.reordered).toBeGreaterThan(MESSAGES / 10)
    const pcm = new Int16Array(1)
    const wrong = heard.slice(0, MESSAGES).filter((sample, index) => {
      decodeMulaw(Buffer.of(level(index)), pcm)
      return Math.abs(sample - pcm[0]!) > Math.abs(pcm[0]!) / 10
    })
    expect([heard.length >= MESSAGES, wrong.length]).toEqual([true, 0])
  })
})
