import { describe, expect, test } from 'vitest'
import type { Entry } from '../../../../src/web/captions/page/caption-store.ts'
import { shownLines, type Wish } from '../../../../src/web/captions/page/caption-store.ts'

const entry = (more: Partial<Entry> = {}): Entry => ({
  utterance: '1',
  key: '0 1',
  life: 0,
  speaker: 'anna',
  from: 'en-us',
  to: 'es-es',
  final: true,
  text: 'good morning',
  translation: 'buenos días',
  startMs: 0,
  endMs: 0,
  ...more,
})

const show = (wish: Partial<Wish>, more: Partial<Entry> = {}, leads = true) =>
  shownLines(entry(more), leads, { show: 'both', language: '', ...wish }).map(({ text }) => text)

describe('the lines of a caption', () => {
  test.each([
    ['both', '', ['good morning', 'buenos días']],
    ['translation', '', ['buenos días']],
    ['original', '', ['good morning']],
    ['both', 'es-es', ['good morning', 'buenos días']],
    ['translation', 'es-es', ['buenos días']],
    ['original', 'es-es', ['good morning']],
    // Readers of the speaker’s language.
    ['both', 'en-us', ['good morning']],
    ['translation', 'en-us', ['good morning']],
    ['original', 'en-us', ['good morning']],
    ['both', 'de-de', []],
    ['translation', 'de-de', []],
  ] as const)('%s, %j', (kind, language, texts) => {
    expect(show({ show: kind, language })).toEqual(texts)
  })

  test('include the original once if a speaker is translated into several languages', () => {
    expect(show({}, {}, false)).toEqual(['buenos días'])
    expect(show({ show: 'original' }, {}, false)).toEqual([])
    expect(show({ language: 'en-us' }, {}, false)).toEqual([])
    expect(show({ language: 'es-es' }, {}, false)).toEqual(['good morning', 'buenos días'])
  })

  test('indicate speech while there is no translation yet', () => {
    const growing = { final: false, translation: '' }
    expect(show({}, growing)).toEqual(['good morning'])
    expect(show({ show: 'translation' }, growing)).toEqual(['…'])
  })

  test('are the original if there is no translation at all', () => {
    expect(show({ show: 'translation' }, { translation: '' })).toEqual(['good morning'])
    expect(show({ show: 'translation', language: 'es-es' }, { translation: '' })).toEqual(['good morning'])
  })

  test('are one line if both texts are the same', () => {
    expect(show({}, { translation: 'good morning' })).toEqual(['good morning'])
    expect(show({}, { to: 'en-us' })).toEqual(['buenos días'])
  })
})
