import { afterEach, expect, test } from 'vitest'
import { loudness } from '../../src/transcode/level.ts'
import { rooms } from '../helpers/rooms.ts'
import { sine } from '../helpers/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

const level = (pcm: Int16Array, hz: number) => loudness(pcm, hz, 16_000)

/** The tone of the key 1, as a telephone without signalling of its own sends it. */
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

test('the tones of keys are not for the service, what is said around them is; people hear both', async () => {
  r = await rooms()
  r.live('anna', { speaks: 'en-us', hears: 'en-us' })
  const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es', original: 'low' })
  await r.run(500)
  // A word, a key of 180 ms that begins in the middle of a frame, a word at once.
  r.say('anna', joined(sine(440, 500, 6_000), new Int16Array(160), one(180), sine(880, 500, 6_000)))
  await r.run(2_000)
  const bytes = Buffer.concat(r.connection('en-us', 'es-es').sent.map(each => each.bytes))
  const service = new Int16Array(bytes.length / 2).map((_, n) => bytes.readInt16LE(2 * n))
  expect(level(service, 440)).toBeGreaterThan(500)
  expect(level(service, 880)).toBeGreaterThan(500)
  // But for the halves of frames at its edges.
  for (const hz of [697, 1_209]) expect(level(service, hz)).toBeLessThan(120)
  const listener = bob.between(0, bob.age)
  for (const hz of [697, 1_209]) expect(level(listener, hz)).toBeGreaterThan(20)
  expect(r.relay.metrics.keyFramesMasked).toBeGreaterThanOrEqual(10)
  expect(r.relay.metrics.keyFramesMasked).toBeLessThanOrEqual(12)
})

test('a person’s voice, a whistle and music on hold are not masked', async () => {
  r = await rooms()
  r.live('anna', { speaks: 'en-us', hears: 'en-us' })
  r.live('bob', { speaks: 'es-es', hears: 'es-es' })
  await r.run(100)
  r.say('anna', joined(sine(697, 500), sine(1_209, 500), sine(440, 500)))
  await r.run(2_000)
  expect(r.relay.metrics.keyFramesMasked).toBe(0)
})
