import { expect, test } from 'vitest'
import { GuessLimit } from '../../src/app/guess-limit.ts'
import { FakeClock } from '../../src/simulator/fake-clock.ts'

const MINUTE_MS = 60_000
const numbered = (n: number) => `+1500555${String(n).padStart(4, '0')}`

function limit() {
  const clock = new FakeClock(1_000)
  return { clock, guesses: new GuessLimit(clock) }
}

test('a caller may guess wrong five times, then once in two minutes, and only wrong ones count', () => {
  const { clock, guesses } = limit()
  for (let times = 0; times < 100; times++) expect(guesses.mayTry('+15005550006')).toBe(true)
  for (let times = 0; times < 5; times++) {
    expect(guesses.mayTry('+15005550006')).toBe(true)
    guesses.wrong('+15005550006')
  }
  expect(guesses.mayTry('+15005550006')).toBe(false)
  expect(guesses.mayTry('+15005550007')).toBe(true)
  clock.advance(2 * MINUTE_MS - 1)
  expect(guesses.mayTry('+15005550006')).toBe(false)
  clock.advance(1)
  expect(guesses.mayTry('+15005550006')).toBe(true)
})

test('those who withhold their number are one', () => {
  const { guesses } = limit()
  for (const from of ['anonymous', '', 'unknown', '+', 'Restricted']) guesses.wrong(from)
  expect(guesses.mayTry('private')).toBe(false)
  expect(guesses.mayTry('+15005550007')).toBe(true)
})

test('all together may guess wrong fifty times, then as often in an hour', () => {
  const { clock, guesses } = limit()
  for (let n = 0; n < 50; n++) guesses.wrong(numbered(n))
  expect(guesses.mayTry(numbered(60))).toBe(false)
  clock.advance(72_001)
  expect(guesses.mayTry(numbered(60))).toBe(true)
  guesses.wrong(numbered(60))
  expect(guesses.mayTry(numbered(61))).toBe(false)
})
