import { describe, expect, test } from 'vitest'
import { type LineFormat, PHONE_LINE } from '../../../../src/bridges/phone/carrier.ts'
import { parametersOf } from '../../../../src/bridges/phone/json-media/message-fields.ts'
import { formatOf } from '../../../../src/bridges/phone/json-media/stream-format.ts'

const WIDE: LineFormat = { codec: 'l16', rate: 16_000 }
const BIG_ENDIAN: LineFormat = { codec: 'l16be', rate: 16_000 }

describe('the format of a stream', () => {
  test.each<[unknown, LineFormat]>([
    [{ encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 }, PHONE_LINE],
    [{ encoding: 'audio/x-mulaw', sampleRate: '8000', channels: '1' }, PHONE_LINE],
    [{ encoding: 'PCMU', sample_rate: '8000' }, PHONE_LINE],
    [{ encoding: 'pcmu@8000h' }, PHONE_LINE],
    [{ encoding: 'audio/PCMU;rate=8000', sampleRate: null, channels: '' }, PHONE_LINE],
    [{ encoding: 'ulaw' }, PHONE_LINE],
    [{}, PHONE_LINE],
    [undefined, PHONE_LINE],
    [null, WIDE],
    [{ encoding: 'audio/x-L16', sampleRate: 16000 }, WIDE],
    [{ encoding: 'L16' }, WIDE],
    [{ encoding: 'L16@16000h' }, WIDE],
    [{ encoding: 'audio/x-l16; rate=16000' }, WIDE],
    [{ encoding: 'L16', sampleRate: '16000' }, BIG_ENDIAN],
    ['slin16', WIDE],
    ['slin', { codec: 'l16', rate: 8_000 }],
  ])('%j is the requested one', (given, line) => {
    expect(formatOf(given, line)).toEqual({ ...line, channels: 1 })
  })

  test.each<[unknown, LineFormat, object]>([
    [{ encoding: 'PCMA' }, PHONE_LINE, { codec: 'alaw', rate: 8000 }],
    [{ encoding: 'L16', sampleRate: 8000 }, PHONE_LINE, { codec: 'l16' }],
    [{ encoding: 'PCMU', sampleRate: 8000 }, WIDE, { codec: 'mulaw', rate: 8000 }],
    [{ encoding: 'L16@24000h' }, WIDE, { rate: 24_000 }],
    ['slin', WIDE, { rate: 8_000 }],
    ['slin48', WIDE, { codec: 'slin48' }],
    [{ encoding: 'OPUS' }, WIDE, { codec: 'OPUS' }],
    [{ sampleRate: 'fast' }, WIDE, { rate: Number.NaN }],
    [{ channels: '2' }, WIDE, { channels: 2 }],
  ])('%j is another one', (given, line, different) => {
    expect(formatOf(given, line)).toMatchObject(different)
  })
})

describe('parameters', () => {
  test.each<[unknown]>([
    [{ token: 'a', n: 1, other: {} }],
    [[{ name: 'token', value: 'a' }, { name: 'n', value: 1 }, { name: 'other' }, 'x', null]],
    ['{"token":"a","n":1}'],
    ['[{"name":"token","value":"a"},{"name":"n","value":"1"}]'],
  ])('%j are read', given => expect({ ...parametersOf(given) }).toEqual({ token: 'a', n: '1' }))

  test.each([undefined, null, 'token=a', '"{}"', 1, [], [[]], [{ name: '__proto__', value: 'a' }]])(
    '%j has none',
    given => expect(parametersOf(given)).toEqual(Object.create(null)),
  )
})
