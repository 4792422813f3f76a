import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import {
  joinedList,
  type LanguageCapabilities,
  LanguageList,
  languageChoices,
  languageMeant,
  languageName,
  nativeName,
} from '../../../../src/bridges/discord/commands/language-choices.ts'
import { CATALOGS } from '../../../../src/messages/catalogs.ts'
import { OFFERED } from '../../../support/discord/command-harness.ts'
import { LogLines } from '../../../support/log-lines.ts'

const MANY: LanguageCapabilities[] = [
  ...OFFERED,
  ...[
    'fr-fr',
    'fr-ca',
    'it-it',
    'pt-br',
    'pt-pt',
    'nl-nl',
    'sv-se',
    'pl-pl',
    'tr-tr',
    'ru-ru',
    'uk-ua',
    'cs-cz',
  ],
  ...[
    'el-gr',
    'hu-hu',
    'ro-ro',
    'fi-fi',
    'da-dk',
    'nb-no',
    'ja-jp',
    'ko-kr',
    'zh-cn',
    'zh-tw',
    'hi-in',
    'ar-eg',
  ],
].map(each => (typeof each === 'string' ? { id: each, heard: true, spoken: true } : each))

function offered(typed: string, locale = 'en-US', purpose: 'speak' | 'hear' = 'speak', list = MANY) {
  return languageChoices(typed, list, { locale, purpose, words: CATALOGS.en.discord.commands })
}
const ids = (...asked: Parameters<typeof offered>) => offered(...asked).map(({ value }) => value)

describe('languages are found', () => {
  test.each([
    ['by their English name', 'german', 'en-US', ['de-de']],
    ['by their own name', 'deutsch', 'en-US', ['de-de']],
    ['by their name in the language of the user', 'allemand', 'fr', ['de-de']],
    ['by their code with region', 'pt-br', 'en-US', ['pt-br']],
    ['without accents', 'francais', 'en-US', ['fr-fr', 'fr-ca']],
    ['in another script', '日本', 'en-US', ['ja-jp']],
    ['by name and region', 'spanish mex', 'en-US', ['es-mx']],
    ['by their region', 'brazil', 'en-US', ['pt-br']],
    ['in the middle of a word', 'rainian', 'en-US', ['uk-ua']],
    ['not at all', 'klingon', 'en-US', []],
  ] as const)('%s: %s', (_how, typed, locale, expected) => expect(ids(typed, locale)).toEqual(expected))

  test('with an exact match before all others', () => expect(ids('de')[0]).toBe('de-de'))

  test('with the user’s own language first, and at most as many as Discord shows', () => {
    expect(ids('', 'de').slice(0, 2)).toEqual(['de-de', 'ar-eg'])
    expect(ids('', 'es-ES').slice(0, 2)).toEqual(['es-es', 'es-mx'])
    expect(ids('', 'ja')).toHaveLength(25)
  })

  test('with unrecognized ones last and marked, and without voiceless ones', () => {
    const list = OFFERED.filter(({ id }) => id.endsWith('-es'))
    expect(ids('', 'en-US', 'speak', list)).toEqual(['ca-es', 'es-es', 'eu-es'])
    expect(offered('', 'en-US', 'speak', list).at(-1)?.name).toBe(
      'Basque (Spain) · euskara (Espainia) · listening and reading only',
    )
    expect(ids('', 'en-US', 'hear', list)).toEqual(['eu-es', 'es-es'])
  })

  test('for any input, in up to 100 characters', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom('en-US', 'ja', 'ar', 'de', 'hi', 'nonsense'),
        (typed, locale) => {
          const choices = offered(typed, locale)
          expect(choices.length).toBeLessThanOrEqual(25)
          for (const { name } of choices) expect(name.length).toBeLessThanOrEqual(100)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('the language that is meant', () => {
  const meant = (text: string, locale = 'en-US') => languageMeant(text, MANY, locale)?.id
  test.each([
    ['es-mx', 'es-mx'],
    ['ES_MX', 'es-mx'],
    ['German', 'de-de'],
    ['español', 'es-es'],
    ['pt', 'pt-br'],
    ['English', 'en-us'],
    // An unavailable code does not match another one.
    ['es-ar', undefined],
    ['span', undefined],
    ['', undefined],
  ])('%s: %s', (text, id) => expect(meant(text)).toBe(id))

  test('is the one of the user’s region if there are several', () => {
    expect([meant('English', 'en-GB'), meant('English', 'de'), meant('inglés', 'es-419')]).toEqual([
      ...['en-gb', 'en-us', 'en-us'],
    ])
  })
})

test('names are in the reader’s language', () => {
  expect(languageName('es-es', 'de')).toBe('Spanisch (Spanien)')
  expect(nativeName('es-es')).toBe('español (España)')
  expect(languageName('es-es', '!?')).toBe('es-es')
  expect(joinedList(['a', 'b'], 'es-ES')).toBe('a y b')
})

describe('the list', () => {
  function open() {
    const clock = new FakeClock()
    const log = new LogLines()
    const service = { asked: 0, answer: async (): Promise<readonly LanguageCapabilities[]> => OFFERED }
    const list = new LanguageList(
      () => {
        service.asked++
        return service.answer()
      },
      { clock, log },
    )
    return { clock, log, service, list }
  }

  test('is fetched once for concurrent requests, and refreshed in the background after a few minutes', async () => {
    const { clock, service, list } = open()
    expect(await Promise.all([list.get(100), list.get(100)])).toEqual([OFFERED, OFFERED])
    expect(await list.get(100)).toEqual(OFFERED)
    expect(service.asked).toBe(1)
    clock.advance(300_000)
    service.answer = async () => OFFERED.slice(0, 1)
    expect(await list.get(100)).toEqual(OFFERED)
    expect(await list.get(100)).toHaveLength(1)
    expect(service.asked).toBe(2)
  })

  test('stays in use while the service is unavailable, without a request per keystroke', async () => {
    const { clock, log, service, list } = open()
    await list.get(100)
    service.answer = async () => Promise.reject(new Error('away'))
    clock.advance(300_000)
    for (let keys = 0; keys < 5; keys++) expect(await list.get(100)).toEqual(OFFERED)
    expect(service.asked).toBe(2)
    expect(log.complaints).toHaveLength(1)
    clock.advance(15_000)
    expect(await list.get(100)).toEqual(OFFERED)
    expect(service.asked).toBe(3)
  })

  test('is undefined after the timeout if the service never answered', async () => {
    const { clock, service, list } = open()
    service.answer = () => new Promise(() => {})
    const got = list.get(2_000)
    clock.advance(2_000)
    expect(await got).toBeUndefined()
    const { list: other } = open()
    expect(await other.get(2_000)).toEqual(OFFERED)
  })

  test('is not replaced by an empty one', async () => {
    const { clock, service, list } = open()
    await list.get(100)
    service.answer = async () => []
    clock.advance(300_000)
    await list.get(100)
    expect(await list.get(100)).toEqual(OFFERED)
  })

  test('contains only valid languages, in our spelling', async () => {
    const { service, list } = open()
    service.answer = async () => [
      { id: 'en_US', heard: true, spoken: true },
      { id: 'Klingon', heard: true, spoken: true },
    ]
    expect(await list.get(100)).toEqual([{ id: 'en-us', heard: true, spoken: true }])
  })

  test('has the closest language for a guess', async () => {
    const { list } = open()
    expect(list.nearest('es-419')).toBe('es-419')
    await list.get(100)
    expect(['es-mx', 'es-419', 'eu-fr', 'ja-jp'].map(each => list.nearest(each))).toEqual([
      ...['es-mx', 'es-es', 'eu-es', 'ja-jp'],
    ])
  })
})
