import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { CodeAttempts } from '../../../src/core/calls/code-attempts.ts'
import { RoomCodeLimiter } from '../../../src/core/calls/room-code-limiter.ts'

const MINUTE_MS = 60_000
const numbered = (n: number) => `+1500555${String(n).padStart(4, '0')}`

function limit() {
  const clock = new FakeClock(1_000)
  const guesses = new RoomCodeLimiter('caller', clock)
  const wrong = (caller: string) => guesses.begin(caller)?.wrong()
  return { clock, guesses, wrong }
}

test('allows a caller five wrong codes, then one every two minutes, and counts only wrong codes', () => {
  const { clock, guesses, wrong } = limit()
  for (let times = 0; times < 100; times++) guesses.begin('+15005550006')?.right()
  for (let times = 0; times < 5; times++) {
    expect(guesses.mayTry('+15005550006')).toBe(true)
    wrong('+15005550006')
  }
  expect(guesses.mayTry('+15005550006')).toBe(false)
  expect(guesses.mayTry('+15005550007')).toBe(true)
  clock.advance(2 * MINUTE_MS - 1)
  expect(guesses.mayTry('+15005550006')).toBe(false)
  clock.advance(1)
  expect(guesses.mayTry('+15005550006')).toBe(true)
})

test('counts all callers who withhold their number as one', () => {
  const { guesses, wrong } = limit()
  for (const from of ['anonymous', '', 'unknown', '+', 'Restricted']) wrong(from)
  expect(guesses.mayTry('private')).toBe(false)
  expect(guesses.mayTry('+15005550007')).toBe(true)
})

test('treats numbers that are too short as withheld', () => {
  const { guesses, wrong } = limit()
  for (const from of ['1234', '+999', '12 34 56', '0000', 'a1b2c3d4e5']) wrong(from)
  expect(guesses.mayTry('anonymous')).toBe(false)
  expect(guesses.mayTry('12345')).toBe(true)
})

test('counts attempts in parallel: looked up at the same time, no more codes are checked than one after another', async () => {
  const { guesses } = limit()
  let checked = 0
  const attempts = new CodeAttempts(async () => {
    checked++
    await Promise.resolve()
    return undefined
  }, guesses)
  const found = await Promise.all(
    Array.from({ length: 5_000 }, (_, n) => attempts.find(numbered(n % 1_000), '0')),
  )
  expect(checked).toBe(200)
  expect(found.filter(({ refused }) => refused)).toHaveLength(4_800)
})
