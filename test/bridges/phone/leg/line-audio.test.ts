import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../../../src/bridges/phone/leg/line-audio.ts'

describe('the bytes of a payload', () => {
  test('are those of its base64, with and without padding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), array => {
        const bytes = Buffer.from(array)
        const text = bytes.toString('base64')
        expect(Buffer.from(bytesOf(text)!)).toEqual(bytes)
        expect(Buffer.from(bytesOf(text.replace(/=+$/, ''))!)).toEqual(bytes)
      }),
    )
  })

  test.each(['A', 'AAAAA', '////*///', 'AA A', 'AA\nA', '\u0000AAA', 'é///', '===='])(
    'are none if it is not base64: %j',
    text => expect(bytesOf(text)).toBeUndefined(),
  )
})
