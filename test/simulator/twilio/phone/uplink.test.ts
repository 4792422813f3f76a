import { describe, expect, test } from 'vitest'
import { FakeClock, LINE_PERIOD_MS, PhoneLine, type Quirks } from '../../../../src/simulator/index.ts'
import { Uplink } from '../../../../src/simulator/twilio/phone/uplink.ts'
import { SILENT_PACKET } from '../../../../src/simulator/twilio/phone/voice.ts'
import { Wire } from '../../../../src/simulator/twilio/phone/wire.ts'

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

test('aligns a phone that starts between two ticks to the grid', () => {
  const { clock, sent } = uplinkOf({}, undefined, 7.3)
  clock.advance(60)
  expect(sent.map(({ at }) => at)).toEqual([1030, 1050])
})

test('does not drift over hours, from any fraction of a millisecond', () => {
  const hour = 3_600_000
  const clock = new FakeClock(1000.37)
  const line = new PhoneLine(clock)
  line.join({ tick: () => {} })
  let last = { at: 0, text: '' }
  const send = (text: string | Uint8Array) => {
    last = { at: clock.now(), text: String(text) }
  }
  const startedAt = line.align()
  const uplink = new Uplink({
    wire: new Wire(ids),
    quirks: {},
    startedAt,
    packet: () => undefined,
    onSent: undefined,
    send,
  })
  line.join(uplink)
  clock.advance(hour + 1)
  expect(last.at - 1000.37 - hour).toBeGreaterThanOrEqual(-1e-4)
  expect(last.at - 1000.37 - hour).toBeLessThan(0.9)
  expect(JSON.parse(last.text).media).toMatchObject({
    chunk: String(hour / 20),
    timestamp: String(hour - 20),
  })
  expect(uplink.lateness.maxMs).toBeLessThan(0.9)
})

test('a day of ticks is a day of packets', () => {
  const day = 86_400_000
  let packets = 0
  const send = () => {
    packets++
  }
  const uplink = new Uplink({
    wire: new Wire(ids),
    quirks: {},
    startedAt: 0.1,
    packet: () => undefined,
    onSent: undefined,
    send,
  })
  for (let now = 1000; now <= day; now += 1000) uplink.tick(now)
  expect(packets).toBe(day / 20)
})

test('a late tick sends the missed packets, with their own timestamps, and then keeps to the schedule', () => {
  let now = 0
  const tasks: { deadline: number; task: () => void }[] = []
  const clock = {
    now: () => now,
    at(deadline: number, task: () => void) {
      tasks.push({ deadline, task })
      return { [Symbol.dispose]() {} }
    },
  }
  const line = new PhoneLine(clock)
  const sent: [number, string][] = []
  const wire = new Wire(ids)
  line.join({ tick: () => {} })
  const send = (message: string | Uint8Array) =>
    void sent.push([now, JSON.parse(String(message)).media.timestamp])
  line.join(new Uplink({ wire, quirks: {}, startedAt: 0, packet: () => undefined, onSent: undefined, send }))
  const runAt = (time: number) => {
    now = time
    tasks.shift()?.task()
  }
  runAt(73)
  expect(sent).toEqual([
    [73, '0'],
    [73, '20'],
    [73, '40'],
  ])
  expect(tasks[0]?.deadline).toBe(75)
  runAt(75)
  runAt(80)
  expect(sent.at(-1)).toEqual([80, '60'])
})

describe('quirks', () => {
  test('startOffsetMs moves the timestamps', () => {
    const { clock, sent } = uplinkOf({ startOffsetMs: 73 })
    clock.advance(60)
    expect(sent.map(({ timestamp }) => timestamp)).toEqual([73, 93, 113])
  })

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

  test('a stall holds ten packets back and sends them at once', () => {
    const { clock, sent } = uplinkOf({ stall: { everyMs: 1000, packets: 10 } })
    clock.advance(2100)
    const burst = sent.filter(({ at }) => at === 2000)
    expect(burst).toHaveLength(10)
    expect(burst.map(({ timestamp }) => timestamp)).toEqual([
      800, 820, 840, 860, 880, 900, 920, 940, 960, 980,
    ])
    expect(sent.filter(({ at }) => at === 3000)).toHaveLength(10)
    expect(sent.filter(({ at }) => at === 2020)).toHaveLength(1)
  })

  test('skipSilence sends nothing for silence; the timestamp jumps, the chunk does not', () => {
    const { clock, sent } = uplinkOf({ skipSilence: true }, due =>
      due === 1040 || due === 1100 ? 'AAAA' : undefined,
    )
    clock.advance(200)
    expect(sent.map(({ at, chunk, timestamp }) => [at, chunk, timestamp])).toEqual([
      [1040, 1, 20],
      [1100, 2, 80],
    ])
  })

  test.each([40, 60] as const)('packetMs %i puts that much audio into one message', packetMs => {
    const { clock, sent } = uplinkOf({ packetMs }, due => Buffer.alloc(160, due % 256).toString('base64'))
    clock.advance(240)
    expect(sent.map(({ at }) => at - 1000)).toEqual(
      [1, 2, 3, 4, 5, 6].map(n => n * packetMs).filter(at => at <= 240),
    )
    expect(sent[1]?.timestamp).toBe(packetMs)
    const bytes = Buffer.from(sent[0]!.payload, 'base64')
    expect(bytes.length).toBe(packetMs * 8)
    expect([bytes[0], bytes[160]]).toEqual([1020 % 256, 1040 % 256])
  })

  test.each(['base64', 'binary', 'oversized', 'json'] as const)(
    'badMessage %s comes once, fifth',
    badMessage => {
      const { clock, sent } = uplinkOf({ badMessage })
      clock.advance(200)
      expect(sent).toHaveLength(10)
      const odd = sent.filter(({ payload }) => payload !== SILENT_PACKET)
      expect(odd).toEqual([sent[4]])
    },
  )
})

test('a key and a mark keep their place among held audio', () => {
  const { clock, uplink, sent } = uplinkOf({ stall: { everyMs: 1000, packets: 10 } })
  clock.advance(905)
  const before = sent.length
  uplink.inOrder(clock.now(), '{"event":"dtmf"}')
  clock.advance(50)
  expect(sent.length).toBe(before)
  clock.advance(45)
  const released = sent.slice(before)
  expect(released.map(({ text }) => text.includes('dtmf'))).toEqual([
    ...Array(5).fill(false),
    true,
    ...Array(5).fill(false),
  ])
})
