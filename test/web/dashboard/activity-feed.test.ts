import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import type { LanguageId } from '../../../src/common/language.ts'
import type { TranslatedVoices } from '../../../src/core/model/invitation.ts'
import type { ParticipantChange } from '../../../src/core/model/participant-state.ts'
import { sine } from '../../support/transcode/tone.ts'
import { boardOf, follow, START, seen, watched } from '../../support/web/dashboard-harness.ts'

const PAIR = { speaks: 'en-us', hears: 'es-es' }

test('a snapshot contains rooms, legs and process figures', async () => {
  const world = await watched()
  world.join('anna', { room: 'recorded', ...PAIR, name: 'Anna' })
  await world.run(2_000)
  const board = boardOf(world.look())
  expect([...board.rooms.values()]).toEqual([
    { node: '', name: 'recorded', since: START + 1_000, sessions: 1, recording: 'recording' },
  ])
  const [leg] = board.legs.values()
  expect(leg?.figures).toEqual({
    ...{ n: 1, id: 'anna', room: 'recorded', channel: 'fake', name: 'Anna', speaks: 'en-us', hears: 'es-es' },
    ...{ original: 'duck', muted: false, interpreting: true, present: true, since: START + 1_000 },
    sessions: [{ to: 'es-es', status: 'live', unavailable: false, drops: 0 }],
    lacks: [],
    ...{ lost: { line: 0, service: 0 }, returns: 0, simulated: null },
  })
  expect(board.health).toEqual([
    {
      ...{ loopLagMs: 1.3, cpuPercent: 12.3, memoryMiB: 100, memoryPercent: 12 },
      ...{
        services: ['closed'],
        listeners: { needing: 1, lacking: 0, speakers: [] },
        waiting: 0,
        onFallback: 0,
        overloadReason: null,
        rejected: 0,
        draining: false,
      },
      requestGuard: { connections: 3, unauthenticated: 1, rejected: 10, malformed: 0 },
      embedded: { running: true, restarts: 2, standIns: ['espeak instead of sherpa'] },
    },
  ])
})

test('unchanged figures are not sent again', async () => {
  const world = await watched()
  world.join('anna', PAIR)
  await world.run(1_000)
  const feed = world.look()
  const delta = JSON.parse(feed.delta())
  expect(delta).toMatchObject({ rooms: [], legs: [], goneRooms: [], goneLegs: [], lag: [], events: [] })
  expect(delta).not.toHaveProperty('calls')
  world.party('anna').change({ muted: true })
  expect(JSON.parse(feed.delta())).toMatchObject({
    legs: [{ id: 'anna', muted: true }],
    events: [{ who: 'anna', text: 'muted', kind: 'party', bad: false }],
  })
  await world.legs.get('anna')!.close({ kind: 'hangup', by: 'remote' })
  await world.run(20)
  expect(JSON.parse(feed.delta())).toMatchObject({ goneRooms: ['r'], goneLegs: [1] })
})

test('events describe every changed setting in words', async () => {
  const world = await watched()
  world.join('anna', PAIR)
  await world.run(1_000)
  const feed = world.look()
  feed.delta()
  const words = (change: ParticipantChange) => {
    world.party('anna').change(change)
    return JSON.parse(feed.delta()).events.at(-1).text
  }
  expect(words({ hears: 'fr-fr' as LanguageId })).toBe('hears French (France)')
  expect(words({ hears: null })).toBe('hears originals')
  expect(words({ speaks: null })).toBe('only listens')
  expect(words({ speaks: 'es-es' as LanguageId })).toBe('speaks Spanish (Spain)')
  expect(words({ voice: 'alto' })).toBe('hears the voice alto')
  expect(words({ translatedVoices: { 'en-us': 'alto' } as TranslatedVoices })).toBe(
    'is translated in a chosen voice',
  )
  expect(words({ original: 'off' })).toBe('original voices: off')
  expect(words({ name: 'Anna Lee' })).toBe('is now called Anna Lee')
  expect(words({ muted: true })).toBe('muted')
  expect(words({ muted: false, interpreting: false })).toBe('no longer muted, interpretation off')
})

test('levels are the maximum since the last update, in decibels, and are sent when they change', async () => {
  const world = await watched()
  world.join('anna', PAIR)
  world.join('bob', PAIR)
  await world.run(100)
  const feed = world.look()
  // RMS of 8,000 / √2: 15.3 dB below full scale, three quarters of the way up from −60 dB.
  world.say('anna', sine(500, 5_000))
  await world.run(200)
  expect(feed.levels()).toBe('[1,75]')
  await world.run(200)
  expect(feed.levels()).toBeUndefined()
  world.party('anna').change({ muted: true })
  await world.run(300)
  feed.levels()
  await world.run(300)
  expect(feed.levels() ?? '[1,0]').toBe('[1,0]')
})

test('a leg shows lost connections, failures and simulated phones', async () => {
  const world = await watched()
  world.simulated.set('CA1', { call: 'simulated-1', phone: 0 })
  world.live('first', PAIR, 'CA1')
  await world.run(3_000)
  const feed = world.look()
  world.connection('en-us', 'es-es').drop({ kind: 'hangup', by: 'remote' })
  await world.legs
    .get('first')!
    .close({ kind: 'failed', error: new BridgeError('LEG_LOST', 'it broke', { retryable: true }) })
  world.live('second', PAIR, 'CA1')
  await world.run(100)
  const board = boardOf(feed)
  follow(board, feed)
  const [leg] = board.legs.values()
  expect(leg?.figures.simulated).toEqual({ call: 'simulated-1', phone: 0 })
  expect(leg?.figures.sessions[0]?.drops).toBe(1)
  expect(leg?.figures.returns).toBe(1)
  expect(board.events.map(({ text }) => text).join('\n')).toMatch(/lost, attempt/)
})

test('an utterance has its latency, and a lagging leg its lag', async () => {
  const world = await watched()
  world.live('anna', PAIR)
  await world.run(500)
  const feed = world.look()
  const board = boardOf(feed)
  world.say('anna', sine(440, 1_000))
  await world.run(2_000)
  for (const id of ['1', '2', '3']) world.answer('en-us', 'es-es', 900, 3_000, id)
  await world.run(1_000)
  follow(board, feed)
  const [heard] = board.utterances
  expect(heard).toMatchObject({ room: 'r', speaker: 'anna', listener: 'anna' })
  expect(heard?.stages).toHaveProperty('bridgeMs')
  // Speech ended a second before the result arrived.
  expect(heard!.latencyMs).toBeGreaterThan(900)
  expect(heard!.latencyMs).toBeLessThan(1_300)
  const [leg] = board.legs.values()
  // Three results of 3 s arrive at once: the last is heard six seconds late, minus the time saved by catching up.
  expect(leg!.lagMs).toBeGreaterThan(2_000)
  expect(Math.max(...leg!.curve.points)).toBe(leg!.lagMs)
  expect(leg!.lagMs % 10).toBe(0)
})

test('a snapshot is reused for all viewers and rebuilt after changes', async () => {
  const world = await watched()
  world.join('anna', PAIR)
  const feed = world.look()
  const first = feed.snapshot
  world.join('bob', PAIR)
  expect(feed.snapshot).toBe(first)
  feed.delta()
  expect(feed.snapshot).not.toBe(first)
})

test('listens and measures only while it is open', async () => {
  const world = await watched()
  expect([world.listening(), world.pulse.running]).toEqual([false, 0])
  const feed = world.look()
  expect([world.listening(), world.pulse.running]).toEqual([true, 1])
  feed[Symbol.dispose]()
  expect([world.listening(), world.pulse.running]).toEqual([false, 0])
})

test('truncates a flood of events and reports the number of missing ones', async () => {
  const world = await watched()
  world.join('anna', PAIR)
  const feed = world.look()
  for (let n = 0; n < 1_000; n++)
    world.relay.observer.emit('dtmf', { room: 'r', participant: 'anna', digit: '7' })
  const { events, missed } = JSON.parse(feed.delta())
  expect([events.length, missed]).toEqual([40, 960])
  // After the opening of the room and the arrival.
  expect(events.at(-1).id).toBe(1_002)
  expect(boardOf(feed).events).toHaveLength(200)
})

test('a viewer that follows the updates ends with the same state as a new viewer', async () => {
  const act = fc.oneof(
    fc.record({ kind: fc.constant('join' as const), id: fc.nat(5), room: fc.constantFrom('a', 'b') }),
    fc.record({ kind: fc.constant('leave' as const), id: fc.nat(5) }),
    fc.record({ kind: fc.constant('mute' as const), id: fc.nat(5), muted: fc.boolean() }),
    fc.record({ kind: fc.constant('talk' as const), id: fc.nat(5) }),
    fc.record({ kind: fc.constant('drop' as const) }),
    fc.record({ kind: fc.constant('tick' as const) }),
    fc.record({ kind: fc.constant('look' as const) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async acts => {
      const world = await watched()
      const feed = world.look()
      const boards = [boardOf(feed)]
      const tick = () => {
        const [levels, delta] = [feed.levels(), feed.delta()]
        for (const board of boards) follow(board, { levels: () => levels, delta: () => delta })
      }
      for (const each of acts) {
        const id = `p${'id' in each ? each.id : ''}`
        const leg = world.legs.get(id)
        const there = world.relay.find(id)
        if (each.kind === 'join' && !there) world.join(id, { room: each.room, ...PAIR })
        if (each.kind === 'leave') await leg?.close({ kind: 'hangup', by: 'remote' })
        if (each.kind === 'mute') there?.change({ muted: each.muted })
        if (each.kind === 'talk') world.say(id, sine(440, 300))
        if (each.kind === 'drop') world.translator.connections.at(-1)?.drop({ kind: 'hangup', by: 'remote' })
        if (each.kind === 'tick') tick()
        if (each.kind === 'look') boards.push(boardOf(feed))
        await world.run(40)
      }
      tick()
      const now = seen(boardOf(feed))
      for (const board of boards) expect(seen(board)).toEqual(now)
      await world.relay.close()
    }),
    { seed: 20_261_121, numRuns: 40 },
  )
})

test('events name participants as people know them, simulated phones as such, also those who have just left', async () => {
  const world = await watched()
  world.simulated.set('CA1', { call: 'simulated-1', phone: 1 })
  world.live('phone', PAIR, 'CA1')
  world.join('anna', { ...PAIR, name: 'Anna' })
  await world.run(2_000)
  const feed = world.look()
  feed.delta()
  world.party('anna').change({ muted: true })
  await world.legs.get('phone')!.close({ kind: 'hangup', by: 'remote' })
  await world.run(20)
  const { events } = JSON.parse(feed.delta())
  expect(events).toContainEqual(expect.objectContaining({ who: 'Anna', text: 'muted' }))
  expect(events).toContainEqual(
    expect.objectContaining({ who: 'Simulated phone 2', text: expect.stringContaining('left') }),
  )
})

test('opened during a call, it shows the translations and events so far, and who lacks which speaker', async () => {
  const world = await watched()
  const refusal = new BridgeError('SERVICE_REFUSED', 'the service reports limit/minutes_used_up', {
    retryable: true,
  })
  world.join('anna', { speaks: 'en-us', hears: 'en-us', name: 'Anna' })
  world.join('bob', { hears: 'es-es', name: 'Bob' })
  world.join('carla', { hears: 'de-de', name: 'Carla' })
  world.say('anna', sine(440, 600))
  await world.run(1_000)
  world.answer('en-us', 'es-es', 1_800, 300)
  await world.run(500)
  world.say('anna', sine(440, 3_000))
  world.translator.refuse = { kind: 'failed', error: refusal }
  world.connection('en-us', 'de-de').drop(world.translator.refuse)
  await world.run(3_000)
  const board = boardOf(world.look())
  expect(board.utterances).toMatchObject([{ speaker: 'Anna', listener: 'Bob' }])
  expect(board.events.map(({ who, text }) => `${who} ${text}`)).toContain(
    'Carla lacks a translation into German (Germany), hears original',
  )
  expect(board.health.at(-1)?.listeners).toEqual({ needing: 2, lacking: 1, speakers: ['Anna'] })
  expect([...board.legs.values()].map(({ figures: { name, lacks } }) => [name, lacks])).toEqual([
    ['Anna', []],
    ['Bob', []],
    ['Carla', ['Anna']],
  ])
})
