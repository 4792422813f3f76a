import { expect, test } from 'vitest'
import { loudness } from '../../../src/transcode/level.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

test('ends only the leg whose playback throws; other participants continue', async () => {
  const r = await rooms()
  const anna = r.join('anna', { speaks: 'en-us', hears: 'en-us' })
  const bad = r.join('bad', { hears: 'en-us' })
  const bob = r.join('bob', { hears: 'en-us' })
  bad.play = () => {
    throw new Error('broken')
  }
  r.say('anna', sine(440, 1_000))
  await r.run(1_000)
  expect(await bad.ended).toMatchObject({ kind: 'failed', error: { code: 'LEG_LOST' } })
  expect(loudness(bob.heard(), 440, 16_000)).toBeGreaterThan(7_000)
  expect(r.relay.legs).toBe(2)
  expect(anna.uplink).toBeDefined()
  await r.relay.close()
})
