import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NOTICES } from '../../src/core/model/announcer.ts'
import { noticesFor, sentence } from '../../src/messages/notices.ts'

const LANGUAGES = ['en-us', 'es-es', 'fr-fr', 'de-de', 'it-it', 'pt-pt']

/** Placeholders of a text: all of them and the required ones. */
const places = (text: string) => ({
  all: [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
  needed: [...text.replace(/\[[^\]]*\]/g, '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
})

describe.each(LANGUAGES)('the texts of %s', language => {
  const words = noticesFor(language)!

  it.each(NOTICES)('use the same placeholders for %s as English', notice => {
    const english = places(noticesFor('en-us')!.notices[notice])
    const own = places(words.notices[notice])
    expect(new Set(own.all)).toEqual(new Set(english.all))
    expect(own.needed).toEqual(english.needed)
    expect(words.notices[notice]).not.toBe('')
  })

  it('are complete sentences without optional values', () => {
    for (const notice of NOTICES) {
      if (places(words.notices[notice]).needed.length > 0) continue
      const text = sentence(words, notice)
      if (notice !== 'options') expect(text).toMatch(/^\p{Lu}.*\.$/u)
      expect(text).not.toMatch(/[{}[\]]| {2}| [.,]/)
    }
  })
})

describe('a sentence', () => {
  const english = noticesFor('en-gb')!

  it('spells out keys and keeps numbers', () => {
    expect(sentence(english, 'options', { pause: '*1', options: '*0' })).toBe(
      'Press star one to pause or resume interpreting. Press star zero to hear this again.',
    )
    expect(sentence(english, 'choose-language', { key: '2' })).toBe('For English, press two.')
    expect(sentence(english, 'minutes-left', { minutes: '15' })).toBe('This call ends in 15 minutes.')
  })

  it('inserts any value verbatim', () => {
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

  it('does not exist in a language without texts', () => {
    expect(noticesFor('zz-zz')).toBeUndefined()
    expect(noticesFor('constructor-xx')).toBeUndefined()
  })
})
