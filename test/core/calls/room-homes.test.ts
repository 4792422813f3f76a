import { expect, onTestFinished, test } from 'vitest'
import { FakeClock } from '../../../simulator/index.ts'
import { RoomHomes } from '../../../src/core/calls/room-homes.ts'
import { FleetHub, type HubFleet } from '../../support/fleet/fleet-hub.ts'

const settled = () => new Promise(resolve => setImmediate(resolve))

function nodes() {
  const hub = new FleetHub()
  const clock = new FakeClock()
  const inUse = new Set<string>()
  const homes = (fleet: HubFleet, draining = () => false) => {
    const made = new RoomHomes({ fleet, inUse: room => inUse.has(room), draining, clock })
    made.start()
    onTestFinished(() => made[Symbol.dispose]())
    return made
  }
  return { hub, clock, inUse, homes }
}

test('sends participants to the node that opened a room without them', async () => {
  const { hub, homes } = nodes()
  const [a, b] = [homes(hub.join('a')), homes(hub.join('b'))]
  a.adopt('voice channel')
  await settled()
  expect(await b.locate('voice channel')).toBe('a')
  expect(await a.locate('voice channel')).toBeUndefined()
})

test('registers a room that was opened while the fleet was unavailable, once it is back', async () => {
  const { hub, clock, inUse, homes } = nodes()
  const one = hub.join('a')
  const [a, b] = [homes(one), homes(hub.join('b'))]
  one.away = true
  inUse.add('desk')
  expect(await a.locate('desk', true)).toBeUndefined()
  one.away = false
  clock.advance(2_100)
  await settled()
  expect(await b.locate('desk')).toBe('a')
})

test('releases a room that is no longer used', async () => {
  const { hub, clock, homes } = nodes()
  const [a, b] = [homes(hub.join('a')), homes(hub.join('b'))]
  expect(await a.locate('desk')).toBeUndefined()
  expect([...a.rooms]).toEqual(['desk'])
  clock.advance(13_000)
  await settled()
  expect([...a.rooms]).toEqual([])
  expect(await b.locate('desk')).toBeUndefined()
})

test('moves its rooms to the others, and takes none while draining', async () => {
  const { hub, homes } = nodes()
  let draining = false
  const [a, b] = [homes(hub.join('a'), () => draining), homes(hub.join('b'))]
  await a.locate('desk')
  draining = true
  expect(await a.moveAll()).toEqual(new Set(['desk']))
  expect([a.has('desk'), a.hasMoved('desk')]).toEqual([false, true])
  expect(await a.locate('desk')).toBe('b')
  expect(await a.locate('new')).toBe('b')
  expect([...b.rooms].sort()).toEqual(['desk', 'new'])
})
