import { afterEach, describe, expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import { loudness } from '../../../src/transcode/level.ts'
import type { LiveLeg } from '../../support/relay/live-leg.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

const broken: EndReason = {
  kind: 'failed',
  error: new BridgeError('LEG_LOST', 'the socket broke', { retryable: true }),
}
const heardMs = (leg: LiveLeg, hz: number, from = 0) => {
  let sum = 0
  for (let t = from; t < leg.age; t += 20) if (loudness(leg.between(t, t + 20), hz, 16_000) > 2_000) sum += 20
  return sum
}

async function set(options: Parameters<typeof rooms>[0] = {}) {
  r = await rooms(options)
  const events: string[] = []
  const { observer } = r.relay
  observer.on('admitted', e => events.push(`admitted ${e.participant}`))
  observer.on('disconnected', e => events.push(`lost ${e.participant}`))
  observer.on('reconnected', e => events.push(`returned ${e.participant} after ${e.absentMs}`))
  observer.on('left', e => events.push(`left ${e.participant} ${e.reason.kind}`))
  observer.on('room', e => events.push(`room ${e.state}`))
  return events
}

/** The leg of `call` breaks, and the participant's next one joins after `absentMs`. */
async function breaks(leg: LiveLeg, absentMs: number, id = `${leg.id}-2`) {
  void leg.close(broken)
  await r.run(absentMs)
  return r.live(id, {}, leg.call)
}

describe('a caller alone whose connection breaks', () => {
  test('finds the session, earlier speech and its translation intact', async () => {
    const events = await set()
    const anna = r.live('anna', { speaks: 'en-us', hears: 'es-es' }, 'CA1')
    await r.run(1_000)
    r.say('anna', sine(440, 1_000))
    await r.run(900)
    void anna.close(broken)
    await r.run(500)
    expect(r.relay.rooms.size).toBe(1)
    r.answer('en-us', 'es-es', 1_000, 1_000)
    await r.run(1_500)
    const again = r.live('anna-2', {}, 'CA1')
    await r.run(2_000)
    expect(r.translator.connections).toHaveLength(1)
    expect(heardMs(again, 1_000)).toBeGreaterThanOrEqual(800)
    expect(events).toEqual([
      'room opened',
      'admitted anna',
      'lost anna',
      expect.stringMatching(/^returned anna after (19[7-9]\d|2000)$/),
    ])
    expect(r.relay.find('anna')).toBe(r.relay.find('anna-2'))
    expect(r.relay.find('anna')?.frames).toBeGreaterThan(100)
    // The service receives their speech as before.
    r.say('anna-2', sine(440, 1_000))
    const { sent } = r.connection('en-us', 'es-es')
    const before = sent.length
    await r.run(1_000)
    const sentMs = sent.slice(before).reduce((ms, { bytes }) => ms + bytes.length / 32, 0)
    expect(sentMs).toBeGreaterThanOrEqual(900)
  })

  test('has a limited reconnection window; then everything ends', async () => {
    const events = await set()
    const anna = r.live('anna', { speaks: 'en-us', hears: 'es-es' }, 'CA1')
    await r.run(1_000)
    void anna.close(broken)
    await r.run(9_900)
    expect(r.relay.rooms.size).toBe(1)
    await r.run(200)
    expect(events).toEqual(['room opened', 'admitted anna', 'lost anna', 'left anna failed', 'room closed'])
    expect([r.relay.rooms.size, r.relay.legs]).toEqual([0, 0])
    expect(r.translator.last.closed).toBe(true)
    expect(r.clock.pending).toBe(0)
    // Their next leg is a new participant.
    r.live('anna-2', { speaks: 'en-us', hears: 'es-es' }, 'CA1')
    expect(r.relay.find('anna')).toBeUndefined()
    expect(events.at(-1)).toBe('admitted anna-2')
  })

  test.each([
    ['hangs up', { kind: 'hangup', by: 'remote' } as EndReason, {}, 'CA1'],
    [
      'violates the protocol',
      { kind: 'failed', error: new BridgeError('LEG_PROTOCOL', 'x') } as EndReason,
      {},
      'CA1',
    ],
    ['has no call to reconnect to', broken, {}, undefined],
    ['has reconnection disabled', broken, { reconnectWindowMs: 0 }, 'CA1'],
  ])('who %s has no reconnection window', async (_, reason, options, call) => {
    const events = await set(options)
    const anna = r.live('anna', { speaks: 'en-us', hears: 'es-es' }, call)
    await r.run(100)
    void anna.close(reason)
    await r.run(40)
    expect(events.slice(2)).toEqual([`left anna ${reason.kind}`, 'room closed'])
    expect(r.relay.rooms.size).toBe(0)
  })

  test('loses the room all the same when the relay or the room closes, or on hang-up', async () => {
    for (const end of ['relay', 'room', 'party'] as const) {
      const events = await set()
      const anna = r.live('anna', { speaks: 'en-us', hears: 'es-es' }, 'CA1')
      await r.run(100)
      void anna.close(broken)
      await r.run(100)
      if (end === 'relay') await r.relay.close()
      else if (end === 'room') await r.relay.rooms.get('r')?.close()
      else void r.relay.find('anna')?.hangUp()
      await r.run(40)
      expect(events.slice(2)).toEqual([
        'lost anna',
        `left anna ${end === 'relay' ? 'parent-closed' : 'hangup'}`,
        'room closed',
      ])
      expect(r.clock.pending).toBe(0)
      await r.relay.close()
    }
  })
})

describe('one of two participants whose connection breaks', () => {
  async function couple(original: 'off' | 'duck' = 'off') {
    const events = await set()
    const anna = r.live('anna', { speaks: 'en-us', hears: 'en-us', original }, 'CA1')
    const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es', original }, 'CA2')
    await r.run(1_000)
    return { events, anna, bob }
  }

  test('hears the interrupted sentence again from the start, then all later ones, once', async () => {
    const { bob } = await couple()
    r.answer('en-us', 'es-es', 1_000, 800, '1')
    await r.run(1_500)
    r.answer('en-us', 'es-es', 1_500, 2_000, '2')
    await r.run(1_000)
    void bob.close(broken)
    await r.run(1_000)
    r.answer('en-us', 'es-es', 2_000, 600, '3')
    await r.run(1_000)
    const again = r.live('bob-2', {}, 'CA2')
    await r.run(4_000)
    expect(heardMs(again, 1_000)).toBe(0)
    expect(heardMs(again, 1_500)).toBeGreaterThanOrEqual(1_500)
    expect(heardMs(again, 2_000)).toBeGreaterThanOrEqual(440)
    expect(r.utterances.filter(e => e.stage === 'heard').map(e => e.utterance)).toEqual([
      'anna.1.1',
      'anna.1.2',
      'anna.1.3',
    ])
    expect(r.utterances.some(e => e.stage === 'dropped')).toBe(false)
    // Latency is that of the first playback.
    expect(r.relay.metrics.speechToTranslationMs.count).toBeLessThanOrEqual(3)
  })

  test('hears sentences again that were sent in full but not confirmed', async () => {
    const { bob } = await couple()
    r.answer('en-us', 'es-es', 1_000, 300, '1')
    await r.run(200)
    // All of it was sent by now; 200 ms were still to be played.
    const again = await breaks(bob, 2_000)
    await r.run(1_000)
    expect(heardMs(again, 1_000)).toBeGreaterThanOrEqual(240)
    expect(r.utterances.map(e => e.stage)).toEqual(['begun', 'begun', 'heard'])
  })

  test('is audible to the other again, live, without stale audio', async () => {
    const { bob } = await couple('duck')
    r.say('anna', sine(300, 60_000, 6_000))
    await r.run(1_000)
    r.relay.find('bob')?.change({ hears: 'en-us' })
    const again = await breaks(bob, 3_000)
    await r.run(1_000)
    expect(loudness(again.lately(500), 300, 16_000)).toBeGreaterThan(5_900)
    expect(r.relay.find('bob')?.state.hears).toBe('en-us')
    expect(r.relay.find('bob')?.playout.aheadMs(r.clock.now())).toBeLessThanOrEqual(60)
  })

  test('sends a moment of silence to the service, so that their last words are completed', async () => {
    const { anna, bob } = await couple()
    r.say('anna', sine(440, 5_000))
    await r.run(1_000)
    const connection = r.connection('en-us', 'es-es')
    void anna.close(broken)
    await r.run(60)
    const before = connection.sent.length
    await r.run(3_000)
    const sent = connection.sent
      .slice(before)
      .flatMap(({ bytes }) => Array.from(new Int16Array(bytes.buffer)))
    expect(sent.every(sample => sample === 0)).toBe(true)
    expect(sent.length / 16).toBeGreaterThanOrEqual(880)
    expect(sent.length / 16).toBeLessThanOrEqual(1_000)
    r.answer('en-us', 'es-es', 1_000, 500)
    await r.run(1_000)
    expect(heardMs(bob, 1_000)).toBeGreaterThanOrEqual(440)
  })

  test('resumes a notice at its position', async () => {
    const { bob } = await couple()
    const notice = r.relay.find('bob')?.announce({ name: 'notice', pcm: sine(500, 2_000, 6_000) })
    await r.run(1_000)
    const heardBefore = heardMs(bob, 500)
    const again = await breaks(bob, 1_000)
    await r.run(2_000)
    expect(await notice?.ended).toBe('heard')
    expect(heardBefore + heardMs(again, 500)).toBeGreaterThanOrEqual(1_940)
    expect(heardBefore + heardMs(again, 500)).toBeLessThanOrEqual(2_040)
  })

  test.each([3.3, 17.9, 106.7])(
    'hears the rest of a notice at the same volume, reconnected %f ms into a turn',
    async ms => {
      const { bob } = await couple()
      const tone = { name: 'notice', pcm: sine(500, 3_000, 6_000) }
      const notice = r.relay.find('bob')?.announce(tone)
      await r.run(700)
      r.clock.advance(ms)
      const again = await breaks(bob, 300)
      await r.run(1_500)
      const before = loudness(bob.between(1_200, 1_600), 500, 16_000)
      expect(before).toBeGreaterThan(5_000)
      expect(loudness(again.between(300, 1_300), 500, 16_000) / before).toBeCloseTo(1, 2)
      await r.run(2_500)
      expect(await notice?.ended).toBe('heard')
    },
  )

  test('and whose next leg arrives before the end of the last changes legs, as the same participant', async () => {
    const { events, bob } = await couple()
    r.answer('en-us', 'es-es', 1_000, 2_000)
    await r.run(1_000)
    const again = r.live('bob-2', {}, 'CA2')
    void bob.close({ kind: 'replaced' })
    const said = r.relay.find('bob')?.frames
    bob.say(sine(440, 100))
    expect(r.relay.find('bob')?.frames).toBe(said)
    await r.run(3_000)
    expect(heardMs(again, 1_000)).toBeGreaterThanOrEqual(1_500)
    expect(events.slice(3)).toEqual(['returned bob after 0'])
    expect(r.relay.legs).toBe(2)
    void again.close({ kind: 'hangup', by: 'remote' })
    await r.run(40)
    expect(events.slice(4)).toEqual(['left bob hangup'])
    expect([r.relay.find('bob'), r.relay.find('bob-2')]).toEqual([undefined, undefined])
  })

  test('can reconnect at the limit of legs, but only to their own place', async () => {
    const events = await set({ maxLegs: 2 })
    const anna = r.live('anna', { hears: 'es-es' }, 'CA1')
    r.live('bob', { speaks: 'es-es' }, 'CA2')
    await r.run(100)
    r.live('anna-2', {}, 'CA1')
    void anna.close({ kind: 'replaced' })
    await r.run(40)
    expect(events).toContain('returned anna after 0')
    expect(() => r.live('carl')).toThrow('limit of 2 legs reached')
  })

  test('is a new participant in another room', async () => {
    const { events, bob } = await couple()
    void bob.close(broken)
    await r.run(100)
    r.live('bob-2', { room: 'other', hears: 'es-es' }, 'CA2')
    expect(events.at(-1)).toBe('admitted bob-2')
    expect(r.relay.find('bob')).not.toBe(r.relay.find('bob-2'))
    await r.run(11_000)
    expect(events).toContain('left bob failed')
    expect(r.relay.find('bob-2')).toBeDefined()
  })

  test('stays the same participant after many reconnections', async () => {
    const { events, bob } = await couple()
    let leg = bob
    for (let n = 2; n < 8; n++) leg = await breaks(leg, 500, `bob-${n}`)
    r.answer('en-us', 'es-es', 1_000, 500)
    await r.run(1_000)
    expect(heardMs(leg, 1_000)).toBeGreaterThanOrEqual(440)
    expect(events.filter(e => e.startsWith('returned'))).toHaveLength(6)
    expect(r.relay.metrics).toMatchObject({ legsAdmitted: 8, legsEnded: 6 })
  })
})
