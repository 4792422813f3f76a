import { afterEach, expect, test } from 'vitest'
import { loudness } from '../../../src/transcode/level.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

const level = (pcm: Int16Array, hz: number) => loudness(pcm, hz, 16_000)

/** DTMF tone of the key 1, as sent in the audio by a phone without separate signaling. */
function one(ms: number): Int16Array {
  const [row, column] = [sine(697, ms, 4_000), sine(1_209, ms, 4_000)]
  return row.map((sample, n) => sample + column[n]!)
}

function joined(...parts: Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

test('masks DTMF tones for the service but not the speech around them; listeners hear both', async () => {
  r = await rooms()
  r.live('anna', { speaks: 'en-us', hears: 'en-us' })
  const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es', original: 'low' })
  await r.run(500)
  // A word, a key of 180 ms that starts in the middle of a frame, and immediately another word.
  r.say('anna', joined(sine(440, 500, 6_000), new Int16Array(160), one(180), sine(880, 500, 6_000)))
  await r.run(2_000)
  const bytes = Buffer.concat(r.connection('en-us', 'es-es').sent.map(each => each.bytes))
  const service = new Int16Array(bytes.length / 2).map((_, n) => bytes.readInt16LE(2 * n))
  expect(level(service, 440)).toBeGreaterThan(500)
  expect(level(service, 880)).toBeGreaterThan(500)
  // Except for partial frames at its edges.
  for (const hz of [697, 1_209]) expect(level(service, hz)).toBeLessThan(120)
  const listener = bob.between(0, bob.age)
  for (const hz of [697, 1_209]) expect(level(listener, hz)).toBeGreaterThan(20)
  expect(r.relay.metrics.dtmfFramesMasked).toBeGreaterThanOrEqual(10)
  expect(r.relay.metrics.dtmfFramesMasked).toBeLessThanOrEqual(12)
})

test('does not mask speech, whistling or hold music', async () => {
  r = await rooms()
  r.live('anna', { speaks: 'en-us', hears: 'en-us' })
  r.live('bob', { speaks: 'es-es', hears: 'es-es' })
  await r.run(100)
  r.say('anna', joined(sine(697, 500), sine(1_209, 500), sine(440, 500)))
  await r.run(2_000)
  expect(r.relay.metrics.dtmfFramesMasked).toBe(0)
})
