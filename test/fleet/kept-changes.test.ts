import { expect, onTestFinished, test } from 'vitest'
import { KeptChanges } from '../../src/core/calls/kept-changes.ts'
import { FleetHub } from '../support/fleet/fleet-hub.ts'
import { LogLines } from '../support/log-lines.ts'
import { rooms } from '../support/relay/rooms.ts'

async function nodes() {
  const hub = new FleetHub()
  const relay = await rooms()
  const node = (name: string) => {
    const fleet = hub.join(name)
    const changes = new KeptChanges({ fleet, relay: relay.relay, log: new LogLines() })
    onTestFinished(() => changes[Symbol.dispose]())
    return { fleet, changes }
  }
  const [a, b] = [node('a'), node('b')]
  a.changes.start()
  return { hub, relay, a, b }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

test('what a participant changes in a call is known at every node, encrypted', async () => {
  const { hub, relay, a, b } = await nodes()
  const invited = { room: 'desk', speaks: 'en-us', hears: 'es-es', echo: false } as const
  // Long enough that encrypted text cannot contain it by chance.
  const call = 'CA1f0e1d2c3b4a'
  relay.live('anna', invited, call)
  const anna = relay.relay.find('anna')!
  expect(await b.changes.applied(call, invited)).toBe(invited)
  anna.change({ hears: 'fr-fr', name: 'Anna Maria' })
  anna.change({ speaks: null })
  await settled()
  a.fleet.kill()
  expect(await b.changes.applied(call, invited)).toEqual({
    ...{ room: 'desk', echo: false, speaks: undefined, hears: 'fr-fr' },
    ...{ name: 'Anna Maria', voice: undefined, original: 'duck' },
  })
  expect(await b.changes.applied('CA2', invited)).toBe(invited)
  expect(hub.stored).not.toMatch(/fr-fr|Anna Maria|CA1f0e1d2c3b4a/)
})

test('nothing is written for what is not kept, and for participants without a call', async () => {
  const { hub, relay } = await nodes()
  relay.live('anna', { hears: 'es-es' }, 'CA1')
  relay.live('bob', { hears: 'es-es' })
  relay.relay.find('anna')!.change({ muted: true })
  relay.relay.find('bob')!.change({ hears: 'fr-fr' })
  await settled()
  expect(hub.stored.trim()).toBe('')
})

test('a call continues as it started while the fleet is unavailable', async () => {
  const { relay, a, b } = await nodes()
  const invited = { room: 'desk', hears: 'es-es' } as const
  relay.live('anna', invited, 'CA1')
  relay.relay.find('anna')!.change({ hears: 'fr-fr' })
  await settled()
  b.fleet.away = true
  expect(await b.changes.applied('CA1', invited)).toBe(invited)
  a.fleet.away = true
  relay.relay.find('anna')!.change({ hears: 'de-de' })
  await settled()
  b.fleet.away = false
  expect((await b.changes.applied('CA1', invited)).hears).toBe('fr-fr')
})
