import { expect, test } from 'vitest'
import { hearableOf, heardOf, spokenOf } from '../../../src/pages/page/languages.ts'

const languages = [
  { id: 'en-us', heard: true, spoken: true, into: ['es-es', 'de-de'] },
  { id: 'es-es', heard: false, spoken: true, into: ['en-us'] },
  { id: 'de-de', heard: true, spoken: false, into: ['fr-fr'] },
  { id: 'fr-fr', heard: false, spoken: true, into: [] },
  { id: 'ca-es', heard: false, spoken: true, into: ['es-es'] },
]

test('a speaker is audible in their own language and in spoken translations of it', () => {
  expect(hearableOf({ languages }, 'en-us')).toEqual(['en-us', 'es-es'])
  expect(hearableOf({ languages }, 'de-de')).toEqual(['de-de', 'fr-fr'])
  expect(hearableOf({ languages }, 'xx-xx')).toEqual([])
})

test('without a speaker: all languages in which any recognised speaker can be heard', () => {
  expect(hearableOf({ languages })).toEqual(['en-us', 'es-es', 'de-de', 'fr-fr'])
})

test('offers common languages if the service is unavailable', () => {
  for (const offered of [hearableOf, heardOf, spokenOf]) expect(offered({ languages: [] })).toContain('en-us')
  expect(heardOf({ languages })).toEqual(['en-us', 'de-de'])
  expect(spokenOf({ languages })).toEqual(['en-us', 'es-es', 'fr-fr', 'ca-es'])
})
