import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bytesOfBase64,
  isCanonicalBase64,
  MessageReader,
} from '../../../../src/simulator/twilio/phone/server-message.ts'

const SID = 'MZ00112233445566778899aabbccddeeff'
const reader = new MessageReader(SID)
const payload = Buffer.alloc(160, 0x90).toString('base64')

function read(message: unknown): ReturnType<MessageReader['read']> {
  return reader.read(Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)), false)
}

const media = { event: 'media', streamSid: SID, media: { payload } }
const mark = { event: 'mark', streamSid: SID, mark: { name: 'u1' } }

test('reads the three messages', () => {
  expect(read(media)).toEqual({ kind: 'media', payload, bytes: 160 })
  expect(read({ media: { payload }, streamSid: SID, event: 'media' })).toEqual({
    kind: 'media',
    payload,
    bytes: 160,
  })
  expect(read(` ${JSON.stringify(media)}`)).toEqual({ kind: 'media', payload, bytes: 160 })
  expect(read(mark)).toEqual({ kind: 'mark', name: 'u1' })
  expect(read({ event: 'clear', streamSid: SID })).toEqual({ kind: 'clear' })
})

test('a binary frame is 31950', () => {
  expect(reader.read(Buffer.from(JSON.stringify(media)), true)).toMatchObject({ kind: 'wrong', code: 31950 })
})

describe('31951', () => {
  test.each<[string, unknown]>([
    ['no JSON', '{"event":"media",'],
    ['empty', ''],
    ['an array', []],
    ['null', 'null'],
    ['an unknown event', { event: 'play', streamSid: SID }],
    ['no event', { streamSid: SID }],
    ['another stream', { ...media, streamSid: `${SID.slice(0, -1)}0` }],
    ['no stream', { event: 'media', media: { payload } }],
    ['snake case', { event: 'media', stream_sid: SID, media: { payload } }],
    ['a field too many', { ...media, sequenceNumber: '1' }],
    ['a field too many in media', { ...media, media: { payload, track: 'outbound' } }],
    ['no payload', { ...media, media: {} }],
    ['no media', { event: 'media', streamSid: SID }],
    ['an empty payload', { ...media, media: { payload: '' } }],
    ['bytes as numbers', { ...media, media: { payload: [1, 2] } }],
    ['unpadded base64', { ...media, media: { payload: 'AAA' } }],
    ['base64 for URLs', { ...media, media: { payload: '__--' } }],
    ['stray bits in base64', { ...media, media: { payload: 'AB==' } }],
    ['base64 with a line break', { ...media, media: { payload: 'AAAA\nAAA' } }],
    ['a mark without a name', { ...mark, mark: {} }],
    ['a mark with a number', { ...mark, mark: { name: 1 } }],
    ['a mark of text', { ...mark, mark: 'u1' }],
    ['an empty mark', { ...mark, mark: { name: '' } }],
    ['a clear with more', { event: 'clear', streamSid: SID, clear: {} }],
    ['an inherited field', `{"event":"clear","streamSid":"${SID}","__proto__":{}}`],
  ])('%s', (_, message) => {
    expect(read(message)).toMatchObject({ kind: 'wrong', code: 31951 })
  })
})

test('never throws, for any input', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.boolean(), (bytes, isBinary) => {
      reader.read(bytes, isBinary)
    }),
  )
  fc.assert(fc.property(fc.json(), text => void read(text)))
  const part = fc.oneof(fc.constant(SID), fc.constant(payload), fc.constant('media'), fc.jsonValue())
  const odd = fc.record({ event: part, streamSid: part, media: fc.oneof(part, fc.record({ payload: part })) })
  fc.assert(
    fc.property(odd, message => void read(message)),
    { numRuns: 500 },
  )
})

test('the shortcut for the usual media message agrees with the general parser', () => {
  const text = fc.oneof(
    fc.base64String({ maxLength: 40 }),
    fc.string({ maxLength: 12, unit: fc.constantFrom(...'AQgw=/+"\\}{ é'.split('')) }),
  )
  fc.assert(
    fc.property(text, value => {
      const usual = `{"event":"media","streamSid":"${SID}","media":{"payload":"${value}"}}`
      expect(read(usual)).toEqual(read(`${usual} `))
    }),
    { numRuns: 2000 },
  )
})

test('canonical base64 is exactly the output of an encoder', () => {
  const text = fc.string({ maxLength: 9, unit: fc.constantFrom(...'ABQZgw09+/='.split('')) })
  fc.assert(
    fc.property(text, value => {
      expect(isCanonicalBase64(value)).toBe(Buffer.from(value, 'base64').toString('base64') === value)
    }),
    { numRuns: 5000 },
  )
  fc.assert(
    fc.property(fc.uint8Array(), bytes => {
      const text = Buffer.from(bytes).toString('base64')
      expect(isCanonicalBase64(text)).toBe(true)
      expect(bytesOfBase64(text)).toBe(bytes.length)
    }),
  )
})

test('reads minutes of audio in one message', () => {
  const long = Buffer.alloc(4_800_000, 0x55).toString('base64')
  expect(read({ ...media, media: { payload: long } })).toMatchObject({ kind: 'media', bytes: 4_800_000 })
})
