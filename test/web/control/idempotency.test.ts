import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { type Answered, Idempotency } from '../../../src/web/control/idempotency.ts'
import { controlled, OTHER_KEY } from '../../support/web/control-harness.ts'

const DAY_MS = 24 * 3_600_000
const TO = { to: '+15551230001' }
const once = (key: string) => ({ 'idempotency-key': key })

describe('over HTTP', () => {
  test('a repeated request gets the same response and places no second call', async () => {
    const { ask, dialer } = await controlled()
    await ask('POST', '/rooms', { name: 'desk' })
    const first = await ask('POST', '/rooms/desk/calls', TO, once('a'))
    const again = await ask('POST', '/rooms/desk/calls', TO, once('a'))
    expect([again.status, again.body]).toEqual([202, first.body])
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(dialer.calls).toHaveLength(1)
    await ask('POST', '/rooms/desk/calls', TO, once('b'))
    await ask('POST', '/rooms/desk/calls', TO)
    expect(dialer.calls).toHaveLength(3)
  })

  test('fifty concurrent requests are executed once', async () => {
    const { ask, dialer, announcer, join } = await controlled()
    join('anna', { hears: 'es-es' })
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => ask('POST', '/rooms/r/calls', TO, once('a'))),
    )
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(dialer.calls).toHaveLength(1)
    // Also while the first is in progress.
    await Promise.all(
      Array.from({ length: 5 }, () =>
        ask('POST', '/rooms/r/say', { text: 'hello', language: 'en-us' }, once('b')),
      ),
    )
    expect(announcer.asked).toEqual(['say es-es'])
  })

  test('rejects the key for a different request; keys of different API keys are independent', async () => {
    const { ask, dialer } = await controlled()
    await ask('POST', '/rooms', { name: 'desk' })
    await ask('POST', '/rooms', { name: 'other' })
    await ask('POST', '/rooms/desk/calls', TO, once('a'))
    for (const [path, body] of [
      ['/rooms/desk/calls', { to: '+15551230002' }],
      ['/rooms/other/calls', TO],
      ['/rooms/desk/say', { text: 'a', language: 'en-us' }],
    ] as const)
      expect(await ask('POST', path, body, once('a'))).toMatchObject({
        status: 422,
        body: { error: 'idempotency_reused' },
      })
    expect(dialer.calls).toHaveLength(1)
    const other = { ...once('a'), authorization: `Bearer ${OTHER_KEY}` }
    expect((await ask('POST', '/rooms/desk/calls', TO, other)).status).toBe(202)
    expect(dialer.calls).toHaveLength(2)
  })

  test('repeats an error response, unless it was temporary or the request was invalid', async () => {
    const { ask, dialer } = await controlled()
    await ask('POST', '/rooms', { name: 'desk' })
    const number = { to: '+19005550000' }
    expect((await ask('POST', '/rooms/desk/calls', number, once('refused'))).status).toBe(403)
    expect(
      (await ask('POST', '/rooms/desk/calls', number, once('refused'))).headers.get('idempotency-replayed'),
    ).toBe('true')
    dialer.busy = true
    expect((await ask('POST', '/rooms/desk/calls', TO, once('busy'))).status).toBe(503)
    dialer.busy = false
    expect((await ask('POST', '/rooms/desk/calls', TO, once('busy'))).status).toBe(202)
    expect((await ask('POST', '/rooms/desk/calls', {}, once('wrong'))).status).toBe(400)
    expect((await ask('POST', '/rooms/desk/calls', TO, once('wrong'))).status).toBe(202)
  })

  test('a key is short and visible ASCII', async () => {
    const { ask } = await controlled()
    for (const key of ['', 'a b', 'ä', 'x'.repeat(129)])
      expect(await ask('POST', '/rooms', {}, once(key)), key).toMatchObject({
        status: 400,
        body: { error: 'value_not_allowed' },
      })
  })

  test('forgets a key after a day', async () => {
    const { ask, clock } = await controlled()
    const first = await ask('POST', '/rooms', { emptyMinutes: 10_000 }, once('a'))
    clock.advance(DAY_MS - 1)
    expect((await ask('POST', '/rooms', { emptyMinutes: 10_000 }, once('a'))).body.name).toBe(first.body.name)
    clock.advance(1)
    expect((await ask('POST', '/rooms', { emptyMinutes: 10_000 }, once('a'))).body.name).not.toBe(
      first.body.name,
    )
  })
})

describe('the store', () => {
  const fine = async (): Promise<Answered> => ({ status: 200, body: {} })

  test('is limited in size: removes the oldest completed entry, never one in progress', async () => {
    const store = new Idempotency(new FakeClock(), { most: 3 })
    const slow = Promise.withResolvers<Answered>()
    const working = store.once('k', 'slow', 1, () => slow.promise)
    for (const key of ['a', 'b', 'c', 'd']) await store.once('k', key, 1, fine)
    expect(store.size).toBe(3)
    expect((await store.once('k', 'd', 1, fine)).again).toBe(true)
    expect((await store.once('k', 'a', 1, fine)).again).toBe(false)
    slow.resolve({ status: 201, body: 'done' })
    expect((await working).answered.body).toBe('done')
    expect((await store.once('k', 'slow', 1, fine)).answered.body).toBe('done')
  })

  test('rejects requests for later if all entries are in progress', async () => {
    const store = new Idempotency(new FakeClock(), { most: 1 })
    const slow = Promise.withResolvers<Answered>()
    void store.once('k', 'slow', 1, () => slow.promise)
    await expect(store.once('k', 'a', 1, fine)).rejects.toMatchObject({ specific: 'capacity' })
    slow.resolve({ status: 200, body: {} })
  })
})
