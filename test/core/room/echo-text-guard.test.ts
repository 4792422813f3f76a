import { describe, expect, test } from 'vitest'
import { EchoWords, isEchoText } from '../../../src/core/room/echo-text-guard.ts'

const MORNING = 'Good morning, everybody: shall we begin?'
const TRAIN = 'The train to Lyon leaves at four.'

/** Guard with words played at 0 and 3 s, and the amounts of audio heard since. */
function guard(heard: { own: number; echo: number }) {
  const words = new EchoWords()
  words.begun({ id: '1', text: MORNING }, 0)
  words.begun({ id: '2', text: TRAIN }, 3_000)
  const evidence = {
    since: (_at: number, into: { own: number; echo: number }) => void Object.assign(into, heard),
  }
  return (text: string, now = 6_000) => isEchoText(text, [words], evidence, now)
}

describe('with an echo but without own speech, detects a text', () => {
  const isEcho = guard({ own: 2, echo: 100 })
  test.each([
    ['equal to the played words', 'good morning everybody shall we begin'],
    ['with recognition errors', 'Good mourning every body, shall we begun'],
    ['that is half of an utterance', 'shall we begin'],
    ['of two joined utterances', 'good morning everybody shall we begin the train to lyon leaves at four'],
    ['of the end of one utterance and the start of the next', 'shall we begin the train to Lyon'],
  ])('%s', (_, text) => {
    expect(isEcho(text)).toBe(true)
  })

  test.each([
    ['with other words', 'I would like a coffee with milk please'],
    ['without words', ' … '],
    [
      'with some of the words in another sentence',
      'could you tell me whether the next bus goes to the station',
    ],
  ])('but not %s', (_, text) => {
    expect(isEcho(text)).toBe(false)
  })

  test('but not later than an echo can arrive', () => {
    expect(isEcho('the train to lyon leaves at four', 22_000)).toBe(true)
    expect(isEcho('the train to lyon leaves at four', 24_000)).toBe(false)
  })
})

test('keeps the words of a participant who repeats them, because their own speech is long enough', () => {
  const isEcho = guard({ own: 40, echo: 100 })
  expect(isEcho('leaves at four')).toBe(false)
  // A few frames of own speech are too short for a sentence.
  expect(isEcho('good morning everybody shall we begin the train to lyon leaves at four')).toBe(true)
})

test('without an echo, detects only text that cannot have been spoken', () => {
  expect(guard({ own: 1, echo: 0 })('good morning everybody shall we begin')).toBe(false)
  const isEcho = guard({ own: 0, echo: 0 })
  expect(isEcho('a good morning to all of you, shall we begin')).toBe(false)
  expect(isEcho('good morning everybody shall we')).toBe(true)
  // Short words can recur by chance.
  expect(isEcho('at four')).toBe(false)
})

test('keeps a bounded number of words', () => {
  const words = new EchoWords()
  for (let n = 0; n < 1_000; n++) words.begun({ id: String(n), text: 'x' }, n)
  expect(words.recent(1_000).length).toBeLessThanOrEqual(24)
  words.begun({ id: '999', text: 'again' }, 1_000)
  expect(words.recent(1_000).filter(({ words: { id } }) => id === '999')).toHaveLength(1)
})
