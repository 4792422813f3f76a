import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escaped, split } from '../../../../src/bridges/discord/captions/caption-format.ts'

describe('escaped text', () => {
  it.each([
    ['**loud** _low_ ~~no~~ ||secret||', '\\*\\*loud\\*\\* \\_low\\_ \\~\\~no\\~\\~ \\|\\|secret\\|\\|'],
    ['@everyone and <@123>', '@\u200Beveryone and \\<@\u200B123\\>'],
    ['# big\n> quote', '\\# big \\> quote'],
    ['[x](http://y.com)', '\\[x\\](http:\u200B//y.com)'],
    ['`code` \\', '\\`code\\` \\\\'],
    ['a\u202Eb\u0000c', 'a b c'],
    ['می\u200Cخواهم 👩\u200D🚀', 'می\u200Cخواهم 👩\u200D🚀'],
    ['¿Qué? 12:30 (sí) 100 % – café', '¿Qué? 12:30 (sí) 100 % – café'],
  ])('of %s', (text, expected) => {
    expect(escaped(text)).toBe(expected)
  })

  it('is one line in which every special character has a backslash', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab*_~`|<>[]()#@:/\\ \n\u202E') }), text => {
        const shown = escaped(text)
        expect(shown).not.toMatch(/[\n\u202E]|@(?!\u200B)/)
        expect(shown.replace(/\\[\\*_~`|<>[\]#]/g, '')).not.toMatch(/[\\*_~`|<>[\]#]/)
      }),
      { seed: 8 },
    )
  })
})

describe('split text', () => {
  it('is cut between words into pieces that fit, without loss', () => {
    const text = Array.from({ length: 400 }, (_, n) => `word${n}`).join(' ')
    const pieces = split(text, 200)
    expect(pieces.every(piece => piece.length <= 200)).toBe(true)
    expect(pieces.join(' ')).toBe(text)
  })

  it('never ends in half a character or in a backslash without its character', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '\\*', '\\\\', '😀', ' ', '\n'), { maxLength: 200 }),
        fc.integer({ min: 10, max: 30 }),
        (parts, most) => {
          const pieces = split(parts.join(''), most)
          for (const piece of pieces) {
            expect(piece.length).toBeLessThanOrEqual(most)
            expect(piece.length).toBeGreaterThan(0)
            expect(piece.isWellFormed()).toBe(true)
            expect(piece.match(/\\*$/)![0].length % 2).toBe(0)
          }
          expect(pieces.join('').replace(/\s/g, '')).toBe(parts.join('').replace(/\s/g, ''))
        },
      ),
      { seed: 9, numRuns: 500 },
    )
  })
})
