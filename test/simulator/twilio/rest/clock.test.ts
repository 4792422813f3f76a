import { expect, test } from 'vitest'
import { FakeClock } from '../../../../src/simulator/index.ts'
import { ANA, account, ORDER } from '../../../support/simulator/account-with-bridge.ts'

test('uses the injected clock: a call rings for a minute by default, and no longer', async () => {
  const clock = new FakeClock()
  const since = clock.now()
  const wallClock = () => Date.UTC(2026, 10, 21, 10, 0, 0) + clock.now() - since
  await using a = await account({ clock, wallClock, timeoutMarginMs: 5_000 })
  a.rest.subscriber(ANA, { behavior: 'no-answer' })
  const { sid } = await a.client.calls.create(ORDER)
  const status = async () => (await a.client.calls(sid).fetch()).status
  expect(await status()).toBe('queued')
  clock.advance(1_000)
  expect(await status()).toBe('ringing')
  clock.advance(60_000)
  expect(await status()).toBe('ringing')
  clock.advance(5_000)
  expect(await a.client.calls(sid).fetch()).toMatchObject({
    status: 'no-answer',
    dateCreated: new Date('2026-11-21T10:00:00Z'),
    endTime: new Date('2026-11-21T10:01:05Z'),
  })
  expect(clock.pending).toBe(0)
})
