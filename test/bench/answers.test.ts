import { expect, test } from 'vitest'
import { nextAnswerMs, TALKATIVE } from '../../bench/legs/answers.ts'

const PACE = { everyMs: 100, inARow: 3, pauseMs: 200 }

/** All answers up to `untilMs` of audio. */
function answers(phaseMs: number, untilMs: number): number[] {
  const all: number[] = []
  for (let at = nextAnswerMs(0, phaseMs, PACE); at <= untilMs; at = nextAnswerMs(at, phaseMs, PACE))
    all.push(at)
  return all
}

test('answers at an interval, with a pause after each row', () => {
  expect(answers(0, 1_200)).toEqual([100, 200, 300, 600, 700, 800, 1_100, 1_200])
})

test.each([
  [50, [50, 150, 250, 550]],
  [300, [300, 400, 500, 800]],
  [460, [140, 240, 340, 640]],
  [5_050, [50, 150, 250, 550]],
])('starts a session %i ms into the rhythm', (phaseMs, expected) => {
  expect(answers(phaseMs, 900).slice(0, 4)).toEqual(expected)
})

test('leaves pauses longer than an echo can last', () => {
  const { everyMs, inARow, pauseMs } = TALKATIVE
  expect(nextAnswerMs(everyMs * inARow, 0, TALKATIVE)).toBe(everyMs * inARow + pauseMs + everyMs)
  expect(pauseMs).toBeGreaterThan(2_000)
})
