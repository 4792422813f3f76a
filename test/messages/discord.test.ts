import { Locale } from 'discord.js'
import { describe, expect, test } from 'vitest'
import { CATALOGS, catalogFor, UI_LANGUAGES } from '../../src/messages/catalogs.ts'
import { languageOfLocale } from '../../src/messages/locale.ts'
import { LANGUAGE_ROWS } from '../../src/service/engines/languages.ts'

type Path = readonly string[]

/** Every text with its path; functions are called with recognizable values. */
function texts(value: unknown, path: Path = []): [string, string][] {
  if (typeof value === 'string') return [[path.join('.'), value]]
  if (typeof value === 'function') {
    const values = ['⟨first⟩', '⟨second⟩'].slice(0, value.length)
    return [[path.join('.'), String(value(...values))]]
  }
  return Object.entries(value as object).flatMap(([name, below]) => texts(below, [...path, name]))
}

const english = new Map(texts(CATALOGS.en.discord))
const others = UI_LANGUAGES.filter(language => language !== 'en').map(
  language => [language, texts(CATALOGS[language].discord)] as const,
)

describe('the texts of each language', () => {
  test.each(others)('%s: are complete, with all values', (_language, list) => {
    expect(list.map(([path]) => path).sort()).toEqual([...english.keys()].sort())
    for (const [path, text] of list) {
      expect(text.trim(), path).not.toBe('')
      const values = (each: string) => [...each.matchAll(/⟨\w+⟩/g)].map(String).sort()
      expect(values(text), path).toEqual(values(english.get(path) ?? ''))
    }
  })

  test.each(others)('%s: mention commands and mark text as in English', (_language, list) => {
    for (const [path, text] of list) {
      const commands = (each: string) => [...each.matchAll(/`[^`]+`/g)].map(String).sort()
      expect(commands(text), path).toEqual(commands(english.get(path) ?? ''))
      expect(text.split('**').length, path).toBe(english.get(path)?.split('**').length)
    }
  })

  test.each(others)('%s: are not left in English', (_language, list) => {
    const same = list.filter(([path, text]) => text.length > 12 && text === english.get(path))
    expect(same).toEqual([])
  })

  test('fit where Discord shows them', () => {
    for (const language of UI_LANGUAGES) {
      for (const [path, text] of texts(CATALOGS[language].discord.replies.buttons))
        expect(text.length, `${language} ${path}`).toBeLessThanOrEqual(80)
      for (const [path, text] of texts(CATALOGS[language].discord.replies))
        expect(text.length, `${language} ${path}`).toBeLessThan(1_000)
      expect(CATALOGS[language].discord.commands.auto.length).toBeLessThanOrEqual(100)
    }
  })
})

test('users are answered in their language, with English as the default', () => {
  const locales = ['es-ES', 'es-419', 'fr', 'de', 'it', 'pt-BR', 'en-GB', 'ja', '']
  const expected = ['es', 'es', 'fr', 'de', 'it', 'pt', 'en', 'en', 'en'] as const
  expect(locales.map(catalogFor)).toEqual(expected.map(language => CATALOGS[language]))
})

test('a client’s locale maps to a language with a region', () => {
  const locales = [
    'en-US',
    'en-GB',
    'es-ES',
    'es-419',
    'de',
    'fr',
    'pt-BR',
    'ja',
    'zh-CN',
    'sv-SE',
    'uk',
    '!',
    '',
  ]
  // Every Discord locale with a language of the embedded service maps to one of its languages.
  const offered = LANGUAGE_ROWS.map(({ id }) => id)
  const others = Object.values(Locale).map(languageOfLocale)
  expect(others.filter(each => !offered.includes(each))).toEqual(['lt-lt'])
  expect(languageOfLocale('no')).toBe('nb-no')
  expect(locales.map(languageOfLocale)).toEqual([
    ...['en-us', 'en-gb', 'es-es', 'es-419', 'de-de', 'fr-fr', 'pt-br', 'ja-jp', 'zh-cn', 'sv-se', 'uk-ua'],
    ...['en-us', 'en-us'],
  ])
})
