import { describe, expect, it } from 'vitest'
import { captionMessages } from '../../../../src/bridges/discord/captions/caption-text.ts'
import type { Turn } from '../../../../src/bridges/discord/captions/turn.ts'

const turn = (more: Partial<Turn> = {}): Turn => ({
  id: 1,
  speaker: 'ana',
  name: 'Ana',
  from: 'es-es',
  original: { text: 'Buenos días.', final: true },
  translations: new Map([
    ['en-us', { text: 'Good morning.', final: true }],
    ['fr-fr', { text: 'Bonjour', final: false }],
  ]),
  final: false,
  ...more,
})

describe('a caption', () => {
  it('as plain text has the own words and a line for each language; what may change ends in an ellipsis', () => {
    expect(captionMessages(turn(), { style: 'plain' })).toEqual([
      { content: '**Ana:** Buenos días.\n`en` Good morning.\n`fr` Bonjour …' },
    ])
  })

  it('as an embed has the speaker as its author and their colour', () => {
    const [message] = captionMessages(turn(), { style: 'embed' })
    expect(message).toEqual({
      content: '',
      embed: {
        author: 'Ana',
        description: 'Buenos días.\n`en` Good morning.\n`fr` Bonjour …',
        colour: expect.any(Number),
      },
    })
    const [other] = captionMessages(turn({ speaker: 'ben' }), { style: 'embed' })
    expect(other?.embed?.colour).not.toBe(message?.embed?.colour)
  })

  it('shows the languages that are wanted, whatever their region', () => {
    expect(captionMessages(turn(), { style: 'plain', languages: ['en-gb', 'es-es'] })).toEqual([
      { content: '**Ana:** Buenos días.\n`en` Good morning.' },
    ])
  })

  it('tells regions apart where there are two', () => {
    const translations = new Map([
      ['pt-br', { text: 'a', final: true }],
      ['pt-pt', { text: 'b', final: true }],
    ])
    expect(captionMessages(turn({ translations }), { style: 'plain' })).toEqual([
      { content: '**Ana:** Buenos días.\n`pt-br` a\n`pt-pt` b' },
    ])
  })

  it('is nothing while there is nothing to read', () => {
    const empty = turn({ original: { text: '', final: false }, translations: new Map() })
    expect(captionMessages(empty, { style: 'plain' })).toEqual([])
    expect(captionMessages(empty, { style: 'embed' })).toEqual([])
  })

  it('is of a telephone where nobody has a name', () => {
    expect(captionMessages(turn({ name: undefined }), { style: 'plain' })[0]?.content).toMatch(
      /^\*\*📞:\*\* /,
    )
    expect(captionMessages(turn({ name: undefined }), { style: 'embed' })[0]?.embed?.author).toBe('📞')
  })

  it.each([
    ['plain', 2_000],
    ['embed', 4_096],
  ] as const)('that is too long for one %s message takes several', (style, most) => {
    const words = Array.from({ length: 1_500 }, (_, n) => `word${n}`)
    const original = { text: words.join(' '), final: true }
    const messages = captionMessages(turn({ original }), { style })
    const texts = messages.map(({ content, embed }) => embed?.description ?? content)
    expect(texts.every(text => text.length <= most)).toBe(true)
    for (const word of words) expect(texts.some(text => text.split(/\s/).includes(word))).toBe(true)
  })
})
