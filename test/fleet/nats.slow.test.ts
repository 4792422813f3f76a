import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Kvm } from '@nats-io/kv'
import { connect } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { BridgeError } from '../../src/common/errors.ts'
import type { Fleet } from '../../src/core/model/fleet.ts'
import { NatsFleet } from '../../src/fleet/nats/nats-fleet.ts'
import { natsSettingsSchema } from '../../src/fleet/settings.ts'
import { NATS_SERVER, NatsServers } from '../support/fleet/nats-servers.ts'
import { NatsTls } from '../support/fleet/nats-tls.ts'
import { LogLines } from '../support/log-lines.ts'
import { pause, until } from '../support/until.ts'

const counter = z.object({ count: z.number() })

async function open(servers: readonly string[], node: string, settings: object = {}): Promise<NatsFleet> {
  return NatsFleet.open({
    settings: natsSettingsSchema.parse({ servers, ...settings }),
    ...{ node, key: 'a key for tests only', version: '1.0.0' },
  })
}

const isUp = (fleet: Fleet, ms = 20_000) => until(() => fleet.status === 'up', ms, 'the fleet')
const isAway = (fleet: Fleet) => until(() => fleet.status === 'away', 10_000, 'the loss of NATS')

/** Claims until it works. */
async function claimed(fleet: Fleet, name: string): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const claim = await fleet.registrar.claim(name).catch(() => undefined)
    if (claim?.kind === 'home') return claim.epoch
    await pause(100)
  }
  throw new Error(`${name} could not be claimed`)
}

describe.skipIf(NATS_SERVER === undefined)('NATS', () => {
  test('can be absent at the start', async () => {
    await using nats = await NatsServers.start()
    await nats.signal(0, 'SIGKILL')
    await using fleet = await open(nats.addresses, 'a')
    expect(fleet.status).toBe('away')
    await expect(fleet.registrar.claim('room')).rejects.toMatchObject({ code: 'FLEET_AWAY', retryable: true })
    nats.launch(0)
    await isUp(fleet)
    expect(await fleet.registrar.claim('room')).toMatchObject({ kind: 'home' })
  })

  test('is no longer tried once a node has ended that never reached it', async () => {
    let attempts = 0
    const server = createServer(socket => {
      attempts++
      socket.destroy()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const log = new LogLines()
    const fleet = await NatsFleet.open({
      settings: natsSettingsSchema.parse({
        servers: [`127.0.0.1:${(server.address() as AddressInfo).port}`],
      }),
      ...{ node: 'a', key: 'a key for tests only', version: '1.0.0', log },
    })
    expect(attempts).toBeGreaterThan(1)
    expect(log.complaints.filter(line => line.includes('NATS cannot be reached'))).toHaveLength(1)
    await fleet[Symbol.asyncDispose]()
    await pause(300)
    const before = attempts
    await pause(700)
    expect(attempts).toBe(before)
    server.close()
  })

  test('can be restarted: homes and tables stay', async () => {
    await using nats = await NatsServers.start()
    await using one = await open(nats.addresses, 'a')
    await using two = await open(nats.addresses, 'b')
    const lost: string[] = []
    using _lost = one.registrar.onLost(name => void lost.push(name))
    const { epoch } = await one.registrar.claim('room')
    await one.table('day', 'counts', counter).put('key', { count: 7 })
    await nats.signal(0, 'SIGKILL')
    await Promise.all([isAway(one), isAway(two)])
    await expect(one.registrar.confirm('room', epoch)).rejects.toMatchObject({ code: 'FLEET_AWAY' })
    nats.launch(0)
    await Promise.all([isUp(one), isUp(two)])
    expect(await one.registrar.confirm('room', epoch)).toBe(true)
    expect(await two.registrar.claim('room')).toMatchObject({ kind: 'elsewhere', node: 'a', epoch })
    expect((await two.table('day', 'counts', counter).get('key'))?.value).toEqual({ count: 7 })
    expect(lost).toEqual([])
  })

  test('can lose the leader of three servers: no write is lost or counted twice', async () => {
    await using nats = await NatsServers.start({ size: 3 })
    await using one = await open(nats.addresses, 'a', { replicas: 3 })
    await using two = await open(nats.addresses, 'b', { replicas: 3 })
    await Promise.all([isUp(one), isUp(two)])
    const epoch = await claimed(one, 'room')
    const tables = [one, two].map(fleet => fleet.table('day', 'counts', counter))
    await tables[0]!.put('key', { count: 0 })
    let done = 0
    let unknown = 0
    let ended = false
    const add = async (table: (typeof tables)[number]) => {
      while (!ended) {
        const entry = await table.get('key').catch(() => undefined)
        if (!entry) await pause(20)
        else {
          try {
            const next = { count: entry.value.count + 1 }
            if ((await table.replace('key', next, entry.revision)) !== undefined) done++
          } catch (error) {
            expect(error).toBeInstanceOf(BridgeError)
            unknown++
          }
        }
      }
    }
    const adding = Promise.all(tables.map(add))
    await until(() => done > 50, 10_000, 'writes')
    await nats.signal(await nats.leaderOf('drg_day'), 'SIGKILL')
    const before = done
    await until(() => done > before + 50, 20_000, 'writes with a new leader')
    ended = true
    await adding
    const count = (await tables[1]!.get('key'))?.value.count ?? 0
    expect(count).toBeGreaterThanOrEqual(done)
    expect(count).toBeLessThanOrEqual(done + unknown)
    expect(await claimed(one, 'room')).toBe(epoch)
  })

  test('is accessed with credentials and TLS, and with few permissions', async () => {
    await using tls = await NatsTls.create(['a', 'b'])
    await using nats = await NatsServers.start({ configuration: tls.configuration })
    const settings = (node: string) => tls.settings(node)
    await using one = await open(nats.addresses, 'a', settings('a'))
    await using two = await open(nats.addresses, 'b', settings('b'))
    expect([one.status, two.status]).toEqual(['up', 'up'])
    await one.registrar.claim('room')
    expect(await two.registrar.claim('room')).toMatchObject({ kind: 'elsewhere', node: 'a' })
    using _answer = two.exchange.answer('double', z.number(), body => body * 2)
    await until(() => two.registrar.homeOf('room')?.node === 'a', 5_000, 'the home')
    expect(await one.exchange.ask('b', 'double', 4)).toBe(8)
    one.join(() => ({ address: 'http://127.0.0.1:1', legs: 0, rooms: 0, draining: false }))
    await until(() => two.nodes.some(({ node }) => node === 'a'), 5_000, 'heartbeats')

    for (const wrong of [
      { ...settings('a'), password: 'wrong' },
      { ...settings('a'), tls: {} },
    ]) {
      await using outside = await open(nats.addresses, 'a', wrong)
      expect(outside.status).toBe('away')
    }
  })

  test('carries neither names of rooms nor numbers in keys and subjects', async () => {
    await using nats = await NatsServers.start()
    const spy = await connect({ servers: nats.addresses })
    const seen: string[] = []
    spy.subscribe('>', { callback: (_error, { subject }) => void seen.push(subject) })
    await spy.flush()
    {
      await using one = await open(nats.addresses, 'a')
      await using quota = one.quota('minutes +15550100001', { limit: 10, chunk: 1, period: () => 'day' })
      await quota.ready
      await one.registrar.claim('room Ann and Ben')
      await one.slots('calls +15550100001', 2).take()
    }
    const keys: string[] = []
    for (const name of ['homes', 'day', 'quotas']) {
      const bucket = await new Kvm(spy).open(`drg_${name}`)
      for await (const key of await bucket.keys()) keys.push(key)
    }
    await spy.close()
    expect(seen.length).toBeGreaterThan(5)
    expect(keys.length).toBeGreaterThan(0)
    for (const text of [...seen, ...keys]) expect(text).not.toMatch(/5550100001|Ann/)
  })

  test('can carry garbage, which is dropped and counted', async () => {
    await using nats = await NatsServers.start()
    await using one = await open(nats.addresses, 'a')
    using _answer = one.exchange.answer('double', z.number(), body => body * 2)
    one.join(() => ({ address: '', legs: 0, rooms: 0, draining: false }))
    const { epoch } = await one.registrar.claim('room')
    const stranger = await connect({ servers: nats.addresses })
    const garbage = [
      '',
      'null',
      '{',
      '{"v":2}',
      '{"v":1,"from":"x"}',
      '{"v":1,"from":"x","body":{"node":"../a"}}',
    ]
    for (const text of [...garbage, 'x'.repeat(900_000)]) {
      stranger.publish('drg.all.heartbeat', text)
      stranger.publish('drg.node.a.double', text)
    }
    const homes = await new Kvm(stranger).open('drg_homes')
    await homes.put('garbage', '{"node":7}')
    await stranger.flush()
    await until(() => one.counters.invalid >= garbage.length, 5_000, 'counted garbage')
    expect(one.nodes.map(({ node }) => node)).toEqual(['a'])
    expect(await one.registrar.confirm('room', epoch)).toBe(true)
    await stranger.close()
    await using two = await open(nats.addresses, 'b')
    expect(await two.exchange.ask('a', 'double', 4)).toBe(8)
  })

  test('can be given two processes of one name: the older one admits no one more', async () => {
    await using nats = await NatsServers.start()
    await using older = await open(nats.addresses, 'a')
    const report = () => ({ address: '', legs: 0, rooms: 0, draining: false })
    older.join(report)
    const { epoch } = await older.registrar.claim('room')
    await pause(5)
    await using newer = await open(nats.addresses, 'a')
    newer.join(report)
    await until(() => older.superseded, 5_000, 'the older process to notice')
    await expect(older.registrar.claim('other')).rejects.toMatchObject({ code: 'FLEET_AWAY' })
    await expect(older.registrar.confirm('room', epoch)).rejects.toMatchObject({ code: 'FLEET_AWAY' })
    expect(newer.superseded).toBe(false)
    expect(await newer.registrar.claim('room')).toMatchObject({ kind: 'home' })
  })
})
