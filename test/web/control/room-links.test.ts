import { expect, test } from 'vitest'
import { controlled } from '../../support/web/control-harness.ts'

test.each([
  ['for talking', '/rooms/desk/links', 'roomLinks', '/#join='],
  ['for listening', '/rooms/desk/listen/links', 'listenLinks', '/listen#join='],
] as const)('a link %s is valid until it expires or is revoked', async (_, path, kind, page) => {
  const { ask, services, clock } = await controlled()
  expect((await ask('POST', path, {})).body.error).toBe('room_unknown')
  await ask('POST', '/rooms', { name: 'desk' })
  const { status, body } = await ask('POST', path, { minutes: 5 })
  expect(status).toBe(201)
  expect(body).toEqual({
    page: `${page}${body.token}`,
    token: expect.stringMatching(/^[\w-]{24}$/),
    expiresAt: '2026-11-20T10:05:00.000Z',
  })
  expect(await services[kind].find(body.token)).toBe('desk')
  clock.advance(5 * 60_000)
  expect(await services[kind].find(body.token)).toBeUndefined()

  const again = await ask('POST', path, {})
  expect(await ask('DELETE', path)).toMatchObject({
    status: 200,
    body: { room: 'desk', revoked: 1 },
  })
  expect(await services[kind].find(again.body.token)).toBeUndefined()
  expect((await ask('POST', path, { minutes: 7 * 24 * 60 + 1 })).status).toBe(400)
  expect((await ask('POST', path, {}, { authorization: '' })).status).toBe(401)
})

test('a link for listening does not admit to talk, and the other way round', async () => {
  const { ask, services } = await controlled()
  await ask('POST', '/rooms', { name: 'desk' })
  const talk = (await ask('POST', '/rooms/desk/links', {})).body.token
  const listen = (await ask('POST', '/rooms/desk/listen/links', {})).body.token
  expect(await services.roomLinks.find(listen)).toBeUndefined()
  expect(await services.listenLinks.find(talk)).toBeUndefined()
  await ask('DELETE', '/rooms/desk/links')
  expect(await services.listenLinks.find(listen)).toBe('desk')
  await ask('DELETE', '/rooms/desk')
  expect(await services.listenLinks.find(listen)).toBeUndefined()
})
