import { afterEach, describe, expect, test } from 'vitest'
import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import { loudness, peak } from '../../../src/transcode/level.ts'
import { LimitedTranslator } from '../../support/relay/limited-translator.ts'
import { missedBy } from '../../support/relay/missed.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

type Rooms = Awaited<ReturnType<typeof rooms>>
let r: Rooms
afterEach(() => r.relay.close())

const gone: EndReason = {
  kind: 'failed',
  error: new BridgeError('SERVICE_UNREACHABLE', 'nobody there', { retryable: true }),
}

/** People of different languages in a room, at a service that the test plays. */
async function people(languages: readonly string[], translator = new FakeTranslator()) {
  r = await rooms({}, { awake: false, translator })
  const outages = missedBy(r.relay.observer)
  const legs = languages.map(language =>
    r.live(language, { speaks: language, hears: language, name: `Name of ${language}`, original: 'off' }),
  )
  await r.run(500)
  /** The languages that have places, as pairs. */
  const open = () =>
    translator.connections.filter(({ closed }) => !closed).map(({ request: { from, to } }) => `${from} ${to}`)
  return { legs, outages, open }
}

/** The samples that the newest connection from `from` into `to` received. */
function received(from: string, to: string): Int16Array {
  const bytes = Buffer.concat(r.connection(from, to).sent.map(({ bytes: piece }) => piece))
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
}

const level = (pcm: Int16Array, hz: number) => loudness(pcm, hz, 16_000)

describe('a session', () => {
  test('is opened when its speaker speaks, gets every frame of the speech, and is kept for a minute', async () => {
    const { open } = await people(['en-us', 'es-es', 'de-de'])
    expect(open()).toEqual([])
    expect(r.relay.rooms.get('r')?.sessions).toBe(0)
    const speech = sine(440, 600)
    r.say('en-us', speech)
    await r.run(1_000)
    expect(open()).toEqual(['en-us es-es', 'en-us de-de'])
    const heard = received('en-us', 'es-es')
    const from = heard.findIndex(sample => sample !== 0) - 1
    expect(heard.subarray(from, from + speech.length)).toEqual(speech)
    r.answer('en-us', 'es-es', 1_800, 300)
    r.answer('en-us', 'de-de', 2_000, 300)
    await r.run(58_000)
    expect(open()).toHaveLength(2)
    await r.run(3_000)
    expect(open()).toEqual([])
    r.say('en-us', speech)
    await r.run(1_000)
    expect(open()).toHaveLength(2)
  })

  test.each([
    ['a loud voice', 8_000, 200],
    ['a voice after a shout', 700, 200],
    ['a quiet voice, below what counts as speech', 150, 400],
    ['a whisper', 90, 500],
  ])('%s opens it, and not a frame is lost', async (name, amplitude, ms) => {
    const { open } = await people(['en-us', 'es-es'])
    if (name.includes('shout')) {
      r.say('en-us', sine(300, 400, 30_000))
      await r.run(1_000)
      r.answer('en-us', 'es-es', 1_800, 100)
      await r.run(61_000)
      expect(open()).toEqual([])
    }
    const speech = sine(440, ms, amplitude)
    r.say('en-us', speech)
    await r.run(ms + 1_000)
    expect(open()).toEqual(['en-us es-es'])
    const heard = received('en-us', 'es-es')
    const from = heard.findIndex(sample => sample !== 0) - 1
    expect(heard.subarray(from, from + speech.length)).toEqual(speech)
  })

  test.each([
    ['linear audio', false],
    ['a phone line', true],
  ])(
    'of %s gets the first words although the service takes 300 ms to accept it, and is not late after that',
    async (_, narrowband) => {
      const service = new FakeTranslator()
      r = await rooms({}, { awake: false, translator: service })
      r.relay.admit(phone(narrowband), { room: 'r', speaks: 'en-us' })
      r.live('listener', { hears: 'es-es', original: 'off' })
      await r.run(2_000)
      service.autoReady = false
      // At a level that changes with time, so that the samples can be counted and ordered.
      const speech = sine(440, 2_000).map((sample, at) => (sample * (at + 16_000)) / 48_000)
      r.say('phone', speech)
      const since = r.clock.now()
      // The connection that shows whether the service works was opened before.
      while (!service.connections.some(({ closed }) => !closed)) await r.run(20)
      const noticedMs = r.clock.now() - since
      expect(noticedMs).toBeLessThanOrEqual(100)
      await r.run(300)
      expect(r.relay.receptions).toMatchObject({ translated: 1, unavailable: 0 })
      r.connection('en-us', 'es-es').sink.ready()
      await r.run(20)
      // All that was said is there, except the fragment that is not full yet: the service is not behind.
      const soFar = received('en-us', 'es-es')
      const from = soFar.findIndex(sample => Math.abs(sample) > 8)
      expect((soFar.length - from) / 16).toBeGreaterThan(noticedMs + 320 - 100)
      await r.run(2_000)
      const all = received('en-us', 'es-es')
      // The edges of a phone line's samples ring by a few samples.
      const places = Array.from({ length: 40 }, (_, n) => from - 20 + n)
      const best = Math.min(...places.map(at => difference(all.subarray(at), speech)))
      expect(best).toBeLessThan(narrowband ? 600 : 1)
      expect(r.relay.metrics.lostMs).toBe(0)
    },
  )

  test.each([
    ['steady noise', [noise(10_000, 250)]],
    ['a click', [noise(3_000, 40), sine(2_000, 20, 20_000), noise(3_000, 40)]],
    ['noise that no recognizer hears, after silence', [sine(1, 1_000, 0), noise(3_000, 45)]],
  ])('%s does not open it', async (_, sounds) => {
    r = await rooms({}, { awake: false })
    r.join('anna', { speaks: 'en-us', hears: 'es-es' })
    r.say('anna', concat(...sounds))
    await r.run(10_000)
    // One connection showed that the service works.
    expect(r.translator.connections.filter(({ closed }) => !closed)).toEqual([])
  })
})

describe('one place at the service', () => {
  test('three people, one speaks: the others hear them translated, and nobody is told anything', async () => {
    const service = new LimitedTranslator(1)
    r = await rooms({}, { awake: false, translator: service })
    const outages = missedBy(r.relay.observer)
    const anna = r.live('Anna', { speaks: 'en-us', hears: 'en-us' })
    const others = ['Bert', 'Carla'].map(id =>
      r.live(id, { speaks: 'es-es', hears: 'es-es', original: 'off' }),
    )
    r.say('Anna', sine(440, 29_500))
    await r.run(30_000)
    r.answer('en-us', 'es-es', 1_800, 800)
    await r.run(1_500)
    for (const leg of others) expect(level(leg.lately(1_500), 1_800)).toBeGreaterThan(1_500)
    expect([outages, service.refused, r.relay.receptions.unavailable]).toEqual([[], 0, 0])
    // Both directions: Bert answers in a pause of Anna.
    r.say('Bert', sine(600, 2_000))
    await r.run(2_200)
    r.answer('es-es', 'en-us', 1_200, 500)
    await r.run(1_500)
    expect(level(anna.lately(1_500), 1_200)).toBeGreaterThan(1_000)
    expect([outages, service.most]).toEqual([[], 1])
  })

  test('those who wait get it in the order in which they spoke, before a newcomer and other clients', async () => {
    const service = new LimitedTranslator(1)
    r = await rooms({}, { awake: false, translator: service })
    const outages = missedBy(r.relay.observer)
    for (const [name, speaks] of [
      ['Anna', 'en-us'],
      ['Bert', 'de-de'],
      ['Chloé', 'fr-fr'],
      ['Dino', 'it-it'],
    ] as const)
      r.live(name, { speaks, name })
    r.live('listener', { hears: 'es-es', original: 'off' })
    const holder = () => service.taken.map(({ request: { from } }) => from)
    /** The service answers, and the speaker's pause of a second begins. */
    const answered = async (from: string) => {
      r.answer(from, 'es-es', 1_000, 200)
      await r.run(20)
    }
    r.say('Anna', sine(440, 4_000))
    await r.run(1_000)
    // Chloé first, then Bert.
    r.say('Chloé', sine(300, 1_000))
    await r.run(1_000)
    r.say('Bert', sine(600, 1_000))
    await r.run(2_200)
    expect(holder()).toEqual(['en-us'])
    expect(outages.map(({ name, why }) => `${name} ${why}`)).toEqual(['Chloé no-place', 'Bert no-place'])
    await answered('en-us')
    // Dino starts to speak at the very moment when the place becomes free.
    await r.run(700)
    r.say('Dino', sine(900, 800))
    for (const [from, next] of [
      ['fr-fr', 'Chloé'],
      ['de-de', 'Bert'],
      ['it-it', 'Dino'],
    ] as const) {
      await r.run(1_600)
      expect([next, holder()]).toEqual([next, [from]])
      expect(received(from, 'es-es').some(sample => sample !== 0)).toBe(true)
      await answered(from)
    }
    expect(service.most).toBe(1)
    await r.run(1_000)
    expect(r.relay.receptions).toMatchObject({ translated: 4, unavailable: 0 })
    expect(r.relay.metrics.lostMs).toBe(0)
  })

  test('a place that another client gives up goes to the first in line within a second', async () => {
    const service = new LimitedTranslator(0)
    const { outages, open } = await people(['en-us', 'es-es'], service)
    r.say('en-us', sine(440, 5_000))
    await r.run(3_000)
    expect(outages).toMatchObject([{ why: 'no-place', missed: true }])
    // One request a second.
    expect(service.refused).toBeLessThan(8)
    service.places = 1
    await r.run(1_100)
    expect(open()).toEqual(['en-us es-es'])
    expect(outages).toMatchObject([{ missed: true }, { gets: 'translated', missed: false }])
    expect(level(received('en-us', 'es-es'), 440)).toBeGreaterThan(3_000)
  })
})

describe('two places at the service', () => {
  test('three people, one speaks: everyone else hears them translated, and nobody is told that translation is unavailable', async () => {
    const service = new LimitedTranslator(2)
    const { legs, outages } = await people(['en-us', 'es-es', 'de-de'], service)
    r.say('en-us', sine(440, 30_000))
    await r.run(30_000)
    r.answer('en-us', 'es-es', 1_800, 800)
    r.answer('en-us', 'de-de', 2_200, 800)
    await r.run(1_500)
    const [, bob, carla] = legs
    expect(level(bob!.lately(1_500), 1_800)).toBeGreaterThan(1_500)
    expect(level(carla!.lately(1_500), 2_200)).toBeGreaterThan(1_500)
    expect(outages).toEqual([])
    expect(service.refused).toBe(0)
    expect(r.relay.receptions.unavailable).toBe(0)
  })

  test('five people take turns of a few seconds: each is translated, and nobody is told otherwise', async () => {
    const service = new LimitedTranslator(2)
    r = await rooms({}, { awake: false, translator: service })
    const outages = missedBy(r.relay.observer)
    const speakers = ['en-us', 'de-de', 'fr-fr', 'it-it', 'pt-pt']
    for (const language of speakers) r.live(language, { speaks: language })
    const listener = r.live('listener', { hears: 'es-es', original: 'off' })
    for (const [turn, language] of [...speakers, ...speakers].entries()) {
      r.say(language, sine(440, 2_000))
      await r.run(2_200)
      r.answer(language, 'es-es', 1_000 + 100 * turn, 500)
      await r.run(1_500)
      expect(level(listener.lately(1_700), 1_000 + 100 * turn)).toBeGreaterThan(800)
      // The original is never heard: it was not out for a moment.
      expect(level(listener.lately(3_700), 440)).toBeLessThan(30)
    }
    expect(outages).toEqual([])
    expect(service.most).toBe(2)
  })

  test('a third person speaks while two others do: their listeners are told, with their name, until a place is free', async () => {
    const service = new LimitedTranslator(2)
    r = await rooms({}, { awake: false, translator: service })
    const outages = missedBy(r.relay.observer)
    for (const [language, name] of [
      ['en-us', 'Anna'],
      ['de-de', 'Bert'],
      ['fr-fr', 'Chloé'],
    ] as const)
      r.live(name, { speaks: language, name })
    const listener = r.live('listener', { hears: 'es-es', original: 'off' })
    r.say('Anna', sine(440, 8_000))
    r.say('Bert', sine(600, 8_000))
    await r.run(1_000)
    r.say('Chloé', sine(300, 6_000))
    await r.run(4_000)
    expect(outages).toMatchObject([
      { speaker: 'Chloé', name: 'Chloé', listener: 'listener', to: 'es-es', why: 'no-place', missed: true },
    ])
    expect(level(listener.lately(1_000), 300)).toBeGreaterThan(3_000)
    expect(level(listener.lately(1_000), 440)).toBeLessThan(30)
    expect(r.relay.rooms.get('r')?.receptions.filter(({ listener: id }) => id === 'listener')).toEqual([
      { speaker: 'Anna', listener: 'listener', to: 'es-es', gets: 'translated', missed: false },
      { speaker: 'Bert', listener: 'listener', to: 'es-es', gets: 'translated', missed: false },
      {
        speaker: 'Chloé',
        listener: 'listener',
        to: 'es-es',
        gets: 'unavailable',
        why: 'no-place',
        missed: true,
      },
    ])
    await r.run(3_500)
    r.answer('en-us', 'es-es', 1_000, 300)
    r.answer('de-de', 'es-es', 1_200, 300)
    await r.run(3_000)
    // What she said without a place is translated now.
    expect(r.connection('fr-fr', 'es-es').closed).toBe(false)
    expect(level(received('fr-fr', 'es-es'), 300)).toBeGreaterThan(1_000)
    expect(outages.map(({ missed }) => missed)).toEqual([true, false])
  })
})

describe('a service that does not respond', () => {
  test('nobody is told anything while nobody speaks, and the status is unavailable as soon as that is known', async () => {
    const service = new FakeTranslator()
    service.refuse = gone
    const { outages, legs } = await people(['en-us', 'es-es'], service)
    await r.run(60_000)
    expect(outages).toEqual([])
    r.say('en-us', sine(440, 3_000))
    await r.run(3_000)
    expect(outages).toMatchObject([
      { speaker: 'en-us', listener: 'es-es', why: 'service-unavailable', missed: true },
    ])
    expect(peak(legs[1]!.lately(500))).toBe(8_000)
    // Known to be away, so nobody waits: the other's first words are heard at once, and nobody is told before.
    expect(r.relay.receptions.unavailable).toBe(2)
    r.say('es-es', sine(700, 500))
    await r.run(300)
    expect(peak(legs[0]!.lately(100))).toBe(8_000)
    await r.run(300)
    expect(outages.map(({ speaker }) => speaker)).toEqual(['en-us', 'es-es'])
  })

  test('the status recovers although nobody speaks', async () => {
    const service = new FakeTranslator()
    service.refuse = gone
    await people(['en-us', 'es-es'], service)
    r.say('en-us', sine(440, 3_000))
    await r.run(10_000)
    for (const leg of r.legs.values()) void leg.close({ kind: 'hangup', by: 'remote' })
    await r.run(20)
    r.live('fr-fr', { speaks: 'fr-fr', hears: 'fr-fr' })
    r.live('it-it', { speaks: 'it-it', hears: 'it-it' })
    await r.run(5_000)
    expect(r.relay.receptions.unavailable).toBe(2)
    service.refuse = undefined
    await r.run(6_000)
    expect(r.relay.receptions).toMatchObject({ unavailable: 0, translated: 2 })
    expect(service.connections.filter(({ closed }) => !closed)).toEqual([])
  })
})

describe('one’s own voice is never played back', () => {
  test.each([
    ['alone, while the service is away from the start', {}, async () => {}],
    [
      'alone, when the other has left',
      {},
      async () => {
        r.live('bob', { speaks: 'es-es', hears: 'es-es' })
        await r.run(500)
        await r.legs.get('bob')!.close({ kind: 'hangup', by: 'remote' })
      },
    ],
    ['with any volume of originals', { original: 'low' }, async () => {}],
    [
      'on a new leg of the same call',
      {},
      async () => {
        await r.legs
          .get('anna')!
          .close({ kind: 'failed', error: new BridgeError('LEG_LOST', 'cut', { retryable: true }) })
        await r.run(500)
        r.live('anna-2', {}, 'call')
        r.say('anna-2', sine(440, 3_000))
      },
    ],
  ] as const)('%s', async (_, preferences, happens) => {
    const service = new FakeTranslator()
    service.refuse = gone
    r = await rooms({}, { awake: false, translator: service })
    r.live('anna', { speaks: 'en-us', hears: 'es-es', ...preferences }, 'call')
    r.say('anna', sine(440, 20_000))
    await r.run(1_000)
    await happens()
    await r.run(8_000)
    for (const [id, leg] of r.legs) if (id.startsWith('anna')) expect(peak(leg.heard())).toBe(0)
    expect(r.relay.receptions.unavailable).toBe(1)
  })
})

/** A leg of id `phone` that joins `rooms`. */
function phone(narrowband: boolean): FakeLeg {
  const leg = Object.assign(new FakeLeg('phone'), { narrowband })
  r.legs.set('phone', leg)
  return leg
}

/** The largest difference of two signals. */
function difference(a: Int16Array, b: Int16Array): number {
  let most = 0
  for (let n = 0; n < b.length; n++) most = Math.max(most, Math.abs((a[n] ?? 0) - b[n]!))
  return most
}

function noise(ms: number, amplitude: number): Int16Array {
  let seed = 1
  return Int16Array.from({ length: ms * 16 }, () => {
    seed = (seed * 48_271) % 2_147_483_647
    return Math.round(((seed / 2_147_483_647) * 2 - 1) * amplitude * Math.sqrt(3))
  })
}

function concat(...pieces: readonly Int16Array[]): Int16Array {
  return Int16Array.from(pieces.flatMap(piece => [...piece]))
}
