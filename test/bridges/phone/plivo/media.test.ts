import { describe, expect, test } from 'vitest'
import type { Start } from '../../../../src/bridges/phone/carrier.ts'
import { contentTypeOf, extraHeaders, plivoMedia } from '../../../../src/bridges/phone/plivo/dialect.ts'

const STREAM = '20170ada-f610-433b-8758-c02a2aab3662'
const CALL = '9834029e-58b6-11e1-b8b7-a5bd0e4e126f'

function parse(message: unknown, audio: 'mulaw-8k' | 'l16-16k' | 'l16be-16k' = 'mulaw-8k') {
  const text = typeof message === 'string' ? message : JSON.stringify(message)
  return plivoMedia(audio).parse(Buffer.from(text), false)
}

function start(mediaFormat: unknown, extra_headers: unknown = 'token=61') {
  const call = { callId: CALL, streamId: STREAM, accountId: 'MA1', tracks: ['inbound'], mediaFormat }
  return { event: 'start', sequenceNumber: 1, start: call, extra_headers }
}

const MULAW = { encoding: 'audio/x-mulaw', sampleRate: 8000 }
const LINEAR = { encoding: 'audio/x-l16', sampleRate: 16000 }
const HEAD = { sequenceNumber: 42, streamId: STREAM }

describe('a message from Plivo', () => {
  test('starts a stream of a call, with its parameters', () => {
    expect(parse(start(MULAW))).toEqual({
      ...{ kind: 'start', streamId: STREAM, callId: CALL, codec: 'mulaw', rate: 8000, channels: 1 },
      parameters: { token: 'a' },
    })
  })

  test.each([
    ['l16-16k', 'l16'],
    ['l16be-16k', 'l16be'],
  ] as const)('has the byte order of %s', (audio, codec) => {
    expect(parse(start(LINEAR), audio)).toMatchObject({ codec, rate: 16000 })
  })

  test('reports a format other than the requested one', () => {
    expect(parse(start(LINEAR))).toMatchObject({ codec: 'l16', rate: 16000 })
    expect(parse(start({ encoding: 'opus' }))).toMatchObject({ codec: 'opus', rate: 8000 })
  })

  test('has audio without a time, because its timestamp is a time of day', () => {
    const media = { track: 'inbound', timestamp: '1705312200000', chunk: 41, payload: '//8=' }
    expect(parse({ event: 'media', ...HEAD, media, extra_headers: '' })).toEqual({
      ...{ kind: 'media', streamId: STREAM, track: 'inbound', timestampMs: Number.NaN },
      payload: '//8=',
    })
  })

  test.each<[unknown, object]>([
    [
      { event: 'playedStream', ...HEAD, name: 'u1' },
      { kind: 'mark', streamId: STREAM, name: 'u1' },
    ],
    [
      { event: 'dtmf', ...HEAD, dtmf: { track: 'inbound', digit: '5' } },
      { kind: 'dtmf', streamId: STREAM, digit: '5' },
    ],
    [
      { event: 'stop', ...HEAD },
      { kind: 'stop', streamId: STREAM },
    ],
    [{ event: 'clearedAudio', ...HEAD }, { kind: 'unknown' }],
    [{ event: 'weather' }, { kind: 'unknown' }],
    ['{', { kind: 'invalid', fault: 'json' }],
    ['[]', { kind: 'invalid', fault: 'shape' }],
    [{ event: 1 }, { kind: 'invalid', fault: 'shape' }],
    [
      { event: 'media', ...HEAD, media: {} },
      { kind: 'invalid', fault: 'media' },
    ],
    [
      { event: 'playedStream', ...HEAD },
      { kind: 'invalid', fault: 'mark' },
    ],
    [
      { event: 'playedStream', ...HEAD, name: 'n'.repeat(513) },
      { kind: 'invalid', fault: 'mark' },
    ],
    [
      { event: 'dtmf', ...HEAD, dtmf: { digit: 'X' } },
      { kind: 'invalid', fault: 'dtmf' },
    ],
    [
      { event: 'start', start: { callId: 'a/b', streamId: STREAM } },
      { kind: 'invalid', fault: 'start' },
    ],
    [
      { event: 'start', start: { callId: CALL } },
      { kind: 'invalid', fault: 'start' },
    ],
  ])('%j is read', (message, result) => expect(parse(message)).toEqual(result))

  test.each([
    ['X-PH-token=6162', undefined],
    ['token=6162;room=63', { token: 'ab', room: 'c' }],
    ['token=6162,room=63', { token: 'ab', room: 'c' }],
    ['token=stolen', {}],
    ['{}', {}],
    ['{"token":{"a":1}}', {}],
    ['token=6162;', undefined],
    ['Token=6162', undefined],
    ['{X-PH-token: 6162}', undefined],
    ['{X-PH-token: 6162, X-PH-room: 63}', { token: 'ab', room: 'c' }],
    ['{x-ph-token=6162; x-ph-room=63}', { token: 'ab', room: 'c' }],
    ["{'X-PH-Token': '6162'}", undefined],
    [' { "token" : "6162" } ', undefined],
    ['{"X-PH-token":"6162","X-PH-b":2}', { token: 'ab', b: '' }],
    [{ token: '6162' }, undefined],
    [{ 'X-PH-TOKEN': '6162' }, undefined],
    [[{ name: 'X-PH-token', value: '6162' }], undefined],
    ['{X-PH-__proto__: 61}', {}],
    ['__proto__=61', {}],
    ['', {}],
    [null, {}],
  ])('has the extra headers %j', (text, parameters) => {
    const found = parse(start(MULAW, text)) as Start
    expect({ ...found.parameters }).toEqual(parameters ?? { token: 'ab' })
    expect(Object.getPrototypeOf(found.parameters)).toBeNull()
  })
})

describe('a message to Plivo', () => {
  const messages = plivoMedia('mulaw-8k').messages(parse(start(MULAW)) as Start)

  test('plays audio, as documented', () => {
    const message = String(messages.media(Buffer.from([0xff, 0x7f])))
    const media = { contentType: 'audio/x-mulaw', sampleRate: 8000, payload: '/38=' }
    expect(JSON.parse(message)).toEqual({ event: 'playAudio', media })
  })

  test('plays linear PCM', () => {
    const linear = plivoMedia('l16-16k').messages(parse(start(LINEAR), 'l16-16k') as Start)
    expect(JSON.parse(String(linear.media(Buffer.alloc(4)))).media).toEqual({
      ...{ contentType: 'audio/x-l16', sampleRate: 16000, payload: 'AAAAAA==' },
    })
  })

  test('marks and clears', () => {
    expect(JSON.parse(String(messages.mark('u"1')))).toEqual({
      event: 'checkpoint',
      streamId: STREAM,
      name: 'u"1',
    })
    expect(JSON.parse(String(messages.clear()))).toEqual({ event: 'clearAudio', streamId: STREAM })
  })
})

test('parameters are letters and digits, and return unchanged', () => {
  const parameters = { token: 'a-_b~ é', room: 'desk' }
  const text = extraHeaders(parameters)
  expect(text).toMatch(/^[A-Za-z0-9=,]+$/)
  expect({ ...(parse(start(MULAW, text.replace(',', ';'))) as Start).parameters }).toEqual(parameters)
})

test('content types are those of <Stream>', () => {
  expect(contentTypeOf('mulaw-8k')).toBe('audio/x-mulaw;rate=8000')
  expect(contentTypeOf('l16be-16k')).toBe('audio/x-l16;rate=16000')
})
