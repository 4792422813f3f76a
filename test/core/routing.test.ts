import { expect, test } from 'vitest'
import { isLanguageId, languageId, sameLanguage } from '../../src/core/languages.ts'
import { routesOf } from '../../src/core/routing.ts'

const party = (id: string, speaks?: string, hears?: string) => ({
  id,
  state: { interpreting: true, ...(speaks ? { speaks } : {}), ...(hears ? { hears } : {}) },
  echo: true,
})
const lines = (...parties: ReturnType<typeof party>[]) =>
  routesOf(parties).map(({ speaker, listener, to }) => `${speaker}>${listener}${to ? ` ${to}` : ''}`)

test('alone: their own translation, if there is one', () => {
  expect(lines(party('a', 'en-us', 'es-es'))).toEqual(['a>a es-es'])
  expect(lines(party('a', 'en-us', 'en-gb'))).toEqual([])
  expect(lines(party('a', 'en-us'))).toEqual([])
  expect(routesOf([{ ...party('a', 'en-us', 'es-es'), echo: false }])).toEqual([])
})

test('together: everybody but oneself, each in the language they want', () => {
  expect(
    lines(party('a', 'en-us', 'en-us'), party('b', 'es-es', 'es-es'), party('c', 'en-gb', 'en-gb')),
  ).toEqual(['a>b es-es', 'a>c', 'b>a en-us', 'b>c en-gb', 'c>a', 'c>b es-es'])
})

test('who only listens is not heard; who wants no language hears originals', () => {
  expect(lines(party('a', 'en-us', 'en-us'), party('b', undefined, 'es-es'), party('c'))).toEqual([
    'a>b es-es',
    'a>c',
  ])
})

test('who pauses interpreting hears originals, and is heard as they speak', () => {
  const paused = {
    ...party('a', 'en-us', 'en-us'),
    state: { interpreting: false, speaks: 'en-us', hears: 'en-us' },
  }
  expect(lines(paused, party('b', 'es-es', 'es-es'), party('c', 'fr-fr', 'fr-fr'))).toEqual([
    'a>b',
    'a>c',
    'b>a',
    'b>c fr-fr',
    'c>a',
    'c>b es-es',
  ])
  expect(lines({ ...paused, state: { ...paused.state, hears: 'es-es' } })).toEqual([])
})

test('language ids', () => {
  expect(languageId('EN_us')).toBe('en-us')
  expect(isLanguageId('es-419')).toBe(true)
  expect(() => languageId('english')).toThrow('"english"')
  expect(sameLanguage('en-us', 'en-gb')).toBe(true)
  expect(sameLanguage('es-es', 'eo-001')).toBe(false)
})
