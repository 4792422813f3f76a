import { describe, expect, test } from 'vitest'
import type { SimulatedCall } from '../../simulator/index.ts'
import { randomFrom } from '../../simulator/random.ts'
import { hears } from '../support/e2e/phone-listener.ts'
import { FleetNodes, heardBy } from '../support/fleet/fleet-nodes.ts'
import { NATS_SERVER, NatsServers } from '../support/fleet/nats-servers.ts'

type Pair = readonly [SimulatedCall, SimulatedCall]

/** Both hear each other translated. */
async function talks([first, second]: Pair): Promise<void> {
  await heardBy(first, 400, second, 'es-es', hears)
  await heardBy(second, 700, first, 'en-us', hears)
}

/** Two phones call each of `count` rooms at the same time. */
function pairs(fleet: FleetNodes, count: number): Promise<Pair[]> {
  return Promise.all(
    Array.from({ length: count }, (_, room) =>
      Promise.all([fleet.call(`desk ${room}`, 'en-us'), fleet.call(`desk ${room}`, 'es-es')]),
    ),
  )
}

describe.skipIf(NATS_SERVER === undefined)('a fleet of three nodes', () => {
  test('connects callers whose requests reach different nodes, also after a node was killed', async () => {
    await using nats = await NatsServers.start()
    await using fleet = await FleetNodes.start({ nats, random: randomFrom(1) })
    const rooms = await pairs(fleet, 6)
    await Promise.all(rooms.map(talks))
    const asked = [...fleet.proxy.received.values()]
    expect(
      asked.every(count => count > 0),
      'all nodes received requests',
    ).toBe(true)

    await fleet.node('a').signal('SIGKILL')
    await Promise.all(rooms.map(talks))
    // Newcomers join them.
    const late = await fleet.call('desk 0', 'es-es')
    await heardBy(rooms[0]![0], 400, late, 'es-es', hears)

    // Started again, it takes part.
    await fleet.node('a').restart()
    await fleet.node('b').signal('SIGKILL')
    await Promise.all(rooms.map(talks))
  })

  test('hands its calls over when a node shuts down', async () => {
    await using nats = await NatsServers.start()
    await using fleet = await FleetNodes.start({ nats, random: randomFrom(2) })
    const rooms = await pairs(fleet, 6)
    await Promise.all(rooms.map(talks))
    for (const name of ['a', 'b', 'c']) {
      await fleet.node(name).signal('SIGTERM')
      await Promise.all(rooms.map(talks))
      await fleet.node(name).restart()
    }
    await Promise.all(rooms.map(talks))
  })

  test('lets a node that was stopped admit no one to a room that another has taken over', async () => {
    await using nats = await NatsServers.start()
    await using fleet = await FleetNodes.start({ nats, random: randomFrom(3) })
    const [room] = await pairs(fleet, 1)
    await talks(room!)
    const home = fleet.nodes.find(({ name }) => fleet.proxy.streams.get(name) === 2)
    expect(home).toBeDefined()
    await home!.signal('SIGSTOP')
    fleet.proxy.unhealthy.add(home!.name)
    const late = await fleet.call('desk 0', 'es-es')
    await home!.signal('SIGCONT')
    fleet.proxy.unhealthy.clear()
    // All come together at the new home.
    await heardBy(room![0], 400, late, 'es-es', hears)
    await talks(room!)
  })
})
