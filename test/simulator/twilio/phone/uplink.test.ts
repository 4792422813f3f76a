import { describe, expect, test } from 'vitest'
import { FakeClock, PhoneLine, type Quirks } from '../../../../simulator/index.ts'
import { LINE_PERIOD_MS } from '../../../../simulator/twilio/phone/line.ts'
import { Uplink } from '../../../../simulator/twilio/phone/uplink.ts'
import { SILENT_PACKET } from '../../../../simulator/twilio/phone/voice.ts'
import { Wire } from '../../../../simulator/twilio/phone/wire.ts'

const ids = { accountSid: 'AC0', callSid: 'CA0', streamSid: 'MZ0' }

interface Sent {
  /** Whole milliseconds since the line started, plus 1000. */
  at: number
  lateMs: number
  text: string
  sequence: number
  chunk: number
  timestamp: number
  payload: string
}

/** An uplink on a line, started `startMs` after the line, with what it has sent. */
function uplinkOf(
  quirks: Quirks = {},
  packet: (due: number) => string | undefined = () => undefined,
  startMs = 0,
) {
  const clock = new FakeClock(1000)
  const since = clock.now()
  const line = new PhoneLine(clock)
  const sent: Sent[] = []
  line.join({ tick: () => {} })
  clock.advance(startMs)
  const uplink = new Uplink({
    wire: new Wire(ids),
    quirks,
    startedAt: line.align(),
    packet: due => packet(due - since + 1000),
    onSent: undefined,
    send(message) {
      const text = String(message)
      const { sequenceNumber, media } = text.startsWith('{') && text.endsWith('}') ? JSON.parse(text) : {}
      const { chunk, timestamp, payload } = media ?? {}
      const [sequence, ...rest] = [sequenceNumber, chunk, timestamp].map(Number)
      const at = clock.now() - since + 1000
      sent.push({
        at: Math.floor(at),
        lateMs: at % 1,
        text,
        sequence: sequence!,
        chunk: rest[0]!,
        timestamp: rest[1]!,
        payload,
      })
    },
  })
  line.join(uplink)
  return { clock, line, uplink, sent }
}

test('sends every packet exactly when its 20 ms are over', () => {
  const { clock, sent, uplink } = uplinkOf()
  clock.advance(19.9)
  expect(sent).toEqual([])
  clock.advance(80.1)
  expect(sent.map(({ at }) => at)).toEqual([1020, 1040, 1060, 1080, 1100])
  expect(sent.map(({ timestamp }) => timestamp)).toEqual([0, 20, 40, 60, 80])
  expect(sent.map(({ chunk }) => chunk)).toEqual([1, 2, 3, 4, 5])
  expect(sent[0]?.payload).toBe(SILENT_PACKET)
  expect(sent[0]?.text).toBe(
    `{"event":"media","sequenceNumber":"1","media":{"track":"inbound","chunk":"1","timestamp":"0","payload":"${SILENT_PACKET}"},"streamSid":"MZ0"}`,
  )
  expect(sent.every(({ lateMs }) => lateMs < 0.9)).toBe(true)
  expect(uplink.lateness.maxMs).toBeLessThan(0.9)
})

describe('quirks', () => {
  test('jitter scatters the arrival by ±60 ms, keeps the order and the timestamps, and repeats with its seed', () => {
    const run = (seed: number) => {
      const { clock, sent } = uplinkOf({ jitterMs: 60, seed })
      clock.advance(60_000)
      return sent
    }
    const sent = run(3)
    const delays = sent.map(({ at, timestamp }) => at - 1000 - timestamp - 20)
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...delays)).toBeLessThanOrEqual(120 + LINE_PERIOD_MS)
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(60)
    expect(sent.every(({ chunk, timestamp }, n) => chunk === n + 1 && timestamp === n * 20)).toBe(true)
    expect(run(3)).toEqual(sent)
    expect(run(4)).not.toEqual(sent)
  })
})
