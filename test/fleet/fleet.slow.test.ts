import { afterAll, beforeAll, describe } from 'vitest'
import { LoneFleet } from '../../src/fleet/lone-fleet.ts'
import { NatsFleet } from '../../src/fleet/nats/nats-fleet.ts'
import { natsSettingsSchema } from '../../src/fleet/settings.ts'
import { type FleetSubject, fleetChecks, nodeChecks } from '../support/conformance/fleet.ts'
import { conforms } from '../support/conformance/suite.ts'
import { FleetHub } from '../support/fleet/fleet-hub.ts'
import { NATS_SERVER, NatsServers } from '../support/fleet/nats-servers.ts'
import { until } from '../support/until.ts'

const leave = async ({ nodes }: FleetSubject) => {
  await Promise.all(nodes.map(node => node[Symbol.asyncDispose]()))
}

conforms(
  'the fleet of a single process',
  nodeChecks,
  () => new LoneFleet(),
  fleet => fleet[Symbol.asyncDispose](),
)

/** Two nodes of the hub that tests use. */
function ofHub(): FleetSubject {
  const hub = new FleetHub()
  return { nodes: [hub.join('one'), hub.join('two')], patienceMs: 200, quietMs: 5 }
}

conforms('the fleet in memory', fleetChecks, ofHub, leave)

describe.skipIf(NATS_SERVER === undefined).each([1, 3] as const)('with %d NATS servers', size => {
  let servers: NatsServers
  let made = 0
  beforeAll(async () => {
    servers = await NatsServers.start({ size })
  })
  afterAll(() => servers[Symbol.asyncDispose]())

  const open = (node: string) =>
    NatsFleet.open({
      settings: natsSettingsSchema.parse({ servers: servers.addresses, replicas: size }),
      ...{ node, key: 'a key for tests only', version: '1.0.0' },
    })
  conforms(
    'the fleet on NATS',
    fleetChecks,
    async () => {
      const first = ++made * 2
      const nodes = await Promise.all([open(`node-${first}`), open(`node-${first + 1}`)])
      // Creating the buckets can take longer than an opening waits.
      await until(() => nodes.every(({ status }) => status === 'up'), 20_000, 'buckets')
      return { nodes, patienceMs: 5_000, quietMs: 100 } as FleetSubject
    },
    leave,
  )
})
