import { expect, test } from 'vitest'
import { FleetHub } from '../../harness/fleet/fleet-hub.ts'
import { controlled } from '../../harness/web/control-harness.ts'

const MINUTE_MS = 60_000

async function nodes() {
  const hub = new FleetHub()
  const [one, two] = [hub.join('a'), hub.join('b')]
  const [a, b] = [await controlled({ fleet: one }), await controlled({ fleet: two })]
  return { hub, a: { ...a, fleet: one }, b: { ...b, fleet: two } }
}

test('a room created at one node is known at all, under one name', async () => {
  const { a, b } = await nodes()
  await a.ask('POST', '/rooms', { name: 'desk', languages: ['es-es'] })
  expect((await b.ask('GET', '/rooms/desk')).body).toMatchObject({ name: 'desk', languages: ['es-es'] })
  expect((await b.ask('POST', '/rooms', { name: 'desk' })).body.error).toBe('room_exists')
  // Its codes and links can be made anywhere.
  const { code } = (await b.ask('POST', '/rooms/desk/codes', {})).body
  expect(await a.codes.find(code)).toBe('desk')
  await b.ask('DELETE', '/rooms/desk')
  expect((await a.ask('GET', '/rooms/desk')).status).toBe(404)
  expect(await a.codes.find(code)).toBeUndefined()
  expect((await a.ask('POST', '/rooms', { name: 'desk' })).status).toBe(201)
})

test('a node that was away learns of rooms that were created and ended meanwhile', async () => {
  const { hub, a, b } = await nodes()
  await a.ask('POST', '/rooms', { name: 'old' })
  b.fleet.away = true
  await a.ask('DELETE', '/rooms/old')
  await a.ask('POST', '/rooms', { name: 'new' })
  expect((await b.ask('GET', '/rooms/old')).status).toBe(200)
  expect((await b.ask('GET', '/rooms/new')).body.error).toBe('fleet_away')
  b.fleet.away = false
  expect((await b.ask('GET', '/rooms/new')).status).toBe(200)
  expect((await b.ask('GET', '/rooms/old')).status).toBe(404)
  const late = await controlled({ fleet: hub.join('c') })
  expect((await late.ask('GET', '/rooms/new')).status).toBe(200)
})

test('its creator ends it when it stays empty; the node at which it opened last, after that', async () => {
  const { a, b } = await nodes()
  await a.ask('POST', '/rooms', { name: 'empty', emptyMinutes: 5 })
  await a.ask('POST', '/rooms', { name: 'used', emptyMinutes: 5 })
  const guest = b.join('guest', { room: 'used', hears: 'es-es' })
  a.clock.advance(5 * MINUTE_MS)
  expect((await b.ask('GET', '/rooms/empty')).status).toBe(404)
  expect((await a.ask('GET', '/rooms/used')).status).toBe(200)
  await guest.close({ kind: 'hangup', by: 'remote' })
  await new Promise(resolve => setImmediate(resolve))
  b.clock.advance(5 * MINUTE_MS)
  expect((await a.ask('GET', '/rooms/used')).status).toBe(404)
})

test('an end that the fleet could not record is recorded when it is back', async () => {
  const { a, b } = await nodes()
  await a.ask('POST', '/rooms', { name: 'desk', emptyMinutes: 5 })
  a.fleet.away = true
  a.clock.advance(5 * MINUTE_MS)
  expect((await b.ask('GET', '/rooms/desk')).status).toBe(200)
  a.fleet.away = false
  expect((await b.ask('GET', '/rooms/desk')).status).toBe(404)
})
