import { expect, test } from 'vitest'
import { isLanguageId, languageId, sameLanguage } from '../../../src/common/language.ts'
import { routesOf } from '../../../src/core/room/routing.ts'

const party = (id: string, speaks?: string, hears?: string) => ({
  id,
  state: { interpreting: true, ...(speaks ? { speaks } : {}), ...(hears ? { hears } : {}) },
  echo: true,
})
const lines = (...parties: ReturnType<typeof party>[]) =>
  routesOf(parties).map(({ speaker, listener, to }) => `${speaker}>${listener}${to ? ` ${to}` : ''}`)

test('alone: their own translation, if any', () => {
  expect(lines(party('a', 'en-us', 'es-es'))).toEqual(['a>a es-es'])
  expect(lines(party('a', 'en-us', 'en-gb'))).toEqual([])
  expect(lines(party('a', 'en-us'))).toEqual([])
  expect(routesOf([{ ...party('a', 'en-us', 'es-es'), echo: false }])).toEqual([])
})

test('together: everyone else, each in their own language', () => {
  expect(
    lines(party('a', 'en-us', 'en-us'), party('b', 'es-es', 'es-es'), party('c', 'en-gb', 'en-gb')),
  ).toEqual(['a>b es-es', 'a>c', 'b>a en-us', 'b>c en-gb', 'c>a', 'c>b es-es'])
})

test('a listener without a language is silent; without a target language they hear originals', () => {
  expect(lines(party('a', 'en-us', 'en-us'), party('b', undefined, 'es-es'), party('c'))).toEqual([
    'a>b es-es',
    'a>c',
  ])
})

test('a participant who pauses interpreting hears originals, and others hear theirs', () => {
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

test('the voice that a listener chose comes first, then that of the speaker in the language', () => {
  const speaker = (id: string, voice: string) => ({
    ...party(id, 'es-es'),
    state: { interpreting: true, speaks: 'es-es', translatedVoices: { 'en-us': voice } },
  })
  const choosy = { ...party('d', undefined, 'en-us') }
  const routes = routesOf([
    speaker('a', 'amy'),
    speaker('b', 'bob'),
    party('c', undefined, 'en-us'),
    { ...choosy, state: { ...choosy.state, voice: 'zoe' } },
    party('e', undefined, 'fr-fr'),
    { ...party('f', undefined, 'en-us'), receives: 'captions' as const },
  ])
  const translated = routes.filter(({ to }) => to !== undefined)
  expect(translated.map(({ speaker, listener, voice }) => `${speaker}>${listener} ${voice}`).sort()).toEqual(
    [
      'a>c amy',
      'a>d zoe',
      'a>e undefined',
      'a>f amy',
      'b>c bob',
      'b>d zoe',
      'b>e undefined',
      'b>f bob',
    ].sort(),
  )
})

test('language ids', () => {
  expect(languageId('EN_us')).toBe('en-us')
  expect(isLanguageId('es-419')).toBe(true)
  expect(() => languageId('english')).toThrow('"english"')
  expect(sameLanguage('en-us', 'en-gb')).toBe(true)
  expect(sameLanguage('es-es', 'eo-001')).toBe(false)
})

test('in one place: translations only, never each other’s originals', () => {
  const inside = { sharedSpace: 'lounge' }
  const speaker = (id: string, speaks: string) => ({
    ...party(id, speaks),
    ...inside,
    receives: 'none' as const,
  })
  const ear = { ...party('ear', undefined, 'es-es'), ...inside }
  const phone = party('phone', 'en-gb', 'en-gb')
  expect(routesOf([speaker('ana', 'es-es'), speaker('bob', 'en-us'), ear, phone])).toEqual([
    { speaker: 'ana', listener: 'phone', to: 'en-gb' },
    { speaker: 'bob', listener: 'ear', to: 'es-es', together: true },
    { speaker: 'bob', listener: 'phone' },
    { speaker: 'phone', listener: 'ear', to: 'es-es' },
  ])
})

test('a reader gets translations, and a transcript of untranslated speech', () => {
  const reader = (hears: string) => ({
    ...party(`reads ${hears}`, undefined, hears),
    receives: 'captions' as const,
  })
  const bob = { ...party('bob', 'en-us'), receives: 'none' as const }
  expect(routesOf([bob, reader('en-gb')])).toEqual([
    { speaker: 'bob', listener: 'reads en-gb', to: 'en-us', reads: true },
  ])
  expect(routesOf([bob, reader('en-gb'), reader('en-us'), reader('es-es')])).toEqual([
    { speaker: 'bob', listener: 'reads es-es', to: 'es-es', reads: true },
  ])
  expect(routesOf([reader('es-es')])).toEqual([])
})
