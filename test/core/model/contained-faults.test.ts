import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { ContainedFaults } from '../../../src/core/model/contained-faults.ts'
import { Utterance } from '../../../src/core/utterance/utterance.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { LogLines } from '../../support/log-lines.ts'
import type { LiveLeg } from '../../support/relay/live-leg.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(async () => {
  vi.restoreAllMocks()
  await r?.relay.close()
})

const level = (leg: LiveLeg, hz: number, ms = 300) => loudness(leg.lately(ms), hz, 16_000)
const fault = () => {
  throw new Error('a fault of ours')
}
/** Log lines of the faults. */
const said = () => r.log.all.filter(({ fields }) => fields.reason === 'a fault of ours')

/** Two rooms with one speaker and one listener each. */
async function twoRooms() {
  r = await rooms()
  r.live('anna', { speaks: 'en-us', hears: 'en-us' })
  const bob = r.live('bob', { speaks: 'en-us', hears: 'en-us' })
  r.live('carl', { room: 'other', speaks: 'en-us', hears: 'en-us' })
  const dora = r.live('dora', { room: 'other', speaks: 'es-es', hears: 'es-es' })
  await r.run(200)
  r.say('anna', sine(300, 30_000))
  return { bob, dora }
}

/** Expects that both rooms work, including the translation in the second one. */
async function expectServed({ bob, dora }: { bob: LiveLeg; dora: LiveLeg }, id: string) {
  r.answer('en-us', 'es-es', 900, 600, id)
  await r.run(500)
  expect(level(bob, 300)).toBeGreaterThan(5_000)
  expect(level(dora, 900)).toBeGreaterThan(4_000)
}

/** Expects one log line with a stack, and the count. */
function expectTold(message: string, least = 1) {
  expect(said().map(line => line.message)).toEqual([message])
  expect(said()[0]!.fields.stack).toContain('contained-faults.test.ts')
  expect(r.relay.metrics.faultsContained).toBeGreaterThanOrEqual(least)
}

describe('does not affect others', () => {
  test('a room that throws on every tick', async () => {
    const legs = await twoRooms()
    r.relay.rooms.get('r')!.tick = fault
    r.answer('en-us', 'es-es', 900, 600)
    await r.run(500)
    expect(level(legs.dora, 900)).toBeGreaterThan(4_000)
    expectTold('room failed', 20)
  })

  test('an unreadable result: drops the utterance and plays the next', async () => {
    const legs = await twoRooms()
    const { sink } = r.connection('en-us', 'es-es')
    sink.result({ utterance: 'x', final: true, text: 'x', translation: 'y', audio: r.maker.tone(700, 200) })
    vi.spyOn(Utterance.prototype, 'write').mockImplementationOnce(fault)
    sink.result({ utterance: 'x', final: true, text: 'x', translation: 'y', audio: r.maker.tone(700, 400) })
    sink.endOfSpeech()
    // What was decoded before the fault is heard.
    await r.run(500)
    await expectServed(legs, '2')
    expectTold('utterance failed')
    expect(r.relay.legs).toBe(4)
  })

  test('an utterance that cannot be decoded', async () => {
    const legs = await twoRooms()
    r.answer('en-us', 'es-es', 700, 3_000)
    vi.spyOn(Utterance.prototype, 'decode').mockImplementationOnce(fault)
    await r.run(1_000)
    await expectServed(legs, '2')
    expectTold('utterance decoding failed')
    expect(r.relay.decoding).toBe(0)
  })

  test('a connection that throws on send: is replaced', async () => {
    const legs = await twoRooms()
    const connection = r.connection('en-us', 'es-es')
    connection.send = fault
    await r.run(1_500)
    const next = r.connection('en-us', 'es-es')
    expect(next).not.toBe(connection)
    expect(next.sent.length).toBeGreaterThan(5)
    await expectServed(legs, '2')
    expectTold('service connection failed')
  })

  test('a connection that cannot be opened: is retried', async () => {
    r = await rooms()
    vi.spyOn(r.translator, 'open').mockImplementationOnce(fault)
    r.live('anna', { speaks: 'en-us', hears: 'es-es' })
    await r.run(2_000)
    expect(r.translator.connections).toHaveLength(1)
    r.answer('en-us', 'es-es', 900, 600)
    expectTold('service connection failed')
  })

  test('a participant whose input throws: their leg ends', async () => {
    const { dora, bob } = await twoRooms()
    const carl = r.legs.get('carl')!
    vi.spyOn(r.relay.find('carl')!.echo!.gate, 'write').mockImplementation(fault)
    await r.run(100)
    expect(await carl.ended).toMatchObject({ kind: 'failed', error: { code: 'LEG_LOST' } })
    await r.run(300)
    expect(level(bob, 300)).toBeGreaterThan(5_000)
    expect(dora.over).toBe(false)
    expectTold('leg failed')
  })

  test('a listener whose voices cannot be mixed: their leg ends, the speaker stays', async () => {
    const { bob, dora } = await twoRooms()
    const voice = [...r.relay.find('bob')!.playout.voices.values()][0]!
    vi.spyOn(voice.original, 'ready').mockImplementation(fault)
    await r.run(100)
    expect(await bob.ended).toMatchObject({ kind: 'failed', error: { code: 'LEG_LOST' } })
    r.answer('en-us', 'es-es', 900, 600)
    await r.run(500)
    expect(level(dora, 900)).toBeGreaterThan(4_000)
    expect(r.relay.find('anna')).toBeDefined()
    expect(r.relay.legs).toBe(3)
    expectTold('leg failed')
  })

  test('a leg that throws when it is flushed, and rejects when it is closed', async () => {
    const legs = await twoRooms()
    const unheard = vi.fn()
    process.on('unhandledRejection', unheard)
    onTestFinished(() => void process.off('unhandledRejection', unheard))
    r.live('eve', { room: 'third', hears: 'en-us' })
    const eve = r.legs.get('eve')!
    eve.flush = fault
    vi.spyOn(eve, 'close').mockImplementation(() => Promise.reject(new Error('a fault of ours')))
    r.relay.find('eve')!.playout.clear()
    await expectServed(legs, '2')
    await new Promise(resolve => setImmediate(resolve))
    expect(unheard).not.toHaveBeenCalled()
    expect(said().map(({ message }) => message)).toEqual(['leg failed', 'leg close failed'])
  })

  test('an observer that throws at every event: is logged once', async () => {
    const legs = await twoRooms()
    r.relay.observer.on('level', fault)
    await r.run(1_000)
    await expectServed(legs, '2')
    expectTold('observer failed', 30)
  })

  test('a participant who cannot join: is removed, and others can join', async () => {
    const legs = await twoRooms()
    const room = r.relay.rooms.get('r')!
    vi.spyOn(room, 'join').mockImplementationOnce(fault)
    expect(() => r.live('eve', { hears: 'en-us' })).toThrow('a fault of ours')
    await r.legs.get('eve')!.close({ kind: 'hangup', by: 'local' })
    await r.run(100)
    expect(r.relay.legs).toBe(4)
    expect(r.relay.find('eve')).toBeUndefined()
    await expectServed(legs, '2')
  })
})

test('a timer that throws does not affect other timers, and each distinct fault is logged once', () => {
  const log = new LogLines()
  const metrics = { faultsContained: 0 }
  const faults = new ContainedFaults(log, metrics)
  const time = new FakeClock()
  const clock = faults.clock(time)
  let ran = 0
  for (let n = 1; n <= 5; n++) clock.at(clock.now() + n, fault)
  clock.at(clock.now() + 10, () => void ran++)
  clock.at(clock.now() + 11, () => {
    throw new TypeError('another')
  })
  time.advance(20)
  expect(ran).toBe(1)
  expect(metrics.faultsContained).toBe(6)
  expect(log.complaints).toHaveLength(2)
  for (let n = 0; n < 1_000; n++) faults.note(`place ${n}`, 'no error object')
  expect(metrics.faultsContained).toBe(1_006)
})
