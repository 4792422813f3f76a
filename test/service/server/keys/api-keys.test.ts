import { Manager } from 'socket.io-client'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { keyDigest } from '../../../../src/common/secrets.ts'
import type { ServiceError } from '../../../../src/service/server/errors.ts'
import { ApiKeys } from '../../../../src/service/server/keys/api-keys.ts'
import { newKey } from '../../../../src/service/server/keys/key-store.ts'
import { fakeService, KEY } from '../../../support/service/fake-service.ts'
import { THEN } from '../../../support/service/key-date.ts'

const LONG = 'a-configured-key-of-32-characters'

function keysWith(maxAttemptsPerMinute: number) {
  const clock = new FakeClock()
  const keys = new ApiKeys({ apiKeys: ['short', LONG], open: false, maxAttemptsPerMinute }, clock)
  const filed = newKey()
  keys.keep([{ name: 'filed', sha256: keyDigest(filed).toString('hex'), createdAt: THEN.toISOString() }])
  const ask = (key: unknown, address: string) => {
    try {
      return keys.holderOf(key, 'the test', address).name
    } catch (error) {
      return (error as ServiceError).specific
    }
  }
  return { clock, filed, ask, keys }
}

test('after too many wrong keys, stops checking short ones but accepts unguessable ones', () => {
  const { clock, filed, ask } = keysWith(5)
  for (let n = 0; n < 5; n++) expect(ask(`guess ${n}`, '192.0.2.1')).toBe('key_wrong')
  expect(ask('guess', '::ffff:192.0.2.1')).toBe('too_many_attempts')
  expect(ask('short', '192.0.2.1')).toBe('too_many_attempts')
  expect(ask(LONG, '192.0.2.1')).toBe('key 2')
  expect(ask(filed, '192.0.2.1')).toBe('filed')
  expect(ask('short', '192.0.2.2')).toBe('key 1')
  clock.advance(12_000)
  expect(ask('short', '192.0.2.1')).toBe('key 1')
})

test('a missing key counts like a wrong one', () => {
  const { ask } = keysWith(2)
  expect(ask('', '192.0.2.1')).toBe('key_missing')
  expect(ask(undefined, '192.0.2.1')).toBe('key_missing')
  expect(ask(undefined, '192.0.2.1')).toBe('too_many_attempts')
  expect(ask('short', '192.0.2.1')).toBe('too_many_attempts')
  expect(ask(LONG, '192.0.2.1')).toBe('key 2')
  expect(ask(undefined, '192.0.2.2')).toBe('key_missing')
})

test('valid keys do not count as attempts', () => {
  const { ask, filed } = keysWith(1)
  for (let n = 0; n < 20; n++) {
    expect(ask('short', '192.0.2.1')).toBe('key 1')
    expect(ask(filed, '192.0.2.1')).toBe('filed')
  }
})

test('on HTTP: 429 with the exact Retry-After; on a socket: connect_error', async () => {
  const clock = new FakeClock()
  const { get, connect } = await fakeService({ maxAttemptsPerMinute: 4 }, { clock })
  for (let n = 0; n < 2; n++) expect((await get('/api/languages', 'wrong')).status).toBe(401)
  for (let n = 0; n < 2; n++)
    expect(await connect('/stt', {}, 'wrong').until('connect_error')).toMatchObject({ error: 'key_wrong' })
  const limited = await get('/api/languages')
  expect(limited.status).toBe(429)
  expect(limited.headers.get('retry-after')).toBe('15')
  expect(await limited.json()).toMatchObject({ code: 'limit', error: 'too_many_attempts' })
  expect(await connect('/stt').until('connect_error')).toMatchObject({
    code: 'limit',
    error: 'too_many_attempts',
    description: expect.stringContaining('15 s'),
  })
  clock.advance(15_000)
  expect((await get('/api/languages')).status).toBe(200)
  await connect('/stt', {}, KEY).until('start')
})

test('limits guesses within one connection, across namespaces', async () => {
  const { url } = await fakeService({ maxAttemptsPerMinute: 3 })
  const manager = new Manager(url, { transports: ['websocket'], reconnection: false })
  const errors: unknown[] = []
  for (const namespace of ['/stt', '/sts', '/nothing', '/tts']) {
    const socket = manager.socket(namespace, { auth: { token: 'wrong' } })
    const refused = new Promise<Error & { data?: { error: string } }>(resolve => {
      socket.once('connect_error', resolve)
    })
    socket.connect()
    errors.push((await refused).data?.error)
  }
  manager._close()
  expect(errors).toEqual(['key_wrong', 'key_wrong', 'key_wrong', 'too_many_attempts'])
})

test('revokes a removed key, and keeps the sessions of the others', () => {
  const clock = new FakeClock()
  const keys = new ApiKeys({ apiKeys: [], open: false, maxAttemptsPerMinute: 5 }, clock)
  const [going, staying] = [newKey(), newKey()]
  const entry = (name: string, key: string) => ({
    name,
    sha256: keyDigest(key).toString('hex'),
    createdAt: THEN.toISOString(),
  })
  keys.keep([entry('going', going), entry('staying', staying)])
  const stays = keys.holderOf(staying, 'the test', '192.0.2.1')
  keys.keep([entry('staying', staying)])
  expect(keys.holderOf(staying, 'the test', '192.0.2.1')).toBe(stays)
  expect(() => keys.holderOf(going, 'the test', '192.0.2.1')).toThrow('the API key in the test is not valid')
  expect(() => keys.holderOf('', 'the test', '192.0.2.1')).toThrow('an API key is required in the test')
})

test('without keys, accepts every client, as one holder', () => {
  const keys = new ApiKeys({ apiKeys: ['short'], open: true, maxAttemptsPerMinute: 5 }, new FakeClock())
  expect(keys.holderOf(undefined, 'the test', undefined).name).toBe('open')
  expect(keys.holderOf('wrong', 'the test', undefined).name).toBe('open')
})

test('the figures of a key are its sessions, its audio and what remains of its limit', () => {
  const { keys } = keysWith(5)
  const shop = { name: 'shop', sha256: keyDigest(LONG).toString('hex'), createdAt: THEN.toISOString() }
  keys.keep([
    { ...shop, minutesPerDay: 1 },
    { ...shop, name: 'key 1', sha256: '0'.repeat(64) },
  ])
  const holder = keys.holderOf(LONG, 'the test', '192.0.2.1')
  using _session = holder.enter(() => {})
  holder.takeAudio(12_000)
  expect(() => holder.takeAudio(60_000)).toThrow('used up')
  expect(keys.figures).toEqual([
    { name: 'key 1', sessions: 0, audioSeconds: 0 },
    { name: 'key 2', sessions: 0, audioSeconds: 0 },
    { name: 'shop', sessions: 1, audioSeconds: 12, leftSeconds: 48 },
  ])
})
