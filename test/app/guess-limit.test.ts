import { expect, test } from 'vitest'
import { GuessLimit } from '../../src/core/calls/room-code-limiter.ts'
import { FakeClock } from '../../src/simulator/fakes/fake-clock.ts'

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

test('of ten thousand callers who guessed wrong, the one whose guess is longest ago is forgotten for another', () => {
  const { clock, guesses } = limit()
  const five = (caller: string) => {
    for (let times = 0; times < 5; times++) guesses.wrong(caller)
  }
  const [often, once] = ['+17000000000', '+17000000001']
  five(often)
  five(once)
  for (let n = 2; n < 10_000; n++) guesses.wrong(`+1700${String(n).padStart(7, '0')}`)
  guesses.wrong(often)
  // All together may try one in 72 s, one caller one in 120 s.
  clock.advance(72_001)
  expect([guesses.mayTry(often), guesses.mayTry(once)]).toEqual([false, false])
  guesses.wrong('+17000010000')
  clock.advance(72_001)
  expect(guesses.mayTry(once)).toBe(true)
})

test('a number too short to be one is no number', () => {
  const { guesses } = limit()
  for (const from of ['1234', '+999', '12 34 56', '0000', 'a1b2c3d4e5']) guesses.wrong(from)
  expect(guesses.mayTry('anonymous')).toBe(false)
  expect(guesses.mayTry('12345')).toBe(true)
})
