import { describe, expect, test } from 'vitest'
import { FleetHub } from '../support/fleet/fleet-hub.ts'
import { controlled } from '../support/web/control-harness.ts'

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

test('a node that was unavailable learns of rooms that were created and ended meanwhile', async () => {
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

describe('after the loss of a node', () => {
  const settled = () => new Promise(resolve => setImmediate(resolve))

  test('its empty rooms end elsewhere, as late as they would have', async () => {
    const { a, b } = await nodes()
    await a.ask('POST', '/rooms', { name: 'desk', emptyMinutes: 5 })
    await a.ask('POST', '/rooms', { name: 'later', emptyMinutes: 60 })
    b.clock.advance(2 * MINUTE_MS)
    a.fleet.kill()
    b.clock.advance(MINUTE_MS)
    await settled()
    expect((await b.ask('GET', '/rooms/desk')).status).toBe(200)
    b.clock.advance(2 * MINUTE_MS)
    expect((await b.ask('GET', '/rooms/desk')).status).toBe(404)
    expect((await b.ask('GET', '/rooms/later')).status).toBe(200)
  })

  test('one that had participants counts as empty from then on', async () => {
    const { a, b } = await nodes()
    await a.ask('POST', '/rooms', { name: 'desk', emptyMinutes: 5 })
    a.join('guest', { room: 'desk', hears: 'es-es' })
    await settled()
    b.clock.advance(60 * MINUTE_MS)
    a.fleet.kill()
    b.clock.advance(15_000)
    await settled()
    b.clock.advance(4 * MINUTE_MS)
    expect((await b.ask('GET', '/rooms/desk')).status).toBe(200)
    b.clock.advance(MINUTE_MS)
    expect((await b.ask('GET', '/rooms/desk')).status).toBe(404)
  })

  test('the time of a room continues where its participants return', async () => {
    const { a, b } = await nodes()
    await a.ask('POST', '/rooms', { name: 'desk', maxMinutes: 10 })
    a.join('guest', { room: 'desk', hears: 'es-es' })
    await settled()
    b.clock.advance(6 * MINUTE_MS)
    a.fleet.kill()
    const guest = b.join('guest', { room: 'desk', hears: 'es-es' })
    b.clock.advance(4 * MINUTE_MS - 1)
    await settled()
    expect((await b.ask('GET', '/rooms/desk')).body).toMatchObject({ state: 'open' })
    expect(b.services.lives.idOf('desk')).toBeDefined()
    b.clock.advance(1)
    await settled()
    // They hear a farewell.
    expect(b.services.lives.idOf('desk')).toBeUndefined()
    expect(guest.over).toBe(false)
  })

  test('one of several nodes takes a room over, and the others learn it', async () => {
    const { hub, a, b } = await nodes()
    const third = hub.join('c')
    const c = await controlled({ fleet: third })
    await a.ask('POST', '/rooms', { name: 'desk', emptyMinutes: 5 })
    a.fleet.kill()
    for (const node of [b, c]) node.clock.advance(MINUTE_MS)
    await settled()
    const [entry] = Array.from(hub.tables.get('week created rooms')?.values() ?? [], ({ text }) =>
      JSON.parse(text),
    )
    expect(['b', 'c']).toContain(entry.node)
    const [keeper, other] = entry.node === 'b' ? [b, c] : [c, b]
    other.clock.advance(10 * MINUTE_MS)
    expect((await other.ask('GET', '/rooms/desk')).status).toBe(200)
    keeper.clock.advance(10 * MINUTE_MS)
    expect((await other.ask('GET', '/rooms/desk')).status).toBe(404)
  })
})
