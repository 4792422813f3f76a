import { afterEach, expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

async function couple() {
  r = await rooms()
  const events: string[] = []
  r.relay.observer.on('room', e => events.push(`${e.room} ${e.state}`))
  r.relay.observer.on('left', e => events.push(`left ${e.participant} ${e.reason.kind}`))
  r.live('anna', { speaks: 'en-us', hears: 'en-us' }, 'CA1')
  r.live('bob', { speaks: 'es-es', hears: 'es-es' }, 'CA2')
  await r.run(100)
  return { events, room: r.relay.rooms.get('r')! }
}

test('closing a room hangs up every leg, ends its sessions, and completes when everyone has left', async () => {
  const { events, room } = await couple()
  const notice = r.relay.find('anna')?.announce({ name: 'x', pcm: sine(500, 5_000) })
  await r.run(100)
  await Promise.all([room.close(), room.close()])
  expect(events).toEqual(['r opened', 'left anna hangup', 'left bob hangup', 'r closed'])
  expect(await room.ended).toEqual({ kind: 'unused' })
  expect(await notice?.ended).toBe('stopped')
  expect([r.relay.rooms.size, r.relay.legs, room.participants.size, room.sessions]).toEqual([0, 0, 0, 0])
  expect(r.translator.connections.every(c => c.closed)).toBe(true)
  expect(r.clock.pending).toBe(0)
})

test('a leg that joins during the closing gets a new room of that name, even for a known call', async () => {
  const { events, room } = await couple()
  const closed = room.close()
  const anna = r.live('anna-2', { speaks: 'en-us', hears: 'en-us', original: 'duck' }, 'CA1')
  await closed
  expect(events).toEqual(['r opened', 'r opened', 'left anna hangup', 'left bob hangup', 'r closed'])
  r.live('bob-2', { speaks: 'en-us', hears: 'en-us' }, 'CA2')
  expect(r.relay.rooms.get('r')?.participants.size).toBe(2)
  r.say('bob-2', sine(440, 1_000))
  await r.run(1_000)
  expect(loudness(anna.lately(500), 440, 16_000)).toBeGreaterThan(7_000)
})

test('hanging up one participant keeps the others', async () => {
  const { events } = await couple()
  await r.relay.find('bob')?.hangUp({ kind: 'failed', error: new BridgeError('CAPACITY', 'no') })
  await r.run(40)
  expect(events).toEqual(['r opened', 'left bob failed'])
  expect(r.relay.find('bob')).toBeUndefined()
  expect(r.relay.find('anna')).toBeDefined()
  expect(r.relay.rooms.get('r')?.participants.size).toBe(1)
})

test('methods of a participant who has left have no effect', async () => {
  await couple()
  const bob = r.relay.find('bob')!
  await bob.hangUp()
  await r.run(40)
  expect(bob.change({ hears: 'fr-fr' }).hears).toBe('fr-fr')
  expect(bob.repeat()).toBe(false)
  expect(await bob.announce({ name: 'x', pcm: sine(500, 100) }).ended).toBe('stopped')
  await bob.hangUp()
  await r.run(8_000)
  expect(r.translator.connections.filter(c => !c.closed)).toEqual([])
})
