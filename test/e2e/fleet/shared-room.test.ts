import { describe, test } from 'vitest'
import { randomFrom } from '../../../src/simulator/random.ts'
import { hears } from '../../harness/e2e/phone-listener.ts'
import { FleetNodes, heardBy } from '../../harness/fleet/fleet-nodes.ts'
import { NATS_SERVER, NatsServers } from '../../harness/fleet/nats-servers.ts'

describe.skipIf(NATS_SERVER === undefined)('a fleet of three nodes', { timeout: 120_000 }, () => {
  test('connects two callers whose requests reach different nodes, and survives the loss of their node', async () => {
    await using nats = await NatsServers.start()
    await using fleet = await FleetNodes.start({ nats, random: randomFrom(1) })
    const [anna, ben] = await Promise.all([fleet.call('desk', 'en-us'), fleet.call('desk', 'es-es')])
    await heardBy(anna, 400, ben, 'es-es', hears)
    await heardBy(ben, 700, anna, 'en-us', hears)
  })
})
