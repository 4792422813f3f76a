import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonMedia } from '../../../../src/bridges/phone/json-media/json-media.ts'
import { plivoMedia } from '../../../../src/bridges/phone/plivo/wire.ts'
import { type MediaDialect, PHONE_LINE } from '../../../../src/bridges/phone/ports/media-dialect.ts'
import { telnyxMedia } from '../../../../src/bridges/phone/telnyx/wire.ts'

interface Fields {
  readonly number: string
  readonly track: string
  readonly chunk: string
  readonly time: string
  readonly payload: string
  readonly id: string
}

interface Dialect {
  readonly media: MediaDialect
  /** A media message as the carrier documents it. */
  write(fields: Fields): string
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  Twilio: {
    media: jsonMedia(PHONE_LINE),
    write: ({ number, track, chunk, time, payload, id }) =>
      `{"event":"media","sequenceNumber":"${number}","media":{"track":"${track}","chunk":"${chunk}","timestamp":"${time}","payload":"${payload}"},"streamSid":"${id}"}`,
  },
  SignalWire: {
    media: jsonMedia(PHONE_LINE),
    write: ({ number, track, chunk, time, payload }) =>
      `{"event":"media","sequenceNumber":"${number}","media":{"track":"${track}","chunk":"${chunk}","timestamp":"${time}","payload":"${payload}"}}`,
  },
  Telnyx: {
    media: telnyxMedia,
    write: ({ number, track, chunk, time, payload, id }) =>
      `{"event":"media","sequence_number":"${number}","media":{"track":"${track}","chunk":"${chunk}","timestamp":"${time}","payload":"${payload}"},"stream_id":"${id}"}`,
  },
  Plivo: {
    media: plivoMedia('mulaw-8k'),
    write: ({ number, track, chunk, time, payload, id }) =>
      `{"event":"media","sequenceNumber":${number},"streamId":"${id}","media":{"track":"${track}","timestamp":"${time}","chunk":${chunk},"payload":"${payload}"},"extra_headers":"token=${id};a=b"}`,
  },
}

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 15 })
const count = fc.nat().map(String)
const base64 = fc.uint8Array({ maxLength: 400 }).map(bytes => Buffer.from(bytes).toString('base64'))
const id = fc.constantFrom('MZ0123456789abcdef0123456789abcdef', 'd7d68f86-1f19', '')
const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 12 })
const usual = fc.record({
  ...{ number: count, chunk: count, time: digits, payload: base64, id },
  track: fc.constant('inbound'),
})

const mostly = (most: fc.Arbitrary<string>, ...odd: fc.Arbitrary<string>[]) =>
  fc.oneof({ weight: 8, arbitrary: most }, ...odd.map(arbitrary => ({ weight: 1, arbitrary })))
const oddDigits = fc.constantFrom(
  ...['', '00', '1000000000000000', '-1', '-0', '1.5', '1e3', ' 1', '\u0661', '\\u0031', 'null', '[1]'],
)
const oddPayload = fc.constantFrom(
  ...['\\u0041A==', '\\/w==', '\\n', '\n', '\u0000', '\u001f', '\u007f', 'é', '\ud800'],
)
const nearlyUsual = fc.record({
  number: mostly(count, oddDigits, ascii),
  track: mostly(fc.constant('inbound'), fc.constantFrom('outbound', 'out\\u0062ound', 'inbound_track', '')),
  chunk: mostly(count, oddDigits, ascii),
  time: mostly(digits, oddDigits, ascii),
  payload: mostly(base64, oddPayload, ascii),
  id: mostly(id, ascii, fc.constant('MZ\\u0030')),
})

/** Returns the bytes of base64; undefined for any other text. */
function decoded(text: string): Buffer | undefined {
  const { length } = text.replace(/={1,2}$/, '')
  const bytes = Buffer.from(text, 'base64')
  return length % 4 === 1 || bytes.length !== Math.floor((length * 3) / 4) ? undefined : bytes
}

/** The part of a message that a leg receives. */
function received(media: MediaDialect, bytes: Buffer) {
  const message = media.parse(Buffer.from(bytes), false)
  if (message.kind !== 'media') return message
  const { payload } = message
  return { ...message, payload: typeof payload === 'string' ? decoded(payload) : Buffer.from(payload) }
}

function isRead(media: MediaDialect, bytes: Buffer): boolean {
  const message = media.parse(bytes, false)
  return message.kind === 'media' && typeof message.payload !== 'string'
}

describe.each(Object.entries(DIALECTS))(
  'media messages of %s are read byte by byte',
  (_, { media, write }) => {
    /** With a name that contains an escape, it is the same message, but needs the complete parser. */
    function same(message: string | Buffer): void {
      const bytes = Buffer.from(message)
      const open = bytes.indexOf('{')
      if (!/^[\s{]*"/.test(bytes.toString('latin1')) || open < 0) {
        expect(isRead(media, bytes)).toBe(false)
        return
      }
      const parsed = Buffer.concat([
        bytes.subarray(0, open + 1),
        Buffer.from('"\\u0078":0,'),
        bytes.subarray(open + 1),
      ])
      expect(isRead(media, parsed)).toBe(false)
      expect(received(media, bytes)).toStrictEqual(received(media, parsed))
    }

    it('as documented, and with other white space', () => {
      fc.assert(fc.property(usual, fields => isRead(media, Buffer.from(write(fields)))))
      fc.assert(
        fc.property(usual, fc.constantFrom(' ', '  ', '\n', '\t', '\r\n  '), (fields, space) => {
          const spaced = JSON.stringify(JSON.parse(write(fields)), undefined, space)
          same(spaced)
          expect(isRead(media, Buffer.from(spaced))).toBe(true)
        }),
        { numRuns: 300 },
      )
    })

    it('with any values of fields', () => {
      fc.assert(
        fc.property(usual, fields => same(write(fields))),
        { numRuns: 300 },
      )
      fc.assert(
        fc.property(nearlyUsual, fields => same(write(fields))),
        { numRuns: 1_500 },
      )
    })

    it('with payloads with padding, without it, and with other characters', () => {
      const payload = fc
        .tuple(
          fc.uint8Array({ maxLength: 40 }),
          fc.constantFrom('', '=', '==', '==='),
          fc.nat(60),
          fc.constantFrom('', '', '-', '_', '=', ' ', '.', '"'),
        )
        .map(([bytes, padding, at, odd]) => {
          const text = Buffer.from(bytes).toString('base64').replace(/=+$/, '') + padding
          return text.slice(0, at) + odd + text.slice(at)
        })
      const long = fc
        .constantFrom(159, 160, 161, 640, 1_599, 1_600, 1_601, 9_000)
        .map(length => Buffer.alloc(length, 0xd5).toString('base64'))
      fc.assert(
        fc.property(usual, fc.oneof({ weight: 20, arbitrary: payload }, long), (fields, each) =>
          same(write({ ...fields, payload: each })),
        ),
        { numRuns: 1_000 },
      )
    })

    it('with insertions, deletions and repetitions', () => {
      const piece = fc.oneof(
        fc.constantFrom(
          ...[
            '',
            ...'{}[]:,"\\ \n\t0-',
            '"media":{},',
            '"event":"stop",',
            '"event":"media",',
            ',"x":1',
            '"}}',
          ],
          ...[
            '"streamSid":"MZ2",',
            '"stream_id":"MZ2",',
            '"streamId":7,',
            '"x":null,',
            '"x":{"payload":""},',
          ],
          ...['"timestamp":"5",', '"payload":"AAAA",', '"chunk":9,', '"track":"outbound",', '"track":1,'],
          ...['\u2028', '\u00e9', '\ufeff', '__proto__', '"__proto__":"x",', '"":"",', '\u007f'],
        ),
        fc.string({ unit: 'binary', maxLength: 3 }),
      )
      const place = fc.oneof(fc.nat({ max: 700 }), fc.nat({ max: 20 }), fc.integer({ min: -60, max: -1 }))
      const edit = fc.record({ place, out: fc.integer({ min: 0, max: 3 }), piece })
      fc.assert(
        fc.property(usual, fc.array(edit, { minLength: 1, maxLength: 2 }), (fields, edits) =>
          same(
            edits.reduce((text, { place: at, out, piece: put }) => {
              const start = Math.min(text.length, at < 0 ? Math.max(0, text.length + 1 + at) : at)
              return text.slice(0, start) + put + text.slice(start + out)
            }, write(fields)),
          ),
        ),
        { numRuns: 3_000 },
      )
    })

    it('with bytes that are not UTF-8, and cut at any byte', () => {
      fc.assert(
        fc.property(usual, fc.nat({ max: 700 }), fc.integer({ min: 0x80, max: 0xff }), (fields, at, byte) => {
          const bytes = Buffer.from(write(fields))
          same(bytes.subarray(0, Math.min(at, bytes.length)))
          bytes[Math.min(at, bytes.length - 1)] = byte
          same(bytes)
        }),
        { numRuns: 500 },
      )
    })

    it('with members in any order, repeated, missing, and of other types', () => {
      const other = fc.oneof(fc.jsonValue({ maxDepth: 1 }), digits, count.map(Number))
      const members = (object: object) =>
        fc
          .shuffledSubarray(Object.entries(object))
          .chain(known =>
            fc
              .array(fc.tuple(fc.constantFrom(...Object.keys(object), 'x'), other), { maxLength: 1 })
              .map(odd => [...known, ...odd]),
          )
      const text = (entries: (readonly [string, unknown])[], nested = '') =>
        `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${name === 'media' && nested !== '' && typeof value === 'object' ? nested : JSON.stringify(value)}`).join(',')}}`
      const shuffled = usual.chain(fields => {
        const outer = JSON.parse(write(fields))
        return fc
          .tuple(members(outer), members(outer.media))
          .map(([around, within]) => text(around, text(within)))
      })
      fc.assert(fc.property(shuffled, same), { numRuns: 1_000 })
    })

    it('in linear time', () => {
      const long = {
        ...{ number: '1'.repeat(20_000), chunk: '1'.repeat(20_000), time: '1', track: 'inbound' },
        ...{ payload: 'A'.repeat(20_000), id: `${'a'.repeat(20_000)}!` },
      }
      const before = process.threadCpuUsage().user
      expect(media.parse(Buffer.from(write(long)), false)).toMatchObject({ kind: 'media' })
      expect(process.threadCpuUsage().user - before).toBeLessThan(200_000)
    })
  },
)

it('a message is read without its time or number only where a carrier sends none', () => {
  const fields = { number: '4', track: 'inbound', chunk: '3', time: '60', payload: '/w==', id: 'MZ1' }
  const read = Object.values(DIALECTS).map(({ media, write }) => {
    const message = media.parse(Buffer.from(write(fields)), false)
    return message.kind === 'media' ? [message.streamId, message.timestampMs, message.sequence] : message
  })
  expect(read).toEqual([
    ['MZ1', 60, undefined],
    ['', 60, undefined],
    ['MZ1', 60, 3],
    ['MZ1', Number.NaN, undefined],
  ])
})
