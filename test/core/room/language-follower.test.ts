import { describe, expect, test } from 'vitest'
import type { ParticipantState } from '../../../src/core/model/participant-state.ts'
import { type HeardUtterance, LanguageFollower } from '../../../src/core/room/language-follower.ts'

const ANNA: ParticipantState = {
  speaks: 'en-us',
  hears: 'en-us',
  original: 'duck',
  muted: false,
  interpreting: true,
}
const LANGUAGES = ['en-us', 'es-es', 'fr-fr']

/** Utterances of a second, one after the other, in these languages; returns the changes. */
function changesAfter(languages: readonly string[], lengthMs = 1_000, state = ANNA) {
  const follower = new LanguageFollower(LANGUAGES)
  return languages.map((language, n) => follower.heard(said(language, n, lengthMs), state))
}

const said = (language: string, n: number, lengthMs = 1_000): HeardUtterance => ({
  language,
  fromMs: n * 20_000,
  toMs: n * 20_000 + lengthMs,
})

describe('the language of a speaker follows', () => {
  test('two utterances in a row', () => {
    expect(changesAfter(['es-es', 'es-es'])).toEqual([undefined, { speaks: 'es-es', hears: 'es-es' }])
  })

  test('four seconds of speech', () => {
    expect(changesAfter(['fr-fr'], 4_000)).toEqual([{ speaks: 'fr-fr', hears: 'fr-fr' }])
  })

  test('any region of a language, to the one of the list', () => {
    expect(changesAfter(['es-mx', 'es-419'])[1]).toEqual({ speaks: 'es-es', hears: 'es-es' })
  })

  test('only what the speaker speaks, if they hear another language', () => {
    expect(changesAfter(['es-es', 'es-es'], 1_000, { ...ANNA, hears: 'fr-fr' })[1]).toEqual({
      speaks: 'es-es',
    })
  })
})

describe('the language of a speaker does not follow', () => {
  test.each([
    ['a single utterance', ['es-es', 'en-us', 'es-es', 'en-gb', 'es-es']],
    ['utterances in turn', ['es-es', 'fr-fr', 'es-es', 'fr-fr']],
    ['a language that is not in the list', ['de-de', 'de-de', 'de-de']],
    ['the language that the speaker has already', ['en-us', 'en-gb', 'en-us']],
  ])('%s', (_case, languages) => {
    expect(changesAfter(languages)).toEqual(languages.map(() => undefined))
  })

  test('one utterance that several interpretations report', () => {
    const follower = new LanguageFollower(LANGUAGES)
    expect([1, 2, 3].map(() => follower.heard(said('es-es', 1), ANNA))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('a listener without their own language', () => {
    const { speaks: _, ...listener } = ANNA
    expect(changesAfter(['es-es', 'es-es', 'es-es'], 1_000, listener)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})
