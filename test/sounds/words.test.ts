import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NOTICES } from '../../src/core/model/announcer.ts'
import { sentence, wordsOf } from '../../src/messages/notices/notices.ts'

const LANGUAGES = ['en-us', 'es-es', 'fr-fr', 'de-de', 'it-it', 'pt-pt']

/** The places of a text and whether each may be missing. */
const places = (text: string) => ({
  all: [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
  needed: [...text.replace(/\[[^\]]*\]/g, '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
})

describe.each(LANGUAGES)('the words of %s', language => {
  const words = wordsOf(language)!

  it.each(NOTICES)('say %s with the same values as in English', notice => {
    const english = places(wordsOf('en-us')!.notices[notice])
    const own = places(words.notices[notice])
    expect(new Set(own.all)).toEqual(new Set(english.all))
    expect(own.needed).toEqual(english.needed)
    expect(words.notices[notice]).not.toBe('')
  })

  it('are complete sentences whatever is missing', () => {
    for (const notice of NOTICES) {
      if (places(words.notices[notice]).needed.length > 0) continue
      const text = sentence(words, notice)
      if (notice !== 'options') expect(text).toMatch(/^\p{Lu}.*\.$/u)
      expect(text).not.toMatch(/[{}[\]]| {2}| [.,]/)
    }
  })

  it('name every key', () => {
    expect(Object.keys(words.keys).sort()).toEqual([...'#*0123456789'].sort())
  })
})

describe('a sentence', () => {
  const english = wordsOf('en-gb')!

  it('spells keys out and leaves numbers as they are', () => {
    expect(sentence(english, 'options', { pause: '*1', options: '*0' })).toBe(
      'Press star one to pause or resume interpreting. Press star zero to hear this again.',
    )
    expect(sentence(english, 'choose-language', { key: '2' })).toBe('For English, press two.')
    expect(sentence(english, 'minutes-left', { minutes: '15' })).toBe('This call ends in 15 minutes.')
  })

  it('takes any value as it is', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), name => {
        const text = sentence(english, 'incoming', { name })
        expect(text.startsWith('You have a call')).toBe(true)
        if (name.trim() !== '' && !/^[0-9*#]+$/.test(name))
          expect(text).toContain(name.replace(/\s+/g, ' ').trim())
      }),
      { seed: 4 },
    )
  })

  it('is missing in a language without words', () => {
    expect(wordsOf('zz-zz')).toBeUndefined()
    expect(wordsOf('constructor-xx')).toBeUndefined()
  })
})
