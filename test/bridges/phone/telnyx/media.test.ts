import { describe, expect, test } from 'vitest'
import { TelnyxWire, telnyxReader } from '../../../../simulator/telnyx/wire.ts'
import type { Start } from '../../../../src/bridges/phone/carrier.ts'
import { telnyxMedia } from '../../../../src/bridges/phone/telnyx/dialect.ts'

const parse = (text: string) => telnyxMedia.parse(Buffer.from(text), false)
const json = (value: unknown) => parse(JSON.stringify(value))
const IDS = { accountSid: 'a', callSid: 'v3:call-1', streamSid: 'stream-1' }

describe('a message from Telnyx', () => {
  test('is parsed as documented', () => {
    expect(json({ event: 'connected', version: '1.0.0' })).toEqual({ kind: 'connected' })
    const start = {
      user_id: 'u',
      call_control_id: 'v2:T02l',
      call_session_id: 's',
      from: '+15551230001',
      to: '+15551230002',
      client_state: null,
      custom_parameters: { token: 't' },
      media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 },
    }
    expect(json({ event: 'start', sequence_number: '1', start, stream_id: '32de' })).toEqual({
      ...{ kind: 'start', streamId: '32de', callId: 'v2:T02l' },
      ...{ codec: 'mulaw', rate: 8_000, channels: 1, parameters: { token: 't' } },
    })
    expect(json({ event: 'dtmf', dtmf: { digit: '5' }, stream_id: 's' })).toEqual({
      ...{ kind: 'dtmf', streamId: 's', digit: '5' },
    })
    expect(json({ event: 'mark', mark: { name: 'g0:u1' }, stream_id: 's' })).toEqual({
      ...{ kind: 'mark', streamId: 's', name: 'g0:u1' },
    })
    expect(json({ event: 'stop', stop: {}, stream_id: 's' })).toEqual({ kind: 'stop', streamId: 's' })
    expect(json({ event: 'error', payload: { code: 100002 } })).toEqual({ kind: 'unknown' })
  })

  test('has the same content however its fields are ordered', () => {
    const media = { track: 'inbound', chunk: '2', timestamp: '25', payload: '/w==' }
    const usual = { event: 'media', sequence_number: '4', media, stream_id: 's' }
    const expected = { kind: 'media', streamId: 's', track: 'inbound', timestampMs: 25, sequence: 2 }
    const payload = '/w=='
    expect(json(usual)).toEqual({ ...expected, payload })
    expect(json({ stream_id: 's', media, event: 'media' })).toEqual({ ...expected, payload })
  })

  test('of another kind is invalid', () => {
    for (const text of ['', '[]', '{"event":1}', '{"event":"start"}', '{"event":"media","media":{}}'])
      expect(parse(text).kind).toBe('invalid')
  })

  test('is that of the simulator', () => {
    const wire = new TelnyxWire(IDS)
    expect(parse(wire.connected())).toEqual({ kind: 'connected' })
    expect(parse(wire.start({ token: 't' }))).toMatchObject({ kind: 'start', callId: IDS.callSid })
    expect(parse(wire.media(40, '/w=='))).toMatchObject({ kind: 'media', timestampMs: 40, sequence: 1 })
    expect(parse(wire.media(60, '/w=='))).toMatchObject({ sequence: 2, streamId: IDS.streamSid })
    expect(parse(wire.mark('m'))).toMatchObject({ kind: 'mark', name: 'm' })
    expect(parse(wire.stop())).toEqual({ kind: 'stop', streamId: IDS.streamSid })
  })
})

test('messages to Telnyx have exactly the documented fields', () => {
  const start: Start = {
    ...{ kind: 'start', streamId: 's', callId: 'c', codec: 'mulaw', rate: 8_000, channels: 1 },
    parameters: {},
  }
  const messages = telnyxMedia.messages(start)
  const audio = Buffer.alloc(160, 0xff)
  expect(JSON.parse(String(messages.media(audio)))).toEqual({
    ...{ event: 'media', media: { payload: audio.toString('base64') } },
  })
  expect(JSON.parse(String(messages.mark('m')))).toEqual({ event: 'mark', mark: { name: 'm' } })
  expect(JSON.parse(String(messages.clear()))).toEqual({ event: 'clear' })
})

describe('the simulator', () => {
  const read = (message: unknown) => telnyxReader.read(Buffer.from(JSON.stringify(message)), false)
  const payload = Buffer.alloc(160).toString('base64')

  test.each([
    ['a stream ID', { event: 'clear', stream_id: 's' }],
    ['a field of another carrier', { event: 'media', streamSid: 's', media: { payload } }],
    ['less than 20 ms', { event: 'media', media: { payload: Buffer.alloc(100).toString('base64') } }],
    ['no base64', { event: 'media', media: { payload: '~' } }],
    ['a mark without a name', { event: 'mark', mark: {} }],
    ['an unknown event', { event: 'playAudio' }],
  ])('rejects %s', (_, message) => expect(read(message).kind).toBe('wrong'))

  test('rejects binary frames', () => {
    expect(telnyxReader.read(Buffer.alloc(160), true).kind).toBe('wrong')
  })

  test('accepts the documented messages', () => {
    expect(read({ event: 'media', media: { payload } })).toEqual({ kind: 'media', payload, bytes: 160 })
    expect(read({ event: 'mark', mark: { name: 'm' } })).toEqual({ kind: 'mark', name: 'm' })
    expect(read({ event: 'clear' })).toEqual({ kind: 'clear' })
  })
})
