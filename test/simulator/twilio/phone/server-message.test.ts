import { expect, test } from 'vitest'
import { twilioReader } from '../../../../simulator/twilio/phone/server-message.ts'

const SID = 'MZ00112233445566778899aabbccddeeff'
const reader = twilioReader(SID)
const payload = Buffer.alloc(160, 0x90).toString('base64')
const media = { event: 'media', streamSid: SID, media: { payload } }
const mark = { event: 'mark', streamSid: SID, mark: { name: 'u1' } }

const read = (message: unknown, isBinary = false) =>
  reader.read(Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)), isBinary)

test('reads the three messages', () => {
  expect(read(media)).toEqual({ kind: 'media', payload, bytes: 160 })
  expect(read(mark)).toEqual({ kind: 'mark', name: 'u1' })
  expect(read({ event: 'clear', streamSid: SID })).toEqual({ kind: 'clear' })
})

test.each<[string, unknown]>([
  ['no JSON', '{"event":"media",'],
  ['null', 'null'],
  ['an unknown event', { event: 'play', streamSid: SID }],
  ['another stream', { ...media, streamSid: 'MZ0' }],
  ['no stream', { event: 'media', media: { payload } }],
  ['a field too many', { ...media, sequenceNumber: '1' }],
  ['a field too many in media', { ...media, media: { payload, track: 'outbound' } }],
  ['no payload', { ...media, media: {} }],
  ['an empty payload', { ...media, media: { payload: '' } }],
  ['base64 for URLs', { ...media, media: { payload: '__--' } }],
  ['stray bits in base64', { ...media, media: { payload: 'AB==' } }],
  ['a mark without a name', { ...mark, mark: {} }],
  ['a clear with more', { event: 'clear', streamSid: SID, clear: {} }],
])('rejects %s', (_, message) => expect(read(message)).toMatchObject({ kind: 'wrong', code: 31951 }))

test('rejects a binary frame', () => expect(read(media, true)).toMatchObject({ code: 31950 }))
