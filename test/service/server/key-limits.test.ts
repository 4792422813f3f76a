import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'

const OTHER = { name: 'other', key: 'the-other-key' }
const second = Buffer.alloc(32_000)

test('limits the sessions of a key; an ended session frees a slot, other keys are not affected', async () => {
  const apiKeys = [{ name: 'one', key: KEY, sessions: 2 }, OTHER]
  const { connect, ready } = await fakeService({ apiKeys, maxSessions: 8 })
  const first = await ready('/stt')
  await ready('/sts')
  expect(await connect('/stt').until('connect_error')).toEqual({
    code: 'limit',
    error: 'key_sessions_taken',
    description: expect.stringContaining('all 2 sessions'),
  })
  await connect('/stt', {}, OTHER.key).until('start')
  first.client.close()
  await expect.poll(() => first.stream.closed).toBe(true)
  await ready('/stt')
})

test('many clients with one key at once: opens as many sessions as allowed', async () => {
  const { connect, engines } = await fakeService({
    apiKeys: [{ name: 'one', key: KEY, sessions: 2 }],
    maxSessions: 8,
  })
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () => connect('/stt')).map(client =>
      Promise.race([
        client.until('start').then(() => 'start'),
        client.until<{ error: string }>('connect_error').then(({ error }) => error),
        client.error().then(({ error }) => error),
      ]),
    ),
  )
  expect(outcomes.toSorted()).toEqual([...Array(6).fill('key_sessions_taken'), 'start', 'start'])
  expect(engines.recognizer.streams).toHaveLength(2)
})

test('quota used up during a session: rejects the fragment with a clear error and ends the session', async () => {
  const apiKeys = [{ name: 'one', key: KEY, minutesPerDay: 1 }, OTHER]
  const clock = new FakeClock()
  const { connect, ready } = await fakeService({ apiKeys, maxSessions: 8 }, { clock })
  const { client, stream } = await ready('/stt')
  const beside = await ready('/stt')
  const stranger = connect('/stt', {}, OTHER.key)
  await stranger.until('start')
  for (let n = 0; n < 40; n++) expect(await client.send(second)).toBe(true)
  for (let n = 0; n < 20; n++) expect(await beside.client.send(second)).toBe(true)
  client.socket.emit('write_stream', second)
  const body = await client.error()
  expect(body).toMatchObject({ code: 'limit', error: 'minutes_used_up' })
  expect(body.description).toMatch(/1 minutes of audio in 24 hours.*more in 14[45]\d minutes/)
  await client.until('disconnect')
  expect(stream.samples).toBe(40 * 16_000)
  expect(beside.client.names).not.toContain('error')
  expect(await stranger.send(second)).toBe(true)
  expect(await connect('/sts').until('connect_error')).toMatchObject({ error: 'minutes_used_up' })
  beside.client.close()
  clock.advance((24 * 60 + 15) * 60_000)
  await ready('/stt')
})

test('rejected audio does not count', async () => {
  const { ready } = await fakeService({ apiKeys: [{ name: 'one', key: KEY, minutesPerDay: 1 }] })
  const { client, stream } = await ready('/stt')
  stream.queuedMs = 1_000_000
  for (let n = 0; n < 70; n++) expect(await client.send(second)).toBe(false)
  stream.queuedMs = 0
  for (let n = 0; n < 60; n++) expect(await client.send(second)).toBe(true)
})
