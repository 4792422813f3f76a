import { describe, expect, it } from 'vitest'
import { captionMessages } from '../../../../src/bridges/discord/captions/caption-format.ts'
import type { Turn } from '../../../../src/bridges/discord/captions/turns.ts'

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
  it('as plain text has the original and a line per language; text that can still change ends in an ellipsis', () => {
    expect(captionMessages(turn(), { style: 'plain' })).toEqual([
      { content: '**Ana:** Buenos días.\n`en` Good morning.\n`fr` Bonjour …' },
    ])
  })

  it('as an embed has the speaker as author, in the speaker’s color', () => {
    const [message] = captionMessages(turn(), { style: 'embed' })
    expect(message).toEqual({
      content: '',
      embed: {
        author: 'Ana',
        description: 'Buenos días.\n`en` Good morning.\n`fr` Bonjour …',
        color: expect.any(Number),
      },
    })
    const [other] = captionMessages(turn({ speaker: 'ben' }), { style: 'embed' })
    expect(other?.embed?.color).not.toBe(message?.embed?.color)
  })

  it('shows the requested languages, regardless of region', () => {
    expect(captionMessages(turn(), { style: 'plain', languages: ['en-gb', 'es-es'] })).toEqual([
      { content: '**Ana:** Buenos días.\n`en` Good morning.' },
    ])
  })

  it('shows regions if a language appears twice', () => {
    const translations = new Map([
      ['pt-br', { text: 'a', final: true }],
      ['pt-pt', { text: 'b', final: true }],
    ])
    expect(captionMessages(turn({ translations }), { style: 'plain' })).toEqual([
      { content: '**Ana:** Buenos días.\n`pt-br` a\n`pt-pt` b' },
    ])
  })

  it('is empty without text', () => {
    const empty = turn({ original: { text: '', final: false }, translations: new Map() })
    expect(captionMessages(empty, { style: 'plain' })).toEqual([])
    expect(captionMessages(empty, { style: 'embed' })).toEqual([])
  })

  it('shows a phone symbol for a speaker without a name', () => {
    expect(captionMessages(turn({ name: undefined }), { style: 'plain' })[0]?.content).toMatch(
      /^\*\*📞:\*\* /,
    )
    expect(captionMessages(turn({ name: undefined }), { style: 'embed' })[0]?.embed?.author).toBe('📞')
  })

  it.each([
    ['plain', 2_000],
    ['embed', 4_096],
  ] as const)('that is too long for one %s message is split', (style, most) => {
    const words = Array.from({ length: 1_500 }, (_, n) => `word${n}`)
    const original = { text: words.join(' '), final: true }
    const messages = captionMessages(turn({ original }), { style })
    const texts = messages.map(({ content, embed }) => embed?.description ?? content)
    expect(texts.every(text => text.length <= most)).toBe(true)
    for (const word of words) expect(texts.some(text => text.split(/\s/).includes(word))).toBe(true)
  })
})
