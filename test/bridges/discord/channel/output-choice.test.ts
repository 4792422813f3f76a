import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseOutput, type OutputNeeds } from '../../../../src/bridges/discord/channel/output-choice.ts'
import { sameLanguage } from '../../../../src/common/language.ts'

const choose = (languages: readonly string[], more: Partial<OutputNeeds> = {}) =>
  chooseOutput({
    languages,
    output: 'auto',
    voice: true,
    captions: true,
    fallback: 'en-us',
    now: [],
    ...more,
  })

describe('the spoken and captioned languages', () => {
  it('are both spoken if there are two', () => {
    expect(choose(['es-es', 'en-us', 'es-es'])).toEqual({
      spoken: ['es-es', 'en-us'],
      readers: [],
      written: ['es-es', 'en-us'],
    })
  })

  it('are a transcript, and a voice for notices, if there is one language', () => {
    expect(choose(['es-es', 'es-mx'])).toEqual({ spoken: ['es-es'], readers: ['es-es'], written: ['es-es'] })
    expect(choose([])).toEqual({ spoken: ['en-us'], readers: ['en-us'], written: ['en-us'] })
  })

  it('are the most common one by voice, and the others by captions', () => {
    expect(choose(['en-us', 'fr-fr', 'de-de', 'fr-ca'])).toEqual({
      spoken: ['fr-fr'],
      readers: ['en-us', 'de-de'],
      written: ['fr-fr', 'en-us', 'de-de'],
    })
  })

  it('stay unchanged in a tie, otherwise follow the guild', () => {
    expect(choose(['de-de', 'fr-fr', 'es-es'], { now: ['fr-fr'] }).spoken).toEqual(['fr-fr'])
    expect(choose(['de-de', 'fr-fr', 'es-es'], { fallback: 'es-mx' }).spoken).toEqual(['es-es'])
    expect(choose(['de-de', 'fr-fr', 'es-es']).spoken).toEqual(['de-de'])
  })

  it('can be set explicitly', () => {
    expect(choose(['en-us', 'en-us'], { output: ['es-es'] })).toEqual({
      spoken: ['es-es'],
      readers: ['en-us'],
      written: ['en-us', 'es-es'],
    })
    expect(choose(['en-us'], { output: ['en-us'] })).toEqual({
      spoken: ['en-us'],
      readers: ['en-us'],
      written: ['en-us'],
    })
    expect(choose(['en-us', 'fr-fr'], { output: ['es-es', 'fr-fr'] })).toEqual({
      spoken: ['es-es', 'fr-fr'],
      readers: ['en-us'],
      written: ['en-us', 'fr-fr', 'es-es'],
    })
  })

  it('can be captions alone or voice alone', () => {
    expect(choose(['en-us', 'fr-fr'], { voice: false })).toEqual({
      spoken: [],
      readers: ['en-us', 'fr-fr'],
      written: ['en-us', 'fr-fr'],
    })
    expect(choose(['en-us', 'fr-fr'], { captions: false })).toEqual({
      spoken: ['en-us', 'fr-fr'],
      readers: [],
      written: [],
    })
  })

  const language = fc.constantFrom('en-us', 'en-gb', 'es-es', 'es-mx', 'fr-fr', 'de-de')

  it('include captions for everyone, without duplicate languages', () => {
    fc.assert(
      fc.property(
        fc.array(language, { maxLength: 8 }),
        fc.oneof(fc.constant('auto' as const), fc.tuple(language)),
        fc.boolean(),
        fc.array(language, { maxLength: 2 }),
        (languages, output, voice, now) => {
          const choice = choose(languages, { output, voice, now })
          const made = [...choice.spoken, ...choice.readers]
          for (const each of languages) expect(made.some(to => sameLanguage(to, each))).toBe(true)
          expect(choice.spoken.length).toBeLessThanOrEqual(2)
          for (const list of [choice.spoken, choice.readers, choice.written])
            for (const [n, a] of list.entries()) expect(list.findIndex(b => sameLanguage(a, b))).toBe(n)
        },
      ),
      { seed: 7 },
    )
  })
})
