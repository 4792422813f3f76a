import { afterEach, describe, expect, test } from 'vitest'
import type { RelayEvents } from '../../../src/core/model/events.ts'
import { loudness, peak } from '../../../src/transcode/level.ts'
import { type LiveLeg, steepest } from '../../support/relay/live-leg.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { gainBelow } from '../../support/transcode/loudness-meter.ts'
import { sine } from '../../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

/** Low tones, so that a click is detectable: the steepest step of all of them together is below 2 000. */
const ANNA = 200
const BOB = 320
const level = (pcm: Int16Array, hz: number) => loudness(pcm, hz, 16_000)
/** Minimum level of `hz` in any 40 ms. */
const least = (pcm: Int16Array, hz: number) => {
  let least = Number.POSITIVE_INFINITY
  for (let at = 0; at + 640 <= pcm.length; at += 320)
    least = Math.min(least, level(pcm.subarray(at, at + 640), hz))
  return least
}

async function couple(invitation: Parameters<typeof r.live>[1] = {}) {
  r = await rooms()
  const events: RelayEvents['changed'][] = []
  r.relay.observer.on('changed', event => events.push(event))
  const anna = r.live('anna', { speaks: 'en-us', hears: 'en-us', ...invitation })
  const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es', ...invitation })
  await r.run(1_000)
  const a = r.relay.find('anna')!
  const b = r.relay.find('bob')!
  return { anna, bob, a, b, events }
}
const open = () =>
  r.translator.connections.filter(c => !c.closed).map(({ request }) => `${request.from} ${request.to}`)
const clickless = (...legs: LiveLeg[]) => {
  for (const leg of legs) expect(steepest(leg.between(0, leg.age))).toBeLessThan(2_000)
}

describe('a language that follows the speaker', () => {
  test('after two sentences in another one: the room is told, and translates from it', async () => {
    r = await rooms({ followLanguages: ['en-us', 'es-es', 'fr-fr'] })
    const events: RelayEvents['changed'][] = []
    r.relay.observer.on('changed', event => events.push(event))
    r.live('anna', { speaks: 'en-us', hears: 'en-us' })
    const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es' })
    await r.run(1_000)
    for (const id of ['1', '2']) {
      r.say('anna', sine(ANNA, 800, 6_000))
      await r.run(1_500)
      const { sink } = r.translator.connections.findLast(c => c.request.from === 'en-us')!
      sink.result({
        utterance: id,
        final: true,
        text: `bonjour ${id}`,
        translation: 'hola',
        language: 'fr-ca',
      })
      await r.run(300)
      if (id === '1') expect(events).toEqual([])
    }
    expect(events).toEqual([
      {
        room: 'r',
        participant: 'anna',
        state: expect.objectContaining({ speaks: 'fr-fr', hears: 'fr-fr' }),
        changes: ['speaks', 'hears'],
      },
    ])
    await r.run(500)
    r.say('anna', sine(ANNA, 800, 6_000))
    r.answer('fr-fr', 'es-es', 500, 800)
    await r.run(1_500)
    expect(level(bob.lately(1_500), 500)).toBeGreaterThan(1_000)
  })
})

describe('a language changed during a call', () => {
  test('of a listener: plays the original without a gap, completes the sentence, then uses the new language', async () => {
    const { bob, b, events } = await couple()
    r.say('anna', sine(ANNA, 12_000, 6_000))
    await r.run(500)
    r.answer('en-us', 'es-es', 400, 1_000, '1')
    await r.run(300)
    expect(b.change({ hears: 'fr-fr' })).toMatchObject({ hears: 'fr-fr' })
    await r.run(100)
    expect(open()).toContain('en-us fr-fr')
    // Results for earlier speech still arrive from the previous session.
    r.answer('en-us', 'es-es', 450, 500, '2')
    await r.run(2_000)
    expect(level(bob.lately(2_000), 450)).toBeGreaterThan(1_000)
    r.answer('en-us', 'fr-fr', 500, 1_000)
    await r.run(2_000)
    const heard = bob.between(1_300, 5_900)
    expect(least(heard, ANNA)).toBeGreaterThan(6_000 * 10 ** (-24 / 20))
    expect(level(bob.lately(1_500), 500)).toBeGreaterThan(2_000)
    expect(r.utterances.filter(e => e.stage === 'dropped')).toEqual([])
    expect(events).toEqual([
      {
        room: 'r',
        participant: 'bob',
        state: expect.objectContaining({ hears: 'fr-fr' }),
        changes: ['hears'],
      },
    ])
    await r.run(6_000)
    expect(open().sort()).toEqual(['en-us fr-fr', 'es-es en-us'])
    clickless(bob)
  })

  test('of a speaker: translates all earlier speech from the old language', async () => {
    const { bob, a } = await couple()
    r.say('anna', sine(ANNA, 4_000, 6_000))
    await r.run(1_000)
    a.change({ speaks: 'fr-fr' })
    await r.run(500)
    const before = r.connection('en-us', 'es-es').sent.length
    r.answer('en-us', 'es-es', 400, 1_000, '1')
    await r.run(1_500)
    expect(level(bob.lately(1_500), 400)).toBeGreaterThan(3_000)
    r.answer('fr-fr', 'es-es', 500, 500, '1')
    await r.run(1_000)
    expect(level(bob.lately(1_000), 500)).toBeGreaterThan(2_000)
    expect(least(bob.between(1_300, 4_900), ANNA)).toBeGreaterThan(6_000 * 10 ** (-24 / 20))
    // The old session receives a second of silence, which marks the end, and no speech in the new language.
    await r.run(6_000)
    const old = r.connection('en-us', 'es-es')
    expect(old.closed).toBe(true)
    const after = old.sent.slice(before - 1).flatMap(({ bytes }) => Array.from(new Int16Array(bytes.buffer)))
    expect(after.slice(960).every(sample => sample === 0)).toBe(true)
    expect(old.sent.length - before).toBeLessThan(17)
    expect(r.captions.map(({ from, to }) => `${from} ${to}`)).toEqual(['en-us es-es', 'fr-fr es-es'])
    clickless(bob)
  })

  test('to that of the speaker: raises the original to full level without a gap or click, and closes the session', async () => {
    const { bob, b } = await couple()
    r.say('anna', sine(ANNA, 9_000, 6_000))
    await r.run(1_000)
    b.change({ hears: 'en-gb' })
    await r.run(1_000)
    expect(least(bob.lately(800), ANNA)).toBeGreaterThan(5_900)
    expect(least(bob.between(1_300, 3_000), ANNA)).toBeGreaterThan(1_500)
    await r.run(6_000)
    expect(open()).toEqual(['es-es en-us'])
    clickless(bob)
  })

  test('and changed back immediately: reuses the existing session', async () => {
    const { b } = await couple()
    r.say('anna', sine(ANNA, 2_000, 6_000))
    await r.run(500)
    b.change({ hears: 'en-us' })
    await r.run(500)
    b.change({ hears: 'es-es' })
    await r.run(8_000)
    expect(r.translator.connections).toHaveLength(2)
    expect(open()).toHaveLength(2)
  })

  test('to the same language: does nothing', async () => {
    const { b, events } = await couple()
    const before = b.state
    expect(b.change({ hears: 'es-es', muted: false })).toBe(before)
    await r.run(100)
    expect(events).toEqual([])
    expect(r.translator.connections).toHaveLength(2)
    expect(() => b.change({ hears: 'x' })).toThrow(RangeError)
    expect(b.state).toBe(before)
  })
})

describe('pausing', () => {
  test('by either side lets both hear each other directly until it is resumed', async () => {
    const { anna, bob, a, b } = await couple({ original: 'off' })
    r.say('anna', sine(ANNA, 20_000, 6_000))
    r.say('bob', sine(BOB, 20_000, 6_000))
    await r.run(500)
    expect(peak(bob.lately(500))).toBe(0)
    a.change({ interpreting: false })
    await r.run(500)
    expect(level(bob.lately(300), ANNA)).toBeGreaterThan(5_900)
    expect(level(anna.lately(300), BOB)).toBeGreaterThan(5_900)
    await r.run(6_500)
    expect(open()).toEqual([])
    b.change({ interpreting: false })
    a.change({ interpreting: true })
    await r.run(500)
    expect(level(bob.lately(300), ANNA)).toBeGreaterThan(5_900)
    b.change({ interpreting: true })
    await r.run(500)
    expect(open()).toHaveLength(2)
    expect(peak(bob.lately(300))).toBe(0)
    clickless(anna, bob)
  })

  test('completes a started translation over the ducked original', async () => {
    const { bob, b } = await couple()
    r.say('anna', sine(ANNA, 5_000, 6_000))
    r.answer('en-us', 'es-es', 400, 1_000)
    await r.run(300)
    b.change({ interpreting: false })
    await r.run(500)
    expect(level(bob.lately(400), 400)).toBeGreaterThan(7_000)
    expect(level(bob.lately(400), ANNA)).toBeLessThan(900)
    await r.run(700)
    expect(level(bob.lately(200), ANNA)).toBeGreaterThan(5_900)
    clickless(bob)
  })
})

describe('muting', () => {
  test('silences the voice for listeners and the service, and ends without a click', async () => {
    const { bob, a } = await couple()
    r.say('anna', sine(ANNA, 5_000, 6_000))
    await r.run(1_000)
    a.change({ muted: true })
    const connection = r.connection('en-us', 'es-es')
    const before = connection.sent.length
    await r.run(1_000)
    expect(peak(bob.lately(800))).toBe(0)
    const sent = connection.sent
      .slice(before)
      .flatMap(({ bytes }) => Array.from(new Int16Array(bytes.buffer)))
    // At most the rest of the current fragment.
    expect(sent.slice(960).every(sample => sample === 0)).toBe(true)
    expect(sent.length).toBeGreaterThan(14_000)
    a.change({ muted: false })
    await r.run(500)
    expect(level(bob.lately(300), ANNA)).toBeGreaterThan(1_500)
    clickless(bob)
  })
})

describe('one way only', () => {
  test('plays originals to a participant without a heard language, and translates them for the other', async () => {
    const { anna, bob, a } = await couple()
    a.change({ hears: null })
    r.say('anna', sine(ANNA, 3_000, 6_000))
    r.say('bob', sine(BOB, 3_000, 6_000))
    await r.run(1_000)
    r.answer('en-us', 'es-es', 400, 800)
    await r.run(1_000)
    expect(level(anna.lately(800), BOB)).toBeGreaterThan(5_900)
    expect(level(bob.lately(1_000), 400)).toBeGreaterThan(5_000)
    await r.run(7_000)
    expect(open()).toEqual(['en-us es-es'])
  })

  test('lets a participant without a spoken language only listen', async () => {
    const { anna, bob, b } = await couple()
    b.change({ speaks: null })
    r.say('anna', sine(ANNA, 2_000, 6_000))
    r.say('bob', sine(BOB, 2_000, 6_000))
    await r.run(1_000)
    expect(peak(anna.lately(900))).toBe(0)
    expect(level(bob.lately(500), ANNA)).toBeGreaterThan(1_500)
  })

  test('changes the level of the original immediately', async () => {
    const { bob, b } = await couple({ original: 'off' })
    r.say('anna', sine(ANNA, 6_000, 6_000))
    await r.run(500)
    expect(peak(bob.lately(500))).toBe(0)
    b.change({ original: 'low' })
    await r.run(600)
    expect(level(bob.lately(200), ANNA)).toBeCloseTo(6_000 * gainBelow(20, ANNA, 6_000), -2)
    b.change({ original: 'duck' })
    await r.run(600)
    expect(level(bob.lately(200), ANNA)).toBeCloseTo(6_000 * gainBelow(10, ANNA, 6_000), -2)
    b.change({ original: 'off' })
    await r.run(600)
    expect(peak(bob.lately(300))).toBe(0)
    clickless(bob)
  })

  test('uses the current name in captions', async () => {
    const { a } = await couple()
    r.answer('en-us', 'es-es', 400, 100, '1')
    a.change({ name: 'Ana' })
    r.answer('en-us', 'es-es', 400, 100, '2')
    expect(r.captions.map(caption => caption.name)).toEqual([undefined, 'Ana'])
  })
})
