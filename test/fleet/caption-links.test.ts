import { expect, test } from 'vitest'
import { FleetHub } from '../support/fleet/fleet-hub.ts'
import { controlled } from '../support/web/control-harness.ts'

const MINUTE_MS = 60_000

async function nodes() {
  const hub = new FleetHub()
  const [one, two] = [hub.join('a'), hub.join('b')]
  const [a, b] = [await controlled({ fleet: one }), await controlled({ fleet: two })]
  const advance = (ms: number) => {
    for (let passed = 0; passed < ms; passed += MINUTE_MS / 2)
      for (const { clock } of [a, b]) clock.advance(Math.min(MINUTE_MS / 2, ms - passed))
  }
  return { hub, a: { ...a, fleet: one }, b: { ...b, fleet: two }, advance }
}

type Node = Awaited<ReturnType<typeof nodes>>['a']

const settled = () => new Promise(resolve => setTimeout(resolve, 20))

async function linkAt(node: Node, room: string): Promise<string> {
  const { status, body } = await node.ask('POST', `/rooms/${room}/captions/link`, { minutes: 600 })
  expect(status).toBe(201)
  await settled()
  return body.token
}

/** The status of the room’s transcript for the bearer of a link. */
async function readAt(node: Node, room: string, token: string): Promise<number> {
  const answer = await fetch(`${node.url}/v1/rooms/${room}/transcript?token=${token}`)
  await answer.arrayBuffer()
  return answer.status
}

test('a link continues with its room at another node, also of a node that was killed', async () => {
  const { hub, a, b, advance } = await nodes()
  a.join('guest', { room: 'desk', hears: 'es-es' })
  const token = await linkAt(a, 'desk')
  expect(await readAt(a, 'desk', token)).toBe(200)
  advance(10 * MINUTE_MS)
  await settled()
  a.fleet.kill()
  b.join('guest', { room: 'desk', hears: 'es-es' })
  expect(await readAt(b, 'desk', token)).toBe(200)
  // A link of the new node is one to the same life.
  const another = await linkAt(b, 'desk')
  const c = { ...(await controlled({ fleet: hub.join('c') })), fleet: b.fleet }
  c.clock.advance(b.clock.now() - c.clock.now())
  b.fleet.kill()
  c.join('guest', { room: 'desk', hears: 'es-es' })
  expect([await readAt(c, 'desk', token), await readAt(c, 'desk', another)]).toEqual([200, 200])
  expect(hub.stored).not.toContain('desk')
})

test('a link does not open a later room of the same name, at any node', async () => {
  const { a, b, advance } = await nodes()
  const guest = a.join('guest', { room: 'desk', hears: 'es-es' })
  const token = await linkAt(a, 'desk')
  await guest.close({ kind: 'hangup', by: 'remote' })
  await settled()
  advance(2 * MINUTE_MS + 1)
  await settled()
  b.join('guest', { room: 'desk', hears: 'es-es' })
  expect(await readAt(b, 'desk', token)).toBe(401)

  // No one has ended the life of a node that was killed.
  const lost = await linkAt(b, 'desk')
  b.fleet.kill()
  advance(4 * MINUTE_MS)
  a.join('guest 2', { room: 'desk', hears: 'es-es' })
  expect(await readAt(a, 'desk', lost)).toBe(401)
})

test('a link to a created room opens it wherever its participants come, and no later one', async () => {
  const { a, b, advance } = await nodes()
  await a.ask('POST', '/rooms', { name: 'desk', emptyMinutes: 600 })
  const token = await linkAt(b, 'desk')
  advance(60 * MINUTE_MS)
  a.join('guest', { room: 'desk', hears: 'es-es' })
  expect(await readAt(a, 'desk', token)).toBe(200)
  await a.ask('DELETE', '/rooms/desk')
  await settled()
  advance(MINUTE_MS)
  await a.ask('POST', '/rooms', { name: 'desk' })
  b.join('guest', { room: 'desk', hears: 'es-es' })
  expect(await readAt(b, 'desk', token)).toBe(401)
})
