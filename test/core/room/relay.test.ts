import { afterEach, describe, expect, test } from 'vitest'
import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { loudness, peak } from '../../../src/transcode/level.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

const lost = { kind: 'failed', error: new BridgeError('SERVICE_LOST', 'gone', { retryable: true }) } as const
type Rooms = Awaited<ReturnType<typeof rooms>>
let r: Rooms
afterEach(() => r.relay.close())

/** The level of `hz` in the playback of `leg` since sample `from`. */
const level = (leg: FakeLeg, hz: number, from = 0) => loudness(leg.heard().subarray(from), hz, 16_000)

describe('a leg alone', () => {
  test('hears its own translation but not its original voice', async () => {
    r = await rooms()
    const anna = r.join('anna', { speaks: 'en-us', hears: 'es-es' })
    await r.run(100)
    r.say('anna', sine(440, 1_000))
    await r.run(1_300)
    expect(anna.played).toHaveLength(0)
    r.answer('en-us', 'es-es', 1_800, 1_000)
    await r.run(1_500)
    expect(level(anna, 1_800)).toBeGreaterThan(3_000)
    expect(level(anna, 440)).toBeLessThan(20)
    expect(r.captions).toEqual([
      expect.objectContaining({
        from: 'en-us',
        to: 'es-es',
        text: 'en-us 1',
        translation: 'es-es 1',
        final: true,
      }),
    ])
    const [begun] = r.utterances
    expect(begun).toMatchObject({ stage: 'begun', speaker: 'anna', listener: 'anna' })
    // Speech ended 300 ms before the response, within a frame.
    expect(begun?.latencyMs).toBeGreaterThanOrEqual(280)
    expect(begun?.latencyMs).toBeLessThanOrEqual(320)
  })

  test('is notified when its translation was played', async () => {
    r = await rooms()
    const anna = r.join('anna', { speaks: 'en-us', hears: 'es-es' })
    await r.run(100)
    r.answer('en-us', 'es-es', 1_800, 300)
    await r.run(600)
    expect(anna.marks).toHaveLength(1)
    anna.uplink?.marked(anna.marks[0]!.name)
    expect(r.utterances.map(e => e.stage)).toEqual(['begun', 'heard'])
    expect(r.relay.metrics.utterancesHeard).toBe(1)
  })

  test('never hears its own voice while the service is unavailable, then translations again', async () => {
    r = await rooms()
    const anna = r.join('anna', { speaks: 'en-us', hears: 'es-es' })
    await r.run(3_000)
    r.say('anna', sine(440, 10_000))
    await r.run(1_000)
    r.translator.autoReady = false
    r.translator.last.drop(lost)
    await r.run(2_200)
    expect(anna.played).toHaveLength(0)
    r.translator.last.sink.ready()
    await r.run(100)
    // The new connection receives everything since the start of the sentence.
    const bytes = r.translator.last.sent.reduce((sum, s) => sum + s.bytes.length, 0)
    expect(bytes / 32).toBeGreaterThanOrEqual(3_200)
    r.answer('en-us', 'es-es', 1_800, 500)
    await r.run(1_000)
    expect(level(anna, 1_800)).toBeGreaterThan(1_500)
    expect(level(anna, 440)).toBeLessThan(20)
  })
})

describe('two legs, two languages', () => {
  async function couple(original: 'off' | 'low' | 'duck' = 'duck') {
    r = await rooms()
    const anna = r.join('anna', { speaks: 'en-us', hears: 'en-us', original })
    const bob = r.join('bob', { speaks: 'es-es', hears: 'es-es', original })
    await r.run(100)
    return { anna, bob }
  }

  test('hear each other translated, over a quiet original, and never themselves', async () => {
    const { anna, bob } = await couple()
    r.say('anna', sine(440, 2_000))
    r.say('bob', sine(700, 2_000))
    await r.run(1_000)
    r.answer('en-us', 'es-es', 1_800, 1_000)
    r.answer('es-es', 'en-us', 2_500, 1_000)
    await r.run(1_500)
    expect(level(bob, 1_800)).toBeGreaterThan(2_000)
    expect(level(bob, 440)).toBeGreaterThan(300)
    expect(level(bob, 440)).toBeLessThan(3_000)
    expect(level(anna, 2_500)).toBeGreaterThan(2_000)
    expect(level(anna, 700)).toBeGreaterThan(300)
    for (const [leg, own, foreign] of [
      [anna, 440, 1_800],
      [bob, 700, 2_500],
    ] as const) {
      expect(level(leg, own)).toBeLessThan(30)
      expect(level(leg, foreign)).toBeLessThan(30)
    }
  })

  test('the second participant joins: the session is kept, the echo of the first ends', async () => {
    r = await rooms()
    const anna = r.join('anna', { speaks: 'en-us', hears: 'es-es' })
    await r.run(100)
    const bob = r.join('bob', { speaks: 'es-es', hears: 'es-es' })
    await r.run(100)
    expect(r.translator.connections).toHaveLength(1)
    r.answer('en-us', 'es-es', 1_800, 500)
    await r.run(1_000)
    expect(level(bob, 1_800)).toBeGreaterThan(2_000)
    expect(level(anna, 1_800)).toBeLessThan(30)
  })

  test('one session per target language, for any number of listeners', async () => {
    const { anna } = await couple()
    const carl = r.join('carl', { speaks: 'es-es', hears: 'es-419' })
    const dora = r.join('dora', { hears: 'es-es' })
    await r.run(100)
    const from = (id: string) => r.translator.connections.filter(c => c.request.from === id && !c.closed)
    expect(
      from('en-us')
        .map(c => c.request.to)
        .sort(),
    ).toEqual(['es-419', 'es-es'])
    expect(from('es-es')).toHaveLength(2)
    r.answer('en-us', 'es-es', 1_800, 500)
    await r.run(800)
    expect(level(dora, 1_800)).toBeGreaterThan(2_000)
    expect(level(carl, 1_800)).toBeLessThan(30)
    // Carl and Bob speak the same language: originals only.
    r.say('bob', sine(700, 600))
    await r.run(800)
    expect(peak(carl.heard())).toBe(8_000)
    expect(anna.uplink).toBeDefined()
  })

  test('the last words of a leaving participant still arrive', async () => {
    const { anna, bob } = await couple()
    r.say('anna', sine(440, 600))
    await r.run(700)
    void anna.close({ kind: 'hangup', by: 'remote' })
    await r.run(200)
    r.answer('en-us', 'es-es', 1_800, 500)
    await r.run(1_000)
    expect(level(bob, 1_800)).toBeGreaterThan(1_500)
    await r.run(7_000)
    expect(r.connection('en-us', 'es-es').closed).toBe(true)
  })

  test('an outage in one direction: that original is audible, the other direction stays translated', async () => {
    const { anna, bob } = await couple('off')
    await r.run(3_000)
    r.say('anna', sine(440, 3_000))
    r.say('bob', sine(700, 3_000))
    await r.run(300)
    r.translator.autoReady = false
    r.connection('en-us', 'es-es').drop(lost)
    await r.run(1_000)
    expect(peak(bob.heard())).toBe(8_000)
    expect(anna.played).toHaveLength(0)
    r.answer('es-es', 'en-us', 2_500, 500)
    await r.run(800)
    expect(level(anna, 2_500)).toBeGreaterThan(2_000)
  })

  test('a service that refuses previously accepted audio is retried while originals pass', async () => {
    const { bob } = await couple('off')
    const told = new Promise(resolve => r.relay.observer.on('session', resolve))
    r.connection('en-us', 'es-es').drop({
      kind: 'failed',
      error: new BridgeError('SERVICE_REFUSED', 'no such pair'),
    })
    expect(await told).toMatchObject({ status: 'waiting' })
    r.translator.autoReady = false
    r.say('anna', sine(440, 1_000))
    await r.run(1_000)
    expect(peak(bob.heard())).toBe(8_000)
    r.connection('en-us', 'es-es').sink.ready()
    expect(r.relay.metrics.sessionsEnded).toBe(0)
  })
})

describe('the relay', () => {
  test('decodes a long result in slices and plays all of it', async () => {
    r = await rooms()
    const anna = r.join('anna', { speaks: 'en-us', hears: 'es-es' })
    await r.run(100)
    r.answer('en-us', 'es-es', 1_800, 20_000)
    await r.run(20_500)
    expect(anna.heard().length / 16).toBeGreaterThanOrEqual(20_000)
    expect(anna.heard().length / 16).toBeLessThan(20_120)
    expect(r.relay.metrics.starved).toBe(0)
  })

  test('results without audio are counted, logged once, and skipped', async () => {
    r = await rooms()
    const anna = r.join('anna', { speaks: 'en-us', hears: 'es-es' })
    await r.run(100)
    const { sink } = r.connection('en-us', 'es-es')
    for (const utterance of ['1', '2', '3']) {
      sink.result({
        utterance,
        final: true,
        text: 'x',
        audio: Buffer.from('{"error":"not an mp3 at all, but long enough to try"}'),
      })
      sink.endOfSpeech()
      await r.run(500)
    }
    expect(anna.played).toHaveLength(0)
    expect(r.relay.metrics.mp3InvalidBytes).toBeGreaterThan(3 * 40)
    expect(r.log.complaints).toEqual([
      'voice not decodable {"speaker":"anna","to":"es-es","code":"SERVICE_NOT_MP3"}',
    ])
    r.answer('en-us', 'es-es', 1_800, 400, '4')
    await r.run(800)
    expect(level(anna, 1_800)).toBeGreaterThan(1_000)
  })

  test('rejects legs above the limit, which stay with the bridge', async () => {
    r = await rooms({ maxLegs: 1 })
    r.join('anna')
    const late = new FakeLeg('late')
    expect(() => r.relay.admit(late, { room: 'x' })).toThrow(
      expect.objectContaining({ code: 'CAPACITY', retryable: true }),
    )
    expect(late.uplink).toBeUndefined()
    expect(r.relay.metrics.legsRejected).toBe(1)
  })

  test('an error in an observer has no effect on calls', async () => {
    r = await rooms()
    r.relay.observer.on('caption', () => {
      throw new Error('mine')
    })
    const anna = r.join('anna', { speaks: 'en-us', hears: 'es-es' })
    await r.run(100)
    r.answer('en-us', 'es-es', 1_800, 400)
    await r.run(700)
    expect(level(anna, 1_800)).toBeGreaterThan(1_000)
  })

  test('closing ends every leg and session, and releases everything', async () => {
    r = await rooms()
    const anna = r.join('anna', { speaks: 'en-us', hears: 'es-es' })
    r.join('bob', { room: 'other', speaks: 'en-us', hears: 'es-es' })
    await r.run(100)
    r.answer('en-us', 'es-es', 1_800, 4_000)
    await r.relay.close()
    await r.relay.close()
    expect(await anna.ended).toEqual({ kind: 'parent-closed' })
    expect(r.relay.legs).toBe(0)
    expect(r.relay.rooms.size).toBe(0)
    expect(r.translator.connections.every(c => c.closed)).toBe(true)
    expect(r.clock.pending).toBe(0)
    expect(() => r.relay.admit(new FakeLeg('late'), { room: 'x' })).toThrow('closing')
  })
})
