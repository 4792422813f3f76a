import { expect, test } from 'vitest'
import { figureSentences } from '../../../../bench/interpret/figure-sentences.ts'
import { lostFigures } from '../../../../src/service/engines/interpret/figures-guard.ts'
import { figuresIn } from '../../../../src/service/engines/interpret/number-words.ts'
import { KEPT, LOST } from './figure-pairs.ts'

test('of 300 sentences with figures, corrupted ones are marked and the others are not', () => {
  const sentences = figureSentences(300)
  const marked = sentences.map(
    ({ text, from, translation, to }) => lostFigures(text, from, translation, to).length > 0,
  )
  const wrong = sentences.filter(({ corrupted }, n) => corrupted !== marked[n])
  const missed = wrong.filter(({ corrupted }) => corrupted).length
  const alarms = wrong.length - missed
  expect(missed, JSON.stringify(wrong, undefined, 1)).toBeLessThanOrEqual(1)
  expect(alarms, JSON.stringify(wrong, undefined, 1)).toBeLessThanOrEqual(2)
})

test('figures in real sentences: times, dates, prices, telephone numbers, languages without number words', () => {
  const lost = ([languages, text, translation]: (typeof KEPT)[number]) => {
    const [from = '', to = ''] = languages.split('-')
    return lostFigures(text, `${from}-${from}`, translation, `${to}-${to}`).length > 0
  }
  expect(LOST.filter(each => !lost(each))).toEqual([])
  // Closing hours without a hint of the afternoon, a German word for three quarters, and a fortnight of fifteen days.
  expect(KEPT.filter(lost).map(([, text]) => text)).toEqual([
    'We open at 9 and close at 5.',
    'Three quarters of an hour.',
    'Hace quince días.',
  ])
})

test.each([
  ['en-us', 'It costs 1,200.50 dollars and 3.5 percent.', ['1200.5', '3.5']],
  ['de-de', 'Es kostet 1.200,50 Euro und 3,5 Prozent.', ['1200.5', '3.5']],
  ['en-us', 'two and three make five', ['2', '3', '5']],
  ['en-us', 'the fifty thousand two hundred and six boxes', ['50206']],
  ['en-us', '2.5 million people', ['2500000']],
  ['fr-fr', 'quatre-vingt-dix-neuf et vingt', ['99', '20']],
  ['es-es', 'treinta y cinco y dos', ['35', '2']],
  ['de-de', 'dreimal zweiundvierzig', ['3', '42']],
  ['it-it', 'ventotto e centouno', ['28', '101']],
  ['ja-jp', '午後 3:15 に 40 人', ['3:15', '40']],
])('%s: "%s"', (language, text, values) => {
  expect(figuresIn(text, language).map(({ value }) => value)).toEqual(values)
})

test.each([
  ['a telephone number as one or several numbers', 'call five five five oh, 12 34', 'llame al 555, 1234', []],
  ['afternoon hours', 'at 6:40 pm', 'a las 18:40', []],
  [
    'an article that is a number word elsewhere',
    'one of them has a house',
    'uno de ellos tiene una casa',
    [],
  ],
  [
    'a figure that became another one, as it was said',
    'we need 50,000 and twelve',
    'necesitamos 25.000 y doce',
    ['50,000'],
  ],
  ['a figure in words that is missing', 'seventy-one boxes', 'setenta cajas', ['seventy-one']],
])('%s', (_, text, translation, lost) => {
  expect(lostFigures(text, 'en-us', translation, 'es-es')).toEqual(lost)
})
