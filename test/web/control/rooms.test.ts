import { describe, expect, test } from 'vitest'
import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { noticeHz } from '../../support/relay/fake-announcer.ts'
import { until } from '../../support/until.ts'
import { controlled } from '../../support/web/control-harness.ts'

const HOUR_MS = 3_600_000

describe('rooms', () => {
  test('a room is created, listed and ended; ending it again is harmless', async () => {
    const { ask } = await controlled()
    const created = await ask('POST', '/rooms', {
      name: 'desk',
      languages: ['en_US', 'es-es'],
      maxParticipants: 2,
    })
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: 'desk',
        state: 'empty',
        life: null,
        openedAt: null,
        createdAt: '2026-11-20T10:00:00.000Z',
        languages: ['en-us', 'es-es'],
        maxParticipants: 2,
        maxMinutes: null,
        participants: 0,
        listeners: [],
        recording: null,
        code: null,
      },
    })
    expect((await ask('POST', '/rooms', { name: 'desk' })).body).toMatchObject({
      code: 'conflict',
      error: 'room_exists',
    })
    expect((await ask('GET', '/rooms/desk')).body).toMatchObject({ name: 'desk' })
    for (const _ of [1, 2])
      expect(await ask('DELETE', '/rooms/desk')).toMatchObject({
        status: 200,
        body: { name: 'desk', ended: true },
      })
    expect(await ask('GET', '/rooms/desk')).toMatchObject({ status: 404, body: { error: 'room_unknown' } })
    expect((await ask('DELETE', '/rooms/never')).body.error).toBe('room_unknown')
  })

  test('a room without a name gets an unguessable one, and a join code on request', async () => {
    const { ask, codes } = await controlled()
    const [one, two] = [await ask('POST', '/rooms', { codeMinutes: 5 }), await ask('POST', '/rooms', {})]
    expect(one.body.name).toMatch(/^room-[a-z2-9]{12}$/)
    expect(two.body.name).not.toBe(one.body.name)
    expect(one.body.code).toEqual({
      code: expect.stringMatching(/^\d{8}$/),
      room: one.body.name,
      expiresAt: '2026-11-20T10:05:00.000Z',
    })
    expect(await codes.find(one.body.code.code)).toBe(one.body.name)
  })

  test('lists an open room that was not created by a request', async () => {
    const { ask, join, run } = await controlled()
    join('anna', { room: 'call CA1/ä?', speaks: 'en-us', hears: 'es-es' })
    await run(40)
    expect((await ask('GET', `/rooms/${encodeURIComponent('call CA1/ä?')}`)).body).toMatchObject({
      name: 'call CA1/ä?',
      state: 'open',
      life: expect.any(String),
      openedAt: '2026-11-20T10:00:00.000Z',
      createdAt: null,
      participants: 1,
    })
    expect((await ask('POST', '/rooms', { name: 'r' })).status).toBe(201)
  })

  test('the list is paginated by name and stays stable while rooms open and close', async () => {
    const { ask } = await controlled()
    for (const name of ['d', 'b', 'e', 'a', 'c']) await ask('POST', '/rooms', { name })
    const names = ({ body }: { body: { rooms: { name: string }[] } }) => body.rooms.map(({ name }) => name)
    const first = await ask('GET', '/rooms?limit=2')
    expect([names(first), first.body.next]).toEqual([['a', 'b'], 'b'])
    await ask('DELETE', '/rooms/b')
    const second = await ask('GET', '/rooms?limit=2&after=b')
    expect([names(second), second.body.next]).toEqual([['c', 'd'], 'd'])
    const last = await ask('GET', '/rooms?limit=2&after=d')
    expect([names(last), last.body.next]).toEqual([['e'], null])
    expect((await ask('GET', '/rooms?limit=201')).body.error).toBe('value_not_allowed')
    expect((await ask('GET', '/rooms?order=up')).body.error).toBe('field_unknown')
  })

  test('applies the settings of the created room to everyone who joins', async () => {
    const { ask, relay, admission, run } = await controlled()
    await ask('POST', '/rooms', { name: 'small', languages: ['en-us', 'es-es'], maxParticipants: 1 })
    const ruled = admission(relay)
    expect(() =>
      ruled.admit(new FakeLeg('fritz'), { room: 'small', speaks: 'de-de', hears: 'en-us' }),
    ).toThrow('de-de')
    ruled.admit(new FakeLeg('anna'), { room: 'small', speaks: 'en-us', hears: 'es-es' })
    await run(40)
    expect(() => ruled.admit(new FakeLeg('bob'), { room: 'small' })).toThrow(
      expect.objectContaining({ code: 'CAPACITY' }),
    )
    // No rules without a plan.
    ruled.admit(new FakeLeg('carl'), { room: 'other', speaks: 'de-de', hears: 'fr-fr' })
    expect(relay.legs).toBe(2)
  })

  test('a room ends after its maximum time without participants, or in total', async () => {
    const { ask, clock, codes, live, run, relay } = await controlled()
    const { body } = await ask('POST', '/rooms', {
      name: 'short',
      emptyMinutes: 1,
      maxMinutes: 2,
      codeMinutes: 60,
    })
    clock.advance(59_999)
    expect((await ask('GET', '/rooms/short')).status).toBe(200)
    const anna = live('anna', { room: 'short', speaks: 'en-us', hears: 'es-es' })
    clock.advance(60_000)
    expect((await ask('GET', '/rooms/short')).body.state).toBe('open')
    clock.advance(59_900)
    await run(2_000)
    // The time is up: she is notified, and hung up on after the notice.
    expect(loudness(anna.lately(2_000), noticeHz('time-up'), 16_000)).toBeGreaterThan(1_000)
    await until(() => relay.legs === 0, 5_000, 'the end')
    expect((await ask('GET', '/rooms/short')).status).toBe(404)
    expect(await codes.find(body.code.code)).toBeUndefined()

    await ask('POST', '/rooms', { name: 'never used', emptyMinutes: 1 })
    clock.advance(60_000)
    expect((await ask('GET', '/rooms/never%20used')).status).toBe(404)
  })

  test('ending a room says goodbye to all participants if requested, and hangs up', async () => {
    const { ask, live, run, announcer, dialer } = await controlled()
    await ask('POST', '/rooms', { name: 'r' })
    const anna = live('anna', { speaks: 'en-us', hears: 'en-us' })
    const bob = live('bob', { speaks: 'es-es', hears: 'es-es' })
    await run(100)
    await ask('POST', '/rooms/r/calls', { to: '+15551230001' })
    const ending = ask('DELETE', '/rooms/r?goodbye=true')
    await until(() => announcer.asked.length === 2, 5_000, 'the goodbye')
    await run(1_500)
    expect(await ending).toMatchObject({ status: 200 })
    expect(announcer.asked).toEqual(['goodbye en-us', 'goodbye es-es'])
    for (const leg of [anna, bob]) {
      expect(loudness(leg.heard(), noticeHz('goodbye'), 16_000)).toBeGreaterThan(2_000)
      expect(await leg.ended).toEqual({ kind: 'hangup', by: 'local' })
    }
    expect(dialer.calls[0]?.hangUps).toBe(1)
    expect((await ask('GET', '/rooms')).body.rooms).toEqual([])
  })

  test('rejects more than a thousand created rooms', async () => {
    const { ask, services } = await controlled()
    for (let n = 0; n < 1_000; n++)
      await services.plans.add({ room: `r${n}`, emptyMinutes: 60, createdAt: '' })
    expect(await ask('POST', '/rooms', {})).toMatchObject({ status: 503, body: { error: 'capacity' } })
  })
})

describe('join codes', () => {
  test('are created, listed and revoked, and end with their room', async () => {
    const { ask, codes, clock } = await controlled()
    await ask('POST', '/rooms', { name: 'desk' })
    const one = (await ask('POST', '/rooms/desk/codes')).body
    expect(one).toEqual({ code: expect.any(String), room: 'desk', expiresAt: '2026-11-20T11:00:00.000Z' })
    const two = (await ask('POST', '/rooms/desk/codes', { minutes: 1 })).body
    expect((await ask('GET', '/rooms/desk/codes')).body.codes).toEqual([one, two])
    expect(await codes.find(two.code)).toBe('desk')
    clock.advance(60_000)
    expect((await ask('GET', '/rooms/desk/codes')).body.codes).toEqual([one])
    expect((await ask('DELETE', `/rooms/desk/codes/${two.code}`)).body.error).toBe('code_unknown')
    await ask('POST', '/rooms', { name: 'other' })
    expect((await ask('DELETE', `/rooms/other/codes/${one.code}`)).body.error).toBe('code_unknown')
    expect(await ask('DELETE', `/rooms/desk/codes/${one.code}`)).toMatchObject({
      status: 200,
      body: { revoked: true },
    })
    expect(await codes.find(one.code)).toBeUndefined()
    const last = (await ask('POST', '/rooms/desk/codes', { minutes: 10 })).body
    await ask('DELETE', '/rooms/desk')
    expect(await codes.find(last.code)).toBeUndefined()
    expect((await ask('POST', '/rooms/desk/codes')).body.error).toBe('room_unknown')
    clock.advance(HOUR_MS)
  })
})
