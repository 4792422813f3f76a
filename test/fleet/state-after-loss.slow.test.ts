import { describe, expect, test } from 'vitest'
import { randomFrom } from '../../simulator/random.ts'
import { hears } from '../support/e2e/phone-listener.ts'
import { FleetNodes, heardBy } from '../support/fleet/fleet-nodes.ts'
import { NATS_SERVER, NatsServers } from '../support/fleet/nats-servers.ts'

const KEY = 'a-key-of-the-desk-0123456789'

/** Requests of the control API to one node. */
function requests(fleet: FleetNodes) {
  return async (node: string, path: string, method = 'GET', body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${fleet.node(node).port}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: answers are checked by what the test reads.
    return { status: answer.status, body: (await answer.json()) as any }
  }
}

describe.skipIf(NATS_SERVER === undefined)('after the loss of a node', () => {
  test('participants have the languages that they changed', async () => {
    await using nats = await NatsServers.start()
    const settings = { control: { keys: [{ name: 'desk', key: KEY }] } }
    await using fleet = await FleetNodes.start({ nats, names: ['a', 'b'], settings, random: randomFrom(9) })
    const ask = requests(fleet)
    const [one, other] = await Promise.all([fleet.call('desk', 'en-us'), fleet.call('desk', 'es-es')])
    await heardBy(one, 400, other, 'es-es', hears)
    const { rooms } = (await ask('a', '/fleet')).body
    const home: string = rooms[0].node
    const left = home === 'a' ? 'b' : 'a'

    const { participants } = (await ask(left, '/rooms/desk/participants')).body
    const idOf = (language: string) =>
      participants.find((each: { hears: string }) => each.hears === language).id
    const changes = { 'en-us': { hears: 'es-es' }, 'es-es': { speaks: 'fr-fr', name: 'Ana' } }
    for (const [language, change] of Object.entries(changes))
      expect((await ask(left, `/participants/${idOf(language)}`, 'PATCH', change)).status).toBe(200)
    await heardBy(other, 700, one, 'es-es', hears)

    await fleet.node(home).signal('SIGKILL')
    await heardBy(other, 700, one, 'es-es', hears)
    const { participants: after } = (await ask(left, '/rooms/desk/participants')).body
    expect(after).toHaveLength(2)
    expect(after).toContainEqual(expect.objectContaining({ speaks: 'en-us', hears: 'es-es', name: null }))
    expect(after).toContainEqual(expect.objectContaining({ speaks: 'fr-fr', hears: 'es-es', name: 'Ana' }))
  })
})
