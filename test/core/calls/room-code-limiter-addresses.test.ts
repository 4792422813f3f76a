import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { RoomCodeLimiter } from '../../../src/core/calls/room-code-limiter.ts'
import { addressPrefix } from '../../../src/net/client-address.ts'
import { LogLines } from '../../support/log-lines.ts'

const MINUTE_MS = 60_000

function limit() {
  const clock = new FakeClock(1_000)
  const log = new LogLines()
  const guesses = new RoomCodeLimiter('address', clock, log)
  /** Guesses while the limit allows it, up to `times`. Returns the number of guesses. */
  const guess = (address: string, times: number) => {
    let wrong = 0
    for (let n = 0; n < times; n++) {
      const attempt = guesses.begin(addressPrefix(address))
      if (attempt) wrong++
      attempt?.wrong()
    }
    return wrong
  }
  return { clock, log, guesses, guess }
}

test('allows an address five wrong codes, then one every two minutes, and counts only wrong codes', () => {
  const { clock, guesses, guess } = limit()
  for (let n = 0; n < 100; n++) guesses.begin('203.0.113.9')?.right()
  expect(guess('203.0.113.9', 10)).toBe(5)
  expect(guesses.mayTry('203.0.113.10')).toBe(true)
  clock.advance(2 * MINUTE_MS)
  expect(guess('203.0.113.9', 10)).toBe(1)
})

test('limits a customer-sized network as a whole', () => {
  const { guess, guesses } = limit()
  let wrong = 0
  for (let n = 0; n < 500; n++) wrong += guess(`2001:db8:7:${n.toString(16)}::1`, 5)
  for (let n = 0; n < 200; n++) wrong += guess(`198.51.100.${n}`, 5)
  expect(wrong).toBe(30)
  expect(guesses.mayTry(addressPrefix('2001:db8:8::1'))).toBe(true)
})

test('still accepts other addresses while a few networks guess', () => {
  const { clock, guesses, guess, log } = limit()
  for (let n = 0; n < 10; n++) guess(`2001:db8:${n.toString(16)}::1`, 5)
  expect(guesses.wrongCodes).toBe(50)
  expect(log.complaints).toEqual([expect.stringContaining('room codes are being guessed by many')])
  expect(guesses.mayTry('203.0.113.9')).toBe(true)
  // From now on, each network has one attempt per ten minutes.
  let wrong = 0
  for (let n = 0; n < 100; n++) wrong += guess(`2001:db8:1${n.toString(16).padStart(3, '0')}::1`, 5)
  expect(wrong).toBe(100)
  expect(guesses.mayTry('203.0.113.9')).toBe(true)
  clock.advance(10 * MINUTE_MS - 1)
  expect(guess('2001:db8:1000::1', 5)).toBe(0)
  clock.advance(1)
  // No wrong codes for ten minutes.
  expect(guess('2001:db8:1000::1', 9)).toBe(5)
  // After more than an hour without guesses, the initial limits apply again.
  clock.advance(61 * MINUTE_MS)
  expect(guess('203.0.113.9', 9)).toBe(5)
})

test.each([9_999, 10_001])(
  'checks no more than 200 wrong codes at once and 200 an hour from %i networks',
  networks => {
    const { clock, guess } = limit()
    const from = (n: number) => `2001:${(n >> 8).toString(16)}:${(n & 255).toString(16)}::1`
    const round = () => {
      let checked = 0
      for (let n = 0; n < networks; n++) checked += guess(from(n), 1)
      return checked
    }
    expect(round()).toBeLessThanOrEqual(200)
    let checked = 0
    for (let minute = 0; minute < 60; minute += 10) {
      clock.advance(10 * MINUTE_MS)
      checked += round()
    }
    expect(checked).toBeLessThanOrEqual(200)
  },
)
