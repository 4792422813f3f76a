import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { FakeClock, PhoneLine, type Quirks } from '../../../../src/simulator/index.ts'
import { twilioProfile } from '../../../../src/simulator/twilio/phone/profile.ts'
import { Recording } from '../../../../src/simulator/twilio/phone/recording.ts'
import { PhoneStream } from '../../../../src/simulator/twilio/phone/stream.ts'
import { markOf, mediaOf, type PhoneMessage } from '../../../support/simulator/fake-bridge.ts'

const SID = 'MZ0'

class FakeSocket extends EventEmitter {
  readyState = 0
  bufferedAmount = 0
  readonly sent: (PhoneMessage & { at: number })[] = []
  readonly #clock: FakeClock
  readonly #since: number

  constructor(clock: FakeClock) {
    super()
    this.#clock = clock
    this.#since = clock.now()
  }

  open(): void {
    this.readyState = 1
    this.emit('open')
  }

  send(text: string): void {
    this.sent.push({ at: Math.floor(this.#clock.now() - this.#since), ...(JSON.parse(text) as PhoneMessage) })
  }

  close(code = 1005, reason = ''): void {
    this.readyState = 3
    this.emit('close', code, Buffer.from(reason))
  }

  terminate(): void {
    this.close(1006)
  }

  says(text: string): void {
    this.emit('message', Buffer.from(text), false)
  }
}

function streamOf(quirks: Quirks = {}) {
  const clock = new FakeClock()
  const line = new PhoneLine(clock)
  const recording = new Recording(clock.now())
  const socket = new FakeSocket(clock)
  const stream = new PhoneStream({
    profile: twilioProfile,
    attributes: new Map(),
    ids: { accountSid: 'AC0', callSid: 'CA0', streamSid: SID },
    parameters: { token: 't' },
    clock,
    line,
    quirks,
    gapWithinMs: undefined,
    recording,
    packet: () => undefined,
    onSent: undefined,
    onMark: undefined,
    onMedia: undefined,
  })
  stream.attach(socket as unknown as WebSocket)
  socket.open()
  stream.start()
  const marks = () =>
    socket.sent.filter(({ event }) => event === 'mark').map(({ at, mark }) => [at, mark?.name])
  return { clock, line, socket, stream, recording, marks }
}

test('connected is sent first, then start with numbers as strings', () => {
  const { socket } = streamOf()
  expect(socket.sent).toEqual([
    { at: 0, event: 'connected', protocol: 'Call', version: '1.0.0' },
    {
      at: 0,
      event: 'start',
      sequenceNumber: '1',
      start: {
        accountSid: 'AC0',
        streamSid: SID,
        callSid: 'CA0',
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
        customParameters: { token: 't' },
      },
      streamSid: SID,
    },
  ])
})

test('returns marks after the audio before them was played', () => {
  const { clock, socket, marks } = streamOf()
  clock.advance(100)
  socket.says(markOf(SID, 'nothing before me'))
  socket.says(mediaOf(SID, 200))
  socket.says(markOf(SID, 'a'))
  socket.says(mediaOf(SID, 100))
  socket.says(markOf(SID, 'b'))
  clock.advance(1000)
  expect(marks()).toEqual([
    [100, 'nothing before me'],
    [300, 'a'],
    [400, 'b'],
  ])
})

test('clear returns the outstanding marks at once, in order, and later audio is new', () => {
  const { clock, socket, stream, recording, marks } = streamOf()
  socket.says(mediaOf(SID, 1000))
  socket.says(markOf(SID, 'a'))
  socket.says(mediaOf(SID, 1000))
  socket.says(markOf(SID, 'b'))
  clock.advance(300)
  socket.says(`{"event":"clear","streamSid":"${SID}"}`)
  socket.says(mediaOf(SID, 100))
  socket.says(markOf(SID, 'c'))
  expect(marks()).toEqual([
    [300, 'a'],
    [300, 'b'],
  ])
  clock.advance(300)
  expect(marks().at(-1)).toEqual([400, 'c'])
  expect(stream.report().playout).toMatchObject({
    clears: 1,
    marksCleared: 2,
    marksPlayed: 1,
    unheardMs: 1700,
    gapCount: 0,
  })
  const heard = recording.pcm(clock.now())
  const loudMs = heard.filter(sample => sample !== 0).length / 8
  expect(loudMs).toBe(400)
})

test('every message takes the next sequence number', () => {
  const { clock, socket, stream } = streamOf()
  clock.advance(40)
  socket.says(markOf(SID, 'a'))
  stream.press('5')
  clock.advance(40)
  stream.stop()
  const numbers = socket.sent.slice(1).map(({ sequenceNumber }) => Number(sequenceNumber))
  expect(numbers).toEqual(numbers.map((_, n) => n + 1))
  expect(socket.sent.map(({ event }) => event)).toEqual([
    ...['connected', 'start', 'media', 'media', 'mark', 'dtmf', 'media', 'media', 'stop'],
  ])
  expect(socket.sent.find(({ dtmf }) => dtmf)?.dtmf).toEqual({ track: 'inbound_track', digit: '5' })
  expect(socket.sent.at(-1)?.stop).toEqual({ accountSid: 'AC0', callSid: 'CA0' })
})

test('each warning appears once in a stream, and invalid audio is not played', async () => {
  const { clock, socket, stream, line } = streamOf()
  for (let n = 0; n < 3; n++) {
    socket.says('{"event":"media"}')
    socket.emit('message', Buffer.from([1]), true)
    socket.says(mediaOf('MZ1', 20))
  }
  socket.says(mediaOf(SID, 600_000))
  socket.says(mediaOf(SID, 20))
  socket.says(mediaOf(SID, 20))
  clock.advance(10)
  expect(stream.warnings.list.map(({ code }) => code)).toEqual([31951, 31950, 31931])
  expect(stream.warnings.count(31951)).toBe(6)
  expect(stream.report().playout.messages).toBe(1)
  stream.stop()
  expect(await stream.ended).toEqual({ by: 'phone', code: 1000, reason: '' })
  expect(line.size).toBe(0)
  expect(clock.pending).toBe(0)
})

test('detects a file in the payload, and plays it as the noise it would be', () => {
  const { socket, stream } = streamOf()
  const payload = Buffer.from('RIFF....WAVEfmt ').toString('base64')
  socket.says(`{"event":"media","streamSid":"${SID}","media":{"payload":"${payload}"}}`)
  expect(stream.warnings.list).toMatchObject([{ code: 'NOT_MULAW' }])
  expect(stream.report().playout.bytes).toBe(16)
})

test('a server that does not read makes Twilio drop audio', () => {
  const { clock, socket, stream } = streamOf()
  socket.bufferedAmount = 2_000_000
  clock.advance(40)
  expect(socket.sent).toHaveLength(2)
  expect(stream.warnings.list).toMatchObject([{ code: 31930 }])
})

test.each<[string, (s: ReturnType<typeof streamOf>) => void, object]>([
  ['the server closes', s => s.socket.close(1008, 'no'), { by: 'server', code: 1008, reason: 'no' }],
  ['the connection breaks', s => s.socket.terminate(), { by: 'network', code: 1006 }],
  ['it is dropped', s => s.stream.drop(), { by: 'network', code: 1006 }],
  ['it dies by its quirk', s => s.clock.advance(500), { by: 'network', code: 1006 }],
])('the end when %s: audio unheard, marks unconfirmed, off the line', async (_, act, end) => {
  const s = streamOf({ dieAfterMs: 500 })
  s.socket.says(mediaOf(SID, 1000))
  s.socket.says(markOf(SID, 'a'))
  act(s)
  expect(await s.stream.ended).toMatchObject(end)
  s.clock.advance(5000)
  const { playout } = s.stream.report()
  expect(playout.unconfirmedMarks).toEqual(['a'])
  expect(playout.unheardMs).toBeGreaterThanOrEqual(500)
  expect(s.clock.pending).toBe(0)
  expect(s.socket.sent.some(({ event }) => event === 'stop')).toBe(false)
})

test('after stop the socket stays open if requested, and sends no further messages', async () => {
  const { clock, socket, stream } = streamOf({ lingerMs: 700 })
  stream.stop()
  const sent = socket.sent.length
  clock.advance(690)
  expect(socket.readyState).toBe(1)
  clock.advance(10)
  expect(socket.readyState).toBe(3)
  expect(socket.sent.length).toBe(sent)
  expect((await stream.ended).by).toBe('phone')
})
