import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/app/settings/load.ts'
import { fleetChecks } from '../../../src/cli/doctor/fleet-checks.ts'
import { NATS_SERVER, NatsServers } from '../../support/fleet/nats-servers.ts'

const check = (servers: readonly string[], more = {}) =>
  fleetChecks(
    loadConfig({
      env: {},
      overrides: {
        publicUrl: 'https://bridge.example.com',
        fleet: {
          ...{ node: 'a', address: 'http://10.0.0.5:8080', key: 'a key for tests only' },
          nats: { servers: [...servers] },
        },
        ...more,
      },
    }),
  )

test('checks nothing without a fleet', async () => {
  expect(await fleetChecks(loadConfig({ env: {} }))).toEqual([])
})

test.skipIf(NATS_SERVER === undefined)('joins the fleet for a moment', async () => {
  await using nats = await NatsServers.start()
  expect(await check(nats.addresses)).toEqual([
    { name: 'NATS', status: 'ok', found: nats.addresses[0], fix: '' },
    { name: 'Fleet', status: 'ok', found: 'no other node is running', fix: '' },
  ])
})

test('names the settings to check when NATS does not answer, and warns of state on one of several servers', async () => {
  expect(await check(['127.0.0.1:9', '127.0.0.1:10'])).toMatchObject([
    { name: 'NATS', status: 'fail', fix: expect.stringContaining('fleet.nats.servers') },
    { name: 'NATS replicas', status: 'warn' },
  ])
})
