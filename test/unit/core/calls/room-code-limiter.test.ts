import { expect, test } from 'vitest'
import { RoomCodeLimiter } from '../../../../src/core/calls/room-code-limiter.ts'
import { FakeClock } from '../../../../src/simulator/fakes/fake-clock.ts'

const MINUTE_MS = 60_000
const numbered = (n: number) => `+1500555${String(n).padStart(4, '0')}`

function limit() {
  const clock = new FakeClock(1_000)
  return { clock, guesses: new RoomCodeLimiter(clock) }
}

test('allows a caller five wrong codes, then one every two minutes, and counts only wrong codes', () => {
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

test('counts all callers who withhold their number as one', () => {
  const { guesses } = limit()
  for (const from of ['anonymous', '', 'unknown', '+', 'Restricted']) guesses.wrong(from)
  expect(guesses.mayTry('private')).toBe(false)
  expect(guesses.mayTry('+15005550007')).toBe(true)
})

test('allows all callers together fifty wrong codes, then fifty per hour', () => {
  const { clock, guesses } = limit()
  for (let n = 0; n < 50; n++) guesses.wrong(numbered(n))
  expect(guesses.mayTry(numbered(60))).toBe(false)
  clock.advance(72_001)
  expect(guesses.mayTry(numbered(60))).toBe(true)
  guesses.wrong(numbered(60))
  expect(guesses.mayTry(numbered(61))).toBe(false)
})

test('forgets the caller with the oldest wrong code when ten thousand are tracked', () => {
  const { clock, guesses } = limit()
  const five = (caller: string) => {
    for (let times = 0; times < 5; times++) guesses.wrong(caller)
  }
  const [often, once] = ['+17000000000', '+17000000001']
  five(often)
  five(once)
  for (let n = 2; n < 10_000; n++) guesses.wrong(`+1700${String(n).padStart(7, '0')}`)
  guesses.wrong(often)
  // The shared limit allows one attempt per 72 s, the limit per caller one per 120 s.
  clock.advance(72_001)
  expect([guesses.mayTry(often), guesses.mayTry(once)]).toEqual([false, false])
  guesses.wrong('+17000010000')
  clock.advance(72_001)
  expect(guesses.mayTry(once)).toBe(true)
})

test('treats numbers that are too short as withheld', () => {
  const { guesses } = limit()
  for (const from of ['1234', '+999', '12 34 56', '0000', 'a1b2c3d4e5']) guesses.wrong(from)
  expect(guesses.mayTry('anonymous')).toBe(false)
  expect(guesses.mayTry('12345')).toBe(true)
})
