import { expect, test } from 'vitest'
import { controlled } from '../../support/web/control-harness.ts'

test('a talk link to a room is valid until it expires or is revoked', async () => {
  const { ask, services, clock } = await controlled()
  expect((await ask('POST', '/rooms/desk/links', {})).body.error).toBe('room_unknown')
  await ask('POST', '/rooms', { name: 'desk' })
  const { status, body } = await ask('POST', '/rooms/desk/links', { minutes: 5 })
  expect(status).toBe(201)
  expect(body).toEqual({
    page: `/#join=${body.token}`,
    token: expect.stringMatching(/^[\w-]{24}$/),
    expiresAt: '2026-11-20T10:05:00.000Z',
  })
  expect(await services.roomLinks.find(body.token)).toBe('desk')
  clock.advance(5 * 60_000)
  expect(await services.roomLinks.find(body.token)).toBeUndefined()

  const again = await ask('POST', '/rooms/desk/links', {})
  expect(await ask('DELETE', '/rooms/desk/links')).toMatchObject({
    status: 200,
    body: { room: 'desk', revoked: 1 },
  })
  expect(await services.roomLinks.find(again.body.token)).toBeUndefined()
  expect((await ask('POST', '/rooms/desk/links', { minutes: 7 * 24 * 60 + 1 })).status).toBe(400)
  expect((await ask('POST', '/rooms/desk/links', {}, { authorization: '' })).status).toBe(401)
})
