import { expect, test } from 'vitest'
import type { OfferedLanguage } from '../../../../src/bridges/browser/service-catalog.ts'

// Imported by URL, because it uses browser types.
const { myLanguage, onlyLanguage, ownName, echoes } = (await import(
  new URL('../../../../src/bridges/browser/page/my-language.ts', import.meta.url).href
)) as {
  myLanguage(languages: readonly OfferedLanguage[], browser: readonly string[], rest: object): object
  onlyLanguage(people: readonly object[]): string | undefined
  ownName(language: string, offered?: readonly string[]): string
  echoes(languages: readonly OfferedLanguage[], mine: string): OfferedLanguage[]
}

const ids = ['en-us', 'en-gb', 'es-es', 'fi-fi', 'el-gr']
/** English and Spanish are understood, and Finnish is spoken; Greek is only listed. */
const LANGUAGES = ids.map(id => ({
  ...{ id, name: id, heard: /^e[ns]/.test(id), spoken: id !== 'el-gr' },
  into: ids.filter(each => each !== id),
}))

test.each([
  ['the browser’s language', ['es-ES', 'en-US'], {}, { speaks: 'es-es', hears: 'es-es' }],
  ['any region of it', ['es-MX'], {}, { speaks: 'es-es', hears: 'es-es' }],
  ['its own region first', ['en-GB', 'en-US'], {}, { speaks: 'en-gb', hears: 'en-gb' }],
  ['what the visitor chose before', ['es-ES'], { kept: 'en-gb' }, { speaks: 'en-gb', hears: 'en-gb' }],
  ['not a choice that is gone', ['es-ES'], { kept: 'de-de' }, { speaks: 'es-es', hears: 'es-es' }],
  [
    'the next that is understood, and says so',
    ['el-GR', 'es'],
    {},
    { speaks: 'es-es', hears: 'es-es', lacking: 'el-GR' },
  ],
  [
    'the first one to hear, if it is spoken',
    ['fi', 'es'],
    {},
    { speaks: 'es-es', hears: 'fi-fi', lacking: 'fi' },
  ],
  ['the server’s, if nothing fits', ['ja-JP'], {}, { speaks: 'en-us', hears: 'en-us', lacking: 'ja-JP' }],
  ['the server’s without any wish', [], {}, { speaks: 'en-us', hears: 'en-us' }],
])('a visitor speaks and hears %s', (_name, browser, rest, expected) => {
  expect(myLanguage(LANGUAGES, browser, { fallback: 'en-us', ...rest })).toEqual(expected)
})

test('a server that understands nothing has no language to offer', () => {
  const deaf = LANGUAGES.map(each => ({ ...each, heard: false }))
  expect(myLanguage(deaf, ['es-ES'], { fallback: 'en-us' })).toMatchObject({ speaks: '', lacking: 'es-ES' })
})

test('nothing is translated while everyone speaks and hears one language', () => {
  const english = { speaks: 'en-us', hears: 'en-gb' }
  expect(onlyLanguage([english, { speaks: 'en-us', hears: 'en-us' }])).toBe('en-us')
  expect(onlyLanguage([english, { hears: 'en-us' }])).toBe('en-us')
  expect(onlyLanguage([english, { speaks: 'en-us', hears: 'es-es' }])).toBeUndefined()
  expect(onlyLanguage([english, { speaks: 'es-es', hears: 'en-us' }])).toBeUndefined()
  expect(onlyLanguage([english, {}])).toBe('en-us')
  // Alone, there is nobody to translate for.
  expect(onlyLanguage([english])).toBeUndefined()
})

test('languages are called by their own names', () => {
  expect(['es-es', 'de-de', 'fi-fi', 'ja-jp'].map(id => ownName(id))).toEqual([
    'Español',
    'Deutsch',
    'Suomi',
    '日本語',
  ])
  expect(ownName('en-gb', ids)).toBe('English (UK)')
})

test('an echo is in another language', () => {
  expect(echoes(LANGUAGES, 'en-us').map(({ id }) => id)).toEqual(['es-es', 'fi-fi'])
})
