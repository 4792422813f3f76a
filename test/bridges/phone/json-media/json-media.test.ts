import { describe, expect, it } from 'vitest'
import { type CarrierMessage, PHONE_LINE } from '../../../../src/bridges/phone/carrier.ts'
import { jsonMedia } from '../../../../src/bridges/phone/json-media/json-media.ts'

const twilioMedia = jsonMedia(PHONE_LINE)

const parse = (text: string): CarrierMessage => twilioMedia.parse(Buffer.from(text), false)
const json = (value: unknown) => parse(JSON.stringify(value))

describe('a message from Twilio', () => {
  it('is parsed as documented', () => {
    expect(json({ event: 'connected', protocol: 'Call', version: '1.0.0' })).toEqual({ kind: 'connected' })
    expect(
      json({
        event: 'start',
        sequenceNumber: '1',
        start: {
          accountSid: 'AC1',
          streamSid: 'MZ1',
          callSid: 'CA1',
          tracks: ['inbound'],
          mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
          customParameters: { token: 't', n: 5 },
        },
        streamSid: 'MZ1',
      }),
    ).toEqual({
      kind: 'start',
      streamId: 'MZ1',
      callId: 'CA1',
      codec: 'mulaw',
      rate: 8000,
      channels: 1,
      parameters: { token: 't', n: '5' },
    })
    const media = { track: 'inbound', chunk: '1', timestamp: '73', payload: '/w==' }
    expect(json({ event: 'media', sequenceNumber: '2', media, streamSid: 'MZ1' })).toEqual({
      kind: 'media',
      streamId: 'MZ1',
      track: 'inbound',
      timestampMs: 73,
      payload: '/w==',
    })
    expect(json({ event: 'dtmf', streamSid: 'MZ1', dtmf: { track: 'inbound_track', digit: '#' } })).toEqual({
      kind: 'dtmf',
      streamId: 'MZ1',
      digit: '#',
    })
    expect(json({ event: 'mark', streamSid: 'MZ1', mark: { name: 'u17' } })).toEqual({
      kind: 'mark',
      streamId: 'MZ1',
      name: 'u17',
    })
    expect(json({ event: 'stop', stop: {}, streamSid: 'MZ1' })).toEqual({ kind: 'stop', streamId: 'MZ1' })
  })

  it('can have numbers instead of strings, and vice versa', () => {
    expect(json({ event: 'media', media: { payload: '', timestamp: 20 } })).toMatchObject({ timestampMs: 20 })
    expect(json({ event: 'dtmf', dtmf: { digit: 5 } })).toMatchObject({ kind: 'dtmf', digit: '5' })
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: '8000', channels: '1' }
    expect(json({ event: 'start', start: { streamSid: 'MZ', callSid: 'CA', mediaFormat } })).toMatchObject({
      rate: 8000,
      channels: 1,
      streamId: 'MZ',
    })
  })

  it.each(['', '-1', '1.5', '0x10', '1e3', ' 1', '9'.repeat(16), -1, 1.5, null, {}, true])(
    'has no timestamp in %j',
    timestamp => {
      const message = json({ event: 'media', media: { payload: '', timestamp } })
      expect(message).toMatchObject({ kind: 'media', timestampMs: Number.NaN })
    },
  )

  it.each([
    ['json', ''],
    ['json', '{'],
    ['json', '\ufeff{"event":"stop"}'],
    ['json', '{"event":"stop"}\u0000'],
    ['shape', 'null'],
    ['shape', '[]'],
    ['shape', '"media"'],
    ['shape', '{}'],
    ['shape', '{"event":1}'],
    ['shape', '{"__proto__":{"event":"stop"}}'],
    ['media', '{"event":"media"}'],
    ['media', '{"event":"media","media":{"payload":1}}'],
    ['start', '{"event":"start"}'],
    ['start', '{"event":"start","start":{"callSid":"CA1"}}'],
    ['start', '{"event":"start","streamSid":"MZ\\"1","start":{"callSid":"CA1"}}'],
    ['dtmf', '{"event":"dtmf","dtmf":{"digit":"12"}}'],
    ['mark', '{"event":"mark","mark":{}}'],
    ['mark', `{"event":"mark","mark":{"name":"${'x'.repeat(600)}"}}`],
  ])('is an invalid %s: %s', (fault, text) => {
    expect(parse(text)).toEqual({ kind: 'invalid', fault })
  })

  it('can be of a future kind', () => {
    for (const event of ['volume', 'toString', '__proto__', ''])
      expect(json({ event })).toEqual({ kind: 'unknown' })
  })

  it('cannot touch a prototype', () => {
    const text =
      '{"event":"start","streamSid":"MZ","__proto__":{"polluted":1},"start":{"callSid":"CA","customParameters":{"__proto__":"x","constructor":"y","token":"t"}}}'
    const start = parse(text)
    if (start.kind !== 'start') throw new Error('not a start')
    expect(Object.getPrototypeOf(start.parameters)).toBeNull()
    expect(Object.entries(start.parameters)).toEqual([
      ['constructor', 'y'],
      ['token', 't'],
    ])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('a message to Twilio', () => {
  it('has exactly the documented fields', () => {
    const messages = twilioMedia.messages({
      ...{ kind: 'start', streamId: 'MZ1', callId: 'CA1', codec: 'mulaw', rate: 8_000, channels: 1 },
      parameters: {},
    })
    const sent = [messages.media(Buffer.of(0xff)), messages.mark('g0:"u'), messages.clear()]
    expect(sent.map(message => JSON.parse(String(message)))).toEqual([
      { event: 'media', streamSid: 'MZ1', media: { payload: '/w==' } },
      { event: 'mark', streamSid: 'MZ1', mark: { name: 'g0:"u' } },
      { event: 'clear', streamSid: 'MZ1' },
    ])
  })
})
