import { describe, expect, test } from 'vitest'
import { EchoWords, isEchoText } from '../../../src/core/echo-text-guard.ts'

const MORNING = 'Good morning, everybody: shall we begin?'
const TRAIN = 'The train to Lyon leaves at four.'

/** What was played at 0 and 3 s, and what was heard of the party since. */
function guard(heard: { own: number; echo: number }) {
  const words = new EchoWords()
  words.begun({ id: '1', text: MORNING }, 0)
  words.begun({ id: '2', text: TRAIN }, 3_000)
  const evidence = {
    since: (_at: number, into: { own: number; echo: number }) => void Object.assign(into, heard),
  }
  return (text: string, now = 6_000) => isEchoText(text, [words], evidence, now)
}

describe('where an echo was picked up and the party not heard, a text is an echo', () => {
  const isEcho = guard({ own: 2, echo: 100 })
  test.each([
    ['that is what was played', 'good morning everybody shall we begin'],
    ['with errors of the recogniser', 'Good mourning every body, shall we begun'],
    ['that is a half of it', 'shall we begin'],
    ['that is two of them joined', 'good morning everybody shall we begin the train to lyon leaves at four'],
    ['that is the end of one and the beginning of the next', 'shall we begin the train to Lyon'],
  ])('%s', (_, text) => {
    expect(isEcho(text)).toBe(true)
  })

  test.each([
    ['of other words', 'I would like a coffee with milk please'],
    ['of nothing', ' … '],
    [
      'of some of the words in another sentence',
      'could you tell me whether the next bus goes to the station',
    ],
  ])('but not one %s', (_, text) => {
    expect(isEcho(text)).toBe(false)
  })

  test('and not after it must have come back', () => {
    expect(isEcho('the train to lyon leaves at four', 22_000)).toBe(true)
    expect(isEcho('the train to lyon leaves at four', 24_000)).toBe(false)
  })
})

test('who repeats what they heard is kept: they were heard for long enough to have said it', () => {
  const isEcho = guard({ own: 40, echo: 100 })
  expect(isEcho('leaves at four')).toBe(false)
  // A few frames of theirs do not make a sentence.
  expect(isEcho('good morning everybody shall we begin the train to lyon leaves at four')).toBe(true)
})

test('without an echo only what nobody can have said is one', () => {
  expect(guard({ own: 1, echo: 0 })('good morning everybody shall we begin')).toBe(false)
  const isEcho = guard({ own: 0, echo: 0 })
  expect(isEcho('a good morning to all of you, shall we begin')).toBe(false)
  expect(isEcho('good morning everybody shall we')).toBe(true)
  // Short words come again by themselves.
  expect(isEcho('at four')).toBe(false)
})

test('remembers no more than it must', () => {
  const words = new EchoWords()
  for (let n = 0; n < 1_000; n++) words.begun({ id: String(n), text: 'x' }, n)
  expect(words.recent(1_000).length).toBeLessThanOrEqual(24)
  words.begun({ id: '999', text: 'again' }, 1_000)
  expect(words.recent(1_000).filter(({ words: { id } }) => id === '999')).toHaveLength(1)
})
