import { describe, expect, test } from 'vitest'
import { Mp3Trim, mp3TagAt, USUAL_DELAY } from '../../../src/transcode/mp3/gapless.ts'
import { mp3HeaderAt } from '../../../src/transcode/mp3/header.ts'
import { join } from '../../support/transcode/mp3-fixtures.ts'

const HEADER = Uint8Array.of(0xff, 0xfb, 0x90, 0x64)
const SIDE = new Uint8Array(32)
const text = (letters: string) => new TextEncoder().encode(letters)

function tagIn(...parts: Uint8Array[]) {
  const frame = new Uint8Array(417)
  frame.set(join(HEADER, ...parts))
  return mp3TagAt(frame, 0, mp3HeaderAt(frame, 0)!)
}

describe('mp3TagAt', () => {
  const index = new Uint8Array(100)
  // 576 samples before, 1234 after: 0x240 and 0x4d2 in twelve bits each.
  const lame = join(text('LAME3.100'), new Uint8Array(12), Uint8Array.of(0x24, 0x04, 0xd2))

  test('reads complete Xing and Info tags', () => {
    const full = join(Uint8Array.of(0, 0, 0, 15, 0, 0, 1, 2, 0, 0, 9, 9), index, new Uint8Array(4), lame)
    for (const name of ['Xing', 'Info'])
      expect(tagIn(SIDE, text(name), full)).toEqual({ frames: 258, delay: 576, padding: 1234 })
  })

  test('reads partial tags', () => {
    expect(tagIn(SIDE, text('Info'), new Uint8Array(4))).toEqual({
      frames: undefined,
      delay: undefined,
      padding: undefined,
    })
    expect(tagIn(SIDE, text('Info'), Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 5))).toEqual({
      frames: 5,
      delay: undefined,
      padding: undefined,
    })
    expect(tagIn(SIDE, text('Xing'), new Uint8Array(4), lame)).toEqual({
      frames: undefined,
      delay: 576,
      padding: 1234,
    })
  })

  test('reads VBRI', () => {
    const body = join(text('VBRI'), new Uint8Array(10), Uint8Array.of(0, 0, 2, 0))
    expect(tagIn(SIDE, body)).toEqual({ frames: 512, delay: undefined, padding: undefined })
  })

  test('ignores frames without a tag', () => {
    expect(tagIn(SIDE, text('Xinx'))).toBeUndefined()
    expect(tagIn(SIDE, text(' Xing'))).toBeUndefined()
  })
})

describe('Mp3Trim', () => {
  const whole = (trim: Mp3Trim, frames: number, samples: number) =>
    Array.from({ length: frames }, () => trim.cut(new Int16Array(samples)).length)

  test('cuts the usual delay if none is given', () => {
    const trim = new Mp3Trim()
    trim.start(undefined, 576)
    expect(USUAL_DELAY).toBe(1105)
    expect(whole(trim, 4, 576)).toEqual([0, 47, 576, 576])
  })

  test('trims both ends as the tag states, and plays frames after its end', () => {
    const trim = new Mp3Trim()
    trim.start({ frames: 4, delay: 576, padding: 529 + 600 }, 576)
    expect(whole(trim, 6, 576)).toEqual([0, 47, 552, 0, 576, 576])
  })

  test('accepts an inconsistent tag', () => {
    const trim = new Mp3Trim()
    trim.start({ frames: 1, delay: 4095, padding: 4095 }, 576)
    expect(whole(trim, 10, 576)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 560, 576])
  })
})
