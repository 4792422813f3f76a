import { expect, test } from 'vitest'
import {
  capitalized,
  edited,
  normalized,
  sentence,
  sentences,
} from '../../../src/service/engines/text-normalization.ts'

test.each([
  ["i think i'm late", "I think I'm late."],
  ['i’ll go and so will i', 'I’ll go and so will I.'],
  ['mister john met mrs jones and dr smith', 'Mr. john met Mrs. jones and Dr. smith.'],
  ['mister is a title', 'Mr. is a title.'],
  ['the dr is in', 'The Dr. is in.'],
  ['not mister', 'Not mister.'],
  ['see you on mondays in april or may', 'See you on Mondays in April or may.'],
  ['see you on monday in march', 'See you on Monday in march.'],
  ['  many \n blanks ', 'Many blanks.'],
  ['i.e. that', 'I.e. that.'],
  ['an i-beam, i said', 'An i-beam, I said.'],
  ['where is it?', 'Where is it?'],
  ['He said "yes."', 'He said "yes."'],
  ['', ''],
])('English %j becomes %j', (text, written) => {
  expect(normalized(text, 'en-us')).toBe(written)
})

test('other languages get only a capital and a period; correct text is unchanged', () => {
  expect(normalized('i figli di mister x', 'it-it')).toBe('I figli di mister x.')
  expect(normalized('¿dónde está?', 'es-es')).toBe('¿Dónde está?')
  expect(normalized('元気ですか。', 'ja-jp')).toBe('元気ですか。')
  const text = 'Mr. Smith is here. I saw him on Monday!'
  expect(normalized(text, 'en-gb')).toBe(text)
  expect(normalized(normalized('i met mr jones', 'en-us'), 'en-us')).toBe('I met Mr. jones.')
})

test('capitalizes the start of a sentence, also after an opening mark', () => {
  expect(capitalized('¡hola!')).toBe('¡Hola!')
  expect(capitalized('«sí»')).toBe('«Sí»')
  expect(capitalized('3 houses')).toBe('3 houses')
  expect(sentence('sí…')).toBe('Sí…')
})

test('splits a text into sentences; titles and numbers do not end one', () => {
  expect(sentences('Please wait. Mr. Smith is here! Is he? Yes')).toEqual([
    'Please wait.',
    'Mr. Smith is here!',
    'Is he?',
    'Yes',
  ])
  expect(sentences('It costs 1.5 euros. ok')).toEqual(['It costs 1.5 euros. ok'])
  expect(sentences('')).toEqual([])
})

test('each sentence of a text keeps its own "please"', () => {
  const [first, second] = sentences('Please hold the line. I will be back.').map(each =>
    edited(each, 'en', 'es'),
  )
  expect(first?.before).toBe('Hold the line.')
  expect(first?.after('Aguarde.')).toBe('Aguarde, por favor.')
  expect(second?.after('Volveré.')).toBe('Volveré.')
})
