import { expect, test } from 'vitest'
import type { ServiceErrorBody } from '../../../src/service/contract.ts'
import { fakeService } from '../../support/service/fake-service.ts'

test('rejects a connection above the limit; a released slot can be used again', async () => {
  const { connect, ready } = await fakeService({ maxSessions: 2 })
  const first = await ready('/sts')
  await ready('/stt')
  const third = connect('/stt')
  expect(await third.until<ServiceErrorBody>('connect_error')).toMatchObject({
    code: 'limit',
    error: 'too_many_sessions',
    description: expect.stringContaining('2'),
  })
  first.client.close()
  await expect.poll(() => first.stream.closed).toBe(true)
  await ready('/sts')
})

test('many clients at once: fills all slots and reports the reason to the others', async () => {
  const { connect, engines } = await fakeService({ maxSessions: 3 })
  const clients = Array.from({ length: 12 }, () => connect('/stt'))
  const outcomes = await Promise.all(
    clients.map(client =>
      Promise.race([
        client.until('start').then(() => 'start'),
        client.until<ServiceErrorBody>('connect_error').then(({ error }) => error),
        client.error().then(({ error }) => error),
      ]),
    ),
  )
  expect(outcomes.toSorted()).toEqual([...Array(3).fill('start'), ...Array(9).fill('too_many_sessions')])
  expect(engines.recognizer.streams).toHaveLength(3)
})

test('wrong parameters and wrong keys do not use a slot', async () => {
  const { connect, ready } = await fakeService({ maxSessions: 1 })
  for (let n = 0; n < 5; n++) {
    await connect('/sts', { languageIdTarget: 'zz' }).until('disconnect')
    await connect('/sts', {}, 'wrong').until('connect_error')
  }
  await ready('/sts')
})
