import { afterEach, describe, expect, test } from 'vitest'
import { loudness } from '../../../src/transcode/level.ts'
import type { LiveLeg } from '../../support/relay/live-leg.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

const heardMs = (leg: LiveLeg, hz: number, from: number, to = leg.age) => {
  let sum = 0
  for (let t = from; t < to; t += 20) if (loudness(leg.between(t, t + 20), hz, 16_000) > 2_000) sum += 20
  return sum
}

/** Bob starts to speak during a translation of 3 s, with 2 s more in the queue. */
async function interrupted(
  options: Parameters<typeof rooms>[0] = {},
  invitation: Parameters<typeof r.live>[1] = {},
  speech = sine(700, 1_000),
) {
  r = await rooms(options)
  r.live('anna', { speaks: 'en-us', hears: 'en-us', original: 'off' })
  const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es', original: 'off', ...invitation })
  await r.run(1_000)
  r.answer('en-us', 'es-es', 1_000, 3_000, '1')
  r.answer('en-us', 'es-es', 1_500, 2_000, '2')
  await r.run(1_000)
  r.say('bob', speech)
  await r.run(6_000)
  return bob
}

describe('a listener who speaks', () => {
  test('hears the complete translation by default', async () => {
    const bob = await interrupted()
    expect(heardMs(bob, 1_000, 0)).toBeGreaterThan(2_400)
    expect(heardMs(bob, 1_500, 0)).toBeGreaterThan(1_500)
    expect(r.relay.metrics).toMatchObject({ utterancesDropped: 0 })
    expect(bob.flushes).toBe(0)
  })

  test.each([
    ['in the settings', { interrupt: 'clear' as const }, {}],
    ['in the invitation', {}, { interrupt: 'clear' as const }],
  ])(
    'with clear %s drops it immediately, and counts and captions all of it',
    async (_, options, invitation) => {
      const bob = await interrupted(options, invitation)
      // 300 ms of speech, and the audio already sent by then.
      expect(heardMs(bob, 1_000, 2_000)).toBeGreaterThanOrEqual(260)
      expect(heardMs(bob, 1_000, 2_000)).toBeLessThanOrEqual(340)
      expect(heardMs(bob, 1_500, 0)).toBe(0)
      expect(bob.flushes).toBe(1)
      expect(r.relay.metrics).toMatchObject({ utterancesDropped: 2, utterancesHeard: 0 })
      expect(r.utterances.map(({ utterance, stage }) => `${utterance} ${stage}`)).toEqual([
        'anna.1.1 begun',
        'anna.1.1 dropped',
        'anna.1.2 dropped',
      ])
      expect(r.captions).toHaveLength(2)
      // Later translations are played.
      const from = bob.age
      r.answer('en-us', 'es-es', 1_200, 500, '3')
      await r.run(1_000)
      expect(heardMs(bob, 1_200, from)).toBeGreaterThan(400)
    },
  )

  test('does not interrupt by coughing or line noise', async () => {
    const cough = new Int16Array(16_000)
    cough.set(sine(700, 140), 1_600)
    cough.set(sine(700, 140), 9_600)
    const bob = await interrupted({ interrupt: 'clear' }, {}, cough)
    expect(heardMs(bob, 1_500, 0)).toBeGreaterThan(1_500)
    expect(bob.flushes).toBe(0)
  })

  test('can override the setting: keep instead of clear', async () => {
    const bob = await interrupted({ interrupt: 'clear' }, { interrupt: 'keep' })
    expect(heardMs(bob, 1_500, 0)).toBeGreaterThan(1_500)
  })

  test('does not cut off a notice or lose its mark', async () => {
    r = await rooms({ interrupt: 'clear' })
    r.live('anna', { speaks: 'en-us', hears: 'en-us' })
    const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es' })
    await r.run(1_000)
    const notice = r.relay.find('bob')?.announce({ name: 'notice', pcm: sine(500, 2_000, 6_000) })
    r.answer('en-us', 'es-es', 1_000, 3_000)
    r.say('bob', sine(700, 1_000))
    await r.run(4_000)
    expect(await notice?.ended).toBe('heard')
    expect(heardMs(bob, 500, 0)).toBeGreaterThanOrEqual(1_960)
    expect(heardMs(bob, 1_000, 0)).toBe(0)
    expect(bob.flushes).toBe(0)
  })

  test('interrupts nothing without a translation', async () => {
    r = await rooms({ interrupt: 'clear' })
    r.live('anna', { speaks: 'en-us', hears: 'en-us' })
    const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es' })
    r.say('bob', sine(700, 2_000))
    await r.run(3_000)
    expect(bob.flushes).toBe(0)
  })
})
