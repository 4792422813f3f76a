import { afterEach, describe, expect, test } from 'vitest'
import { decodersOf, relayOptions } from '../../../src/core/model/relay-settings.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { rooms } from '../../support/relay/rooms.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r?.relay.close())

/** Opens rooms of two with `voices` simultaneous translations that do not end. */
async function open(voices: number, options: Parameters<typeof relayOptions>[0] = {}) {
  r = await rooms({ maxLegs: voices, ...options })
  for (let n = 0; n < voices; n += 2) {
    r.join(`a${n}`, { room: `r${n}`, speaks: 'en-us', hears: 'en-us' })
    r.join(`b${n}`, { room: `r${n}`, speaks: 'es-es', hears: 'es-es' })
  }
  await r.run(100)
  expect(r.translator.connections).toHaveLength(voices)
  const audio = r.maker.tone(1_000, 600)
  for (const { sink } of r.translator.connections)
    sink.result({ utterance: '1', final: false, text: 'a', translation: 'b', audio })
}

/** Legs that have played all of it: 0.6 s of two. */
const heard = () => [...r.legs.values()].filter(leg => loudness(leg.heard(), 1_000, 16_000) > 0.2 * 7_600)

/** Runs for `ms`, yielding to the event loop so that new decoders can be created. */
async function turns(ms: number) {
  for (let t = 0; t < ms; t += 100) {
    await r.run(100)
    await new Promise(resolve => setImmediate(resolve))
  }
}

describe('voices that are open at the same time', () => {
  test.each([70, 300])('are all played: %i', async voices => {
    await open(voices)
    await turns(900)
    expect(heard()).toHaveLength(voices)
  })

  test('share a few decoders, which none of them keeps', async () => {
    await open(20, { maxDecoders: 2 })
    await turns(900)
    expect(heard()).toHaveLength(20)
    for (const { sink } of r.translator.connections) sink.endOfSpeech()
    await turns(900)
    expect(heard()).toHaveLength(20)
  })
})

test('the number of decoders follows the number of legs', () => {
  expect(decodersOf(relayOptions())).toBe(2_400)
  expect(decodersOf(relayOptions({ maxLegs: 1 }))).toBe(8)
  expect(decodersOf(relayOptions({ maxLegs: 10, maxDecoders: 3 }))).toBe(3)
})
