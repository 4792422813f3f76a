import { expect, test } from 'vitest'
import { fleetChecks } from '../../../src/cli/doctor/fleet-checks.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { loadConfig } from '../../../src/config/load.ts'

const NATS = { servers: ['127.0.0.1:4222'] }
const FLEET = { node: 'a', address: 'http://10.0.0.5:8080', key: 'a key for tests only', nats: NATS }
const PUBLIC = { publicUrl: 'https://bridge.example.com' }
const check = (overrides: object, fleet: () => Promise<{ up: boolean; nodes: string[] }>) =>
  fleetChecks(loadConfig({ env: {}, overrides }), { fleet })

test('checks nothing without a fleet', async () => {
  expect(await check({}, () => Promise.reject(new Error('not asked')))).toEqual([])
})

test('finds the other nodes', async () => {
  expect(
    await check({ ...PUBLIC, fleet: FLEET }, async () => ({ up: true, nodes: ['b', 'c'] })),
  ).toMatchObject([
    { name: 'NATS', status: 'ok', found: '127.0.0.1:4222' },
    { name: 'Fleet', status: 'ok', found: 'b, c running' },
  ])
})

test('names the settings to check when NATS does not answer', async () => {
  const [found] = await check({ ...PUBLIC, fleet: FLEET }, async () => ({ up: false, nodes: [] }))
  expect(found).toMatchObject({ name: 'NATS', status: 'fail' })
  expect(found?.fix).toContain('fleet.nats.servers')
})

test('passes on why the servers do not fit', async () => {
  const [found] = await check({ ...PUBLIC, fleet: FLEET }, () =>
    Promise.reject(new BridgeError('CONFIG', 'nats-server 2.9.10 loses writes in a cluster')),
  )
  expect(found).toMatchObject({ status: 'fail', fix: 'nats-server 2.9.10 loses writes in a cluster' })
})

test('warns of state on one of several servers', async () => {
  const nats = { servers: ['127.0.0.1:4222', '127.0.0.1:4223'] }
  const found = await check({ ...PUBLIC, fleet: { ...FLEET, nats } }, async () => ({ up: true, nodes: [] }))
  expect(found.at(-1)).toMatchObject({ name: 'NATS replicas', status: 'warn' })
})
