import { describe, expect, test } from 'vitest'
import { rms } from '../../../../src/transcode/level.ts'
import { concat } from '../../../../src/transcode/pcm.ts'
import { KINDS, repeated, spokenOver, voiceOf } from '../../../support/relay/echo-cases.ts'
import { echoRoom, ROOMS } from '../../../support/relay/echo-room.ts'
import { recording } from '../../../support/transcode/speech-signal.ts'
import { quiet, sine } from '../../../support/transcode/tone.ts'

const voices = [voiceOf(concat([recording(1), recording(4)]), 1.15)]

describe.each(Object.keys(KINDS))('by %s', kind => {
  test.each([-90, -30, -12, -6])('passes speech over playback, with an echo of %d dB', async db => {
    expect(await spokenOver(kind, db, true)).toBeGreaterThanOrEqual(0.95)
  })

  test.each([-90, -30, -6])('passes a repetition of words just played, with an echo of %d dB', async db => {
    expect(await repeated(kind, db, 2, 500)).toBe(true)
  })
})

test('others hear the original unchanged, including the echo', async () => {
  const way = { db: -12, delayMs: 184 }
  const r = await echoRoom({ voices })
  r.join('anna', { speaks: 'en-us', hears: 'en-us' })
  r.join('ben', { speaks: 'es-es', hears: 'es-es', original: 'off' }, way)
  const carla = r.join('carla', { hears: 'es-es' })
  await r.run(400)
  r.say('anna', recording(2))
  await r.run(6_000)
  expect(r.relay.metrics.echoFramesMasked).toBeGreaterThan(20)
  // Carla understands Ben's language, and hears the translation; Ben's line repeats it, quieter.
  expect(rms(carla.lately(1_000))).toBeGreaterThan(200)
  expect(r.understood).toHaveLength(1)
  await r.relay.close()
})

test('an echo that suddenly becomes louder is detected by its text, and learned', async () => {
  const way = { db: -34, delayMs: 184, reflections: ROOMS.small }
  const r = await echoRoom({
    voices,
    text: ({ from }) =>
      from === 'en-us'
        ? {
            text: 'we meet at four in the main building',
            translation: 'nos vemos a las cuatro en el edificio',
          }
        : { text: 'Nos vemos las cuatro, en', translation: 'we meet the four, in' },
  })
  r.join('anna', { speaks: 'en-us', hears: 'en-us', original: 'off' })
  const ben = r.join('ben', { speaks: 'es-es', hears: 'es-es', original: 'off' }, way)
  await r.run(400)
  for (const db of [-34, -12, -12]) {
    ben.way = { ...way, db }
    r.say('anna', recording(2))
    await r.run(16_000)
  }
  expect(r.utterances.filter(({ stage }) => stage === 'begun').map(({ speaker }) => speaker)).toEqual([
    'anna',
    'anna',
    'anna',
  ])
  expect(r.captions.every(({ speaker }) => speaker === 'anna')).toBe(true)
  expect(r.relay.metrics.utterancesEchoed).toBe(1)
  await r.relay.close()
})

test('a tone over a loud echo is passed: not all audio is speech', async () => {
  const r = await echoRoom({ voices })
  r.join('anna', { speaks: 'en-us', hears: 'en-us', original: 'off' })
  r.join('ben', { speaks: 'es-es', hears: 'es-es', original: 'off' }, { db: -12, delayMs: 184 })
  await r.run(400)
  r.say('anna', recording(2))
  await r.run(6_000)
  r.say('ben', concat([sine(440, 1_000), quiet(200)]))
  await r.run(12_000)
  expect(r.understood.map(({ from }) => from)).toEqual(['en-us', 'es-es'])
  await r.relay.close()
})
