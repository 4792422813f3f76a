import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ahead,
  HEADER_BYTES,
  isPacketLength,
  MOST_FRAMES,
  writeHeader,
} from '../../../src/bridges/browser/audio-packet.ts'
import { parse } from '../../../src/bridges/browser/protocol.ts'

const HELLO = { kind: 'hello', speaks: 'en-us', hears: 'en-us', alone: 'es-es' }
const TOKEN = 'abcdefghijklmnopqrstuvwx'

describe('a message of the page', () => {
  it('gets defaults for absent fields', () => {
    expect(parse(JSON.stringify(HELLO))).toEqual({ ...HELLO, voices: {}, original: 'duck', muted: false })
    expect(parse(JSON.stringify({ kind: 'change', voices: { 'es-es': 'es-f' }, name: null }))).toEqual({
      kind: 'change',
      voices: { 'es-es': 'es-f' },
      name: null,
    })
    expect(parse(`{"kind":"resume","call":"${TOKEN}","secret":"${TOKEN}"}`)).toMatchObject({ kind: 'resume' })
  })

  it('can come from a later version', () => {
    expect(parse('{"kind":"dance"}')).toEqual({ kind: 'unknown' })
    expect(parse('{"kind":"ping","at":1,"more":true}')).toEqual({ kind: 'ping', at: 1 })
  })

  it.each([
    ['{', 'json'],
    ['[]', 'shape'],
    ['null', 'shape'],
    ['{"kind":1}', 'shape'],
    ['{"kind":"hello"}', 'hello'],
    [JSON.stringify({ ...HELLO, speaks: 'English' }), 'hello'],
    [JSON.stringify({ ...HELLO, name: 'a\u0000b' }), 'hello'],
    [JSON.stringify({ ...HELLO, name: 'x'.repeat(41) }), 'hello'],
    [JSON.stringify({ ...HELLO, link: '../x' }), 'hello'],
    [JSON.stringify({ ...HELLO, code: '12a456' }), 'hello'],
    [JSON.stringify({ ...HELLO, voices: { 'es-es': '<b>' } }), 'hello'],
    ['{"kind":"change","voices":{"constructor":"x"}}', 'change'],
    ['{"kind":"mark","id":-1}', 'mark'],
    ['{"kind":"mark","id":1.5}', 'mark'],
    ['{"kind":"key","digit":"12"}', 'key'],
    ['{"kind":"resume","call":"short","secret":"short"}', 'resume'],
  ])('is rejected as invalid: %s', (text, fault) => expect(parse(text)).toEqual({ kind: 'invalid', fault }))
})

describe('an audio message', () => {
  it('holds one to ten whole frames', () => {
    expect(isPacketLength(HEADER_BYTES)).toBe(false)
    expect(isPacketLength(HEADER_BYTES + 640)).toBe(true)
    expect(isPacketLength(HEADER_BYTES + 640 * MOST_FRAMES)).toBe(true)
    expect(isPacketLength(HEADER_BYTES + 640 * (MOST_FRAMES + 1))).toBe(false)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8_000 }), bytes => {
        expect(isPacketLength(bytes)).toBe(bytes > 8 && (bytes - 8) % 640 === 0 && bytes <= 6_408)
      }),
      { seed: 7 },
    )
  })

  it('wraps its counters at 2^32', () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.integer({ min: -1_000_000, max: 1_000_000 }), (from, by) => {
        const view = new DataView(new ArrayBuffer(8))
        writeHeader(view, from + by, from + by)
        expect(ahead(view.getUint32(4, true), from)).toBe(by)
        expect(ahead(from + by, from)).toBe(by)
      }),
      { seed: 7 },
    )
  })
})
