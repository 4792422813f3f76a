import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clearMessage, MEDIA_END, markMessage, mediaStart, parse } from '../../../src/bridges/twilio/wire.ts'

const json = (value: unknown) => parse(JSON.stringify(value))

describe('what Twilio sends', () => {
  it('is read as its pages show it', () => {
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
      streamSid: 'MZ1',
      callSid: 'CA1',
      encoding: 'audio/x-mulaw',
      rate: 8000,
      channels: 1,
      parameters: { token: 't', n: '5' },
    })
    const media = { track: 'inbound', chunk: '1', timestamp: '73', payload: '/w==' }
    expect(json({ event: 'media', sequenceNumber: '2', media, streamSid: 'MZ1' })).toEqual({
      kind: 'media',
      streamSid: 'MZ1',
      track: 'inbound',
      timestampMs: 73,
      payload: '/w==',
    })
    expect(json({ event: 'dtmf', streamSid: 'MZ1', dtmf: { track: 'inbound_track', digit: '#' } })).toEqual({
      kind: 'dtmf',
      streamSid: 'MZ1',
      digit: '#',
    })
    expect(json({ event: 'mark', streamSid: 'MZ1', mark: { name: 'u17' } })).toEqual({
      kind: 'mark',
      streamSid: 'MZ1',
      name: 'u17',
    })
    expect(json({ event: 'stop', stop: {}, streamSid: 'MZ1' })).toEqual({ kind: 'stop', streamSid: 'MZ1' })
  })

  it('may have numbers where strings are usual, and the other way round', () => {
    expect(json({ event: 'media', media: { payload: '', timestamp: 20 } })).toMatchObject({ timestampMs: 20 })
    expect(json({ event: 'dtmf', dtmf: { digit: 5 } })).toMatchObject({ kind: 'dtmf', digit: '5' })
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: '8000', channels: '1' }
    expect(json({ event: 'start', start: { streamSid: 'MZ', callSid: 'CA', mediaFormat } })).toMatchObject({
      rate: 8000,
      channels: 1,
      streamSid: 'MZ',
    })
  })

  it.each(['', '-1', '1.5', '0x10', '1e3', ' 1', '9'.repeat(16), -1, 1.5, null, {}, true])(
    'has no time in %j',
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
  ])('is a bad %s: %s', (fault, text) => {
    expect(parse(text)).toEqual({ kind: 'invalid', fault })
  })

  it('may be of a kind to come', () => {
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

  it('is always one of the known kinds, and never a throw', () => {
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

/** The same message in a form that is not the usual one, and always was valid JSON or was not. */
const unusual = (text: string) => ` ${text}`

describe('media in the usual form is read as any other', () => {
  const digits = fc.oneof(
    fc.nat().map(String),
    fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 20 }),
    fc.constantFrom(
      '',
      '0',
      '007',
      '999999999999999',
      '1000000000000000',
      '-1',
      '1.5',
      '1e3',
      ' 1',
      '\u0661',
    ),
  )
  const letters = fc.string({ unit: 'grapheme-ascii', maxLength: 12 })
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 400 }).map(bytes => Buffer.from(bytes).toString('base64')),
    letters,
    fc.constantFrom(
      '\\u0041A==',
      '\\/w==',
      '\\n',
      '\n',
      '\u0000',
      '\u001f',
      '\u007f',
      'é',
      '\ud800',
      '"',
      '\\',
    ),
  )
  const sid = fc.oneof(
    fc.constantFrom('MZ0123456789abcdef0123456789abcdef', 'MZ-1_x', '', 'MZ\\u0030'),
    letters,
  )
  const track = fc.constantFrom('inbound', 'inbound', 'inbound', 'outbound', 'inbound_track')
  const message = fc
    .record({ sequence: digits, track, chunk: digits, timestamp: digits, payload, sid })
    .map(
      each =>
        `{"event":"media","sequenceNumber":"${each.sequence}","media":{"track":"${each.track}","chunk":"${each.chunk}","timestamp":"${each.timestamp}","payload":"${each.payload}"},"streamSid":"${each.sid}"}`,
    )

  it('whatever its fields hold', () => {
    fc.assert(
      fc.property(message, text => {
        expect(parse(text)).toStrictEqual(parse(unusual(text)))
      }),
      { numRuns: 2_000 },
    )
  })

  it('with anything put in, taken out or said twice', () => {
    const pieces = fc.oneof(
      fc.constantFrom(
        ...'{}[]:,"\\ \n\t',
        '"media":{},',
        '"event":"stop",',
        '"streamSid":"MZ2",',
        ',"x":1',
        '"}}',
      ),
      fc.constantFrom('"timestamp":"5",', '"payload":"AAAA",', '\u2028', '\u00e9', '\ufeff', '__proto__'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    )
    const edit = fc.record({ at: fc.nat(10_000), out: fc.integer({ min: 0, max: 8 }), piece: pieces })
    fc.assert(
      fc.property(message, fc.array(edit, { minLength: 1, maxLength: 3 }), (whole, edits) => {
        let text = whole
        for (const { at, out, piece } of edits) {
          const place = at % (text.length + 1)
          text = text.slice(0, place) + piece + text.slice(place + out)
        }
        expect(parse(text)).toStrictEqual(parse(unusual(text)))
      }),
      { numRuns: 4_000 },
    )
  })

  it('with its fields in any order', () => {
    const shuffled = fc
      .tuple(digits, digits, digits, payload, sid)
      .chain(([sequenceNumber, chunk, timestamp, sound, streamSid]) => {
        const inner = Object.entries({ track: 'inbound', chunk, timestamp, payload: sound })
        return fc.shuffledSubarray(inner).chain(fields => {
          const outer = { event: 'media', sequenceNumber, media: Object.fromEntries(fields), streamSid }
          return fc
            .shuffledSubarray(Object.entries(outer))
            .map(each => JSON.stringify(Object.fromEntries(each)))
        })
      })
    fc.assert(
      fc.property(shuffled, text => {
        expect(parse(text)).toStrictEqual(parse(unusual(text)))
      }),
    )
  })

  it('and in no time that grows faster than its length', () => {
    const text = `{"event":"media","sequenceNumber":"${'1'.repeat(20_000)}","media":{"track":"inbound","chunk":"${'1'.repeat(20_000)}","timestamp":"1","payload":"${'A'.repeat(20_000)}"},"streamSid":"${'a'.repeat(20_000)}!"}`
    const before = process.threadCpuUsage().user
    expect(parse(text)).toMatchObject({ kind: 'media', timestampMs: 1 })
    expect(process.threadCpuUsage().user - before).toBeLessThan(200_000)
  })
})

describe('what Twilio is sent', () => {
  it('has exactly the fields of its pages', () => {
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
