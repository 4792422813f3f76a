import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  clearMessage,
  jsonMedia,
  MEDIA_END,
  markMessage,
  mediaStart,
  parseUsualMedia,
} from '../../../../../src/bridges/telephony/json-media/json-media.ts'
import { type Inbound, PHONE_LINE } from '../../../../../src/bridges/telephony/ports/media-dialect.ts'

const twilioMedia = jsonMedia(PHONE_LINE)

const parse = (text: string): Inbound => twilioMedia.parse(Buffer.from(text), false)
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
      payload: Buffer.of(0xff),
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

  it('is always of a known kind, without throwing', () => {
    const kinds = new Set(['connected', 'start', 'media', 'dtmf', 'mark', 'stop', 'unknown', 'invalid'])
    fc.assert(fc.property(fc.string({ unit: 'binary' }), text => kinds.has(parse(text).kind)))
    fc.assert(fc.property(fc.json(), text => kinds.has(parse(text).kind)))
    const events = fc.constantFrom('connected', 'start', 'media', 'dtmf', 'mark', 'stop')
    const names = fc.constantFrom(
      'event',
      'start',
      'media',
      'mark',
      'dtmf',
      'streamSid',
      'callSid',
      'payload',
      '__proto__',
    )
    const body = fc.dictionary(names, fc.oneof(fc.jsonValue(), fc.dictionary(names, fc.jsonValue())))
    fc.assert(
      fc.property(events, body, (event, rest) => kinds.has(parse(JSON.stringify({ ...rest, event })).kind)),
      { numRuns: 1_000 },
    )
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

describe('the fast path parses media like the JSON parser', () => {
  const write = (
    fields: Readonly<Record<'sequence' | 'track' | 'chunk' | 'time' | 'payload' | 'sid', string>>,
  ) =>
    `{"event":"media","sequenceNumber":"${fields.sequence}","media":{"track":"${fields.track}","chunk":"${fields.chunk}","timestamp":"${fields.time}","payload":"${fields.payload}"},"streamSid":"${fields.sid}"}`
  const mostly = (usual: fc.Arbitrary<string>, ...odd: fc.Arbitrary<string>[]) =>
    fc.oneof({ weight: 8, arbitrary: usual }, ...odd.map(arbitrary => ({ weight: 1, arbitrary })))

  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 15 })
  const oddDigits = fc.constantFrom('', '1000000000000000', '-1', '1.5', '1e3', ' 1', '\u0661', '\\u0031')
  const base64 = fc.uint8Array({ maxLength: 400 }).map(bytes => Buffer.from(bytes).toString('base64'))
  const oddPayload = fc.constantFrom(
    '\\u0041A==',
    '\\/w==',
    '\\n',
    '\n',
    '\u0000',
    '\u001f',
    '\u007f',
    'é',
    '\ud800',
  )
  const sid = fc.constantFrom('MZ0123456789abcdef0123456789abcdef', 'MZ-1_x', '')
  const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 12 })
  const usual = fc
    .record({
      sequence: digits,
      track: fc.constant('inbound'),
      chunk: digits,
      time: digits,
      payload: base64,
      sid,
    })
    .map(write)
  const nearlyUsual = fc
    .record({
      sequence: mostly(digits, oddDigits, ascii),
      track: mostly(fc.constant('inbound'), fc.constantFrom('outbound', 'inbound_track', '')),
      chunk: mostly(digits, oddDigits, ascii),
      time: mostly(digits, oddDigits, ascii),
      payload: mostly(base64, oddPayload, ascii),
      sid: mostly(sid, ascii, fc.constant('MZ\\u0030')),
    })
    .map(write)

  /** The part of a message that a leg receives: the bytes of the audio, or undefined if the payload is not base64. */
  const received = (text: string) => {
    const message = parse(text)
    if (message.kind !== 'media') return message
    const { payload } = message
    return { ...message, payload: typeof payload === 'string' ? decoded(payload) : Buffer.from(payload) }
  }
  const decoded = (text: string) => {
    const { length } = text.replace(/={1,2}$/, '')
    const bytes = Buffer.from(text, 'base64')
    return length % 4 === 1 || bytes.length !== Math.floor((length * 3) / 4) ? undefined : bytes
  }
  /** With a space at either end it is the same JSON, or invalid, but not on the fast path. */
  const same = (text: string) => {
    expect(received(text)).toStrictEqual(received(` ${text}`))
    expect(received(text)).toStrictEqual(received(`${text} `))
  }

  it('and takes all that Twilio sends', () => {
    const taken = (text: string) => parseUsualMedia(Buffer.from(text)) !== undefined
    fc.assert(fc.property(usual, taken))
    const message = parse(
      write({ sequence: '4', track: 'inbound', chunk: '3', time: '60', payload: '/w==', sid: 'MZ1' }),
    )
    expect(message).toEqual({
      kind: 'media',
      streamId: 'MZ1',
      track: 'inbound',
      timestampMs: 60,
      payload: Buffer.of(0xff),
    })
  })

  it('for payloads with padding, without it, and with other characters', () => {
    const payload = fc
      .tuple(
        fc.uint8Array({ maxLength: 40 }),
        fc.constantFrom('', '=', '==', '==='),
        fc.nat(60),
        fc.constantFrom('', '', '-', '_', '=', ' ', '.'),
      )
      .map(([bytes, padding, at, odd]) => {
        const text = Buffer.from(bytes).toString('base64').replace(/=+$/, '') + padding
        return text.slice(0, at) + odd + text.slice(at)
      })
    const long = fc
      .constantFrom(159, 160, 161, 1_599, 1_600, 1_601, 9_000)
      .map(length => Buffer.alloc(length, 0xd5).toString('base64'))
    const message = fc
      .oneof({ weight: 20, arbitrary: payload }, long)
      .map(text =>
        write({ sequence: '4', track: 'inbound', chunk: '3', time: '60', payload: text, sid: 'MZ1' }),
      )
    fc.assert(fc.property(message, same), { numRuns: 2_000 })
  })

  it('for any field values', () => {
    fc.assert(fc.property(usual, same), { numRuns: 500 })
    fc.assert(fc.property(nearlyUsual, same), { numRuns: 2_000 })
  })

  it('with insertions, deletions and repetitions', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '',
        ...'{}[]:,"\\ \n\t0',
        '"media":{},',
        '"event":"stop",',
        '"streamSid":"MZ2",',
        ',"x":1',
        '"}}',
      ),
      fc.constantFrom('"timestamp":"5",', '"payload":"AAAA",', '\u2028', '\u00e9', '\ufeff', '__proto__'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    )
    const place = fc.oneof(fc.nat({ max: 700 }), fc.nat({ max: 20 }), fc.integer({ min: -60, max: -1 }))
    const edit = fc.record({ place, out: fc.integer({ min: 0, max: 3 }), piece })
    const edited = fc.tuple(usual, fc.array(edit, { minLength: 1, maxLength: 2 })).map(([whole, edits]) =>
      edits.reduce((text, { place, out, piece }) => {
        const at = Math.min(text.length, place < 0 ? text.length + 1 + place : place)
        return text.slice(0, at) + piece + text.slice(at + out)
      }, whole),
    )
    fc.assert(fc.property(edited, same), { numRuns: 4_000 })
  })

  it('with fields in any order, and some missing', () => {
    const shuffled = fc
      .tuple(digits, digits, digits, base64, sid)
      .chain(([sequenceNumber, chunk, timestamp, payload, streamSid]) => {
        const inner = Object.entries({ track: 'inbound', chunk, timestamp, payload })
        return fc.shuffledSubarray(inner).chain(fields => {
          const outer = { event: 'media', sequenceNumber, media: Object.fromEntries(fields), streamSid }
          return fc
            .shuffledSubarray(Object.entries(outer))
            .map(each => JSON.stringify(Object.fromEntries(each)))
        })
      })
    fc.assert(fc.property(shuffled, same), { numRuns: 500 })
  })

  it('in linear time', () => {
    const text = write({
      sequence: '1'.repeat(20_000),
      track: 'inbound',
      chunk: '1'.repeat(20_000),
      time: '1',
      payload: 'A'.repeat(20_000),
      sid: `${'a'.repeat(20_000)}!`,
    })
    const before = process.threadCpuUsage().user
    expect(parse(text)).toMatchObject({ kind: 'media', timestampMs: 1 })
    expect(process.threadCpuUsage().user - before).toBeLessThan(200_000)
  })
})

describe('a message to Twilio', () => {
  it('with audio has the bytes of its text', () => {
    const messages = twilioMedia.messages({
      ...{ kind: 'start', streamId: 'MZ1', callId: 'CA1', codec: 'mulaw', rate: 8_000, channels: 1 },
      parameters: {},
    })
    const audio = Buffer.from(Array.from({ length: 700 }, (_, at) => at & 0xff))
    for (const length of [0, 1, 2, 3, 160, 320, 640]) {
      const payload = audio.toString('base64', 0, length)
      expect(messages.media(audio, length).toString()).toBe(mediaStart('MZ1') + payload + MEDIA_END)
    }
  })

  it('has exactly the documented fields', () => {
    expect(JSON.parse(`${mediaStart('MZ1')}/w==${MEDIA_END}`)).toEqual({
      event: 'media',
      streamSid: 'MZ1',
      media: { payload: '/w==' },
    })
    expect(JSON.parse(markMessage('MZ1', 'g0:"u'))).toEqual({
      event: 'mark',
      streamSid: 'MZ1',
      mark: { name: 'g0:"u' },
    })
    expect(JSON.parse(clearMessage('MZ1'))).toEqual({ event: 'clear', streamSid: 'MZ1' })
  })
})
