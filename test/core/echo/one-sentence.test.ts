import { describe, expect, test } from 'vitest'
import { type EchoWay, echoRoom, ROOMS } from '../../helpers/echo-room.ts'
import { recording } from '../../transcode/speech-signal.ts'
import { voiceOf } from './voice-of.ts'

/** The ways of one kind of leg: there and back, of a party on a loudspeaker. */
const KINDS: Record<string, Omit<EchoWay, 'db'>> = {
  telephone: { delayMs: 184, mulaw: true, reflections: ROOMS.small },
  'a telephone far away': { delayMs: 593.7, mulaw: true, reflections: ROOMS.large },
  browser: { delayMs: 87.3, reflections: ROOMS.large },
  headset: { delayMs: 312.5 },
}

const voices = [voiceOf(recording(5), 1.2), voiceOf(recording(2), 0.85), voiceOf(recording(4), 1.1)]

async function call(kind: string, db: number, original: 'off' | 'low' | 'duck', relay = {}) {
  const way = { ...KINDS[kind]!, db }
  const r = await echoRoom({ voices, relay })
  r.join('anna', { speaks: 'en-us', hears: 'en-us', original }, way)
  r.join('ben', { speaks: 'es-es', hears: 'es-es', original }, way)
  await r.run(400)
  r.say('anna', recording(3))
  await r.run(12_000)
  await r.relay.close()
  return r
}

test('without protection one sentence is translated back and forth', async () => {
  const { understood } = await call('telephone', -30, 'off', { echoSuppression: false })
  expect(understood.length).toBeGreaterThan(2)
})

describe.each(Object.keys(KINDS))('over %s one sentence is translated once', kind => {
  test.each([-60, -30, -12, -6])('with an echo of %d dB', async db => {
    for (const original of ['off', 'low', 'duck'] as const) {
      const { understood, utterances } = await call(kind, db, original)
      expect(understood, original).toEqual([expect.objectContaining({ from: 'en-us', to: 'es-es' })])
      expect(utterances.filter(({ stage }) => stage === 'begun')).toHaveLength(1)
    }
  })
})
