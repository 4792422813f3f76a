import { expect, test } from 'vitest'
import { languageTag, primaryLanguage, sameLanguage } from '../../src/common/language.ts'

test('the primary language of an identifier, a locale and a bare language', () => {
  expect(['en-us', 'es-419', 'pt-BR', 'yue-cn', 'de', ''].map(primaryLanguage)).toEqual([
    ...['en', 'es', 'pt', 'yue', 'de', ''],
  ])
})

test('a language is written as a BCP 47 tag', () => {
  expect(['en-us', 'es-419', 'de'].map(languageTag)).toEqual(['en-US', 'es-419', 'de'])
})

test('regions do not make languages different', () => {
  expect(sameLanguage('es-es', 'es-mx')).toBe(true)
  expect(sameLanguage('es', 'es-mx')).toBe(true)
  expect(sameLanguage('en-us', 'es-us')).toBe(false)
  expect(sameLanguage('en', 'es')).toBe(false)
})
