import { afterEach, expect, test } from 'vitest'
import { loudness } from '../../../src/transcode/level.ts'
import { mp3DecodersInUse } from '../../../src/transcode/mp3/mp3-decoder.ts'
import { rooms } from '../../support/relay/rooms.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r?.relay.close())

/** Runs for `ms`, yielding to the event loop so that new decoders can be created. */
async function turns(ms: number) {
  for (let t = 0; t < ms; t += 100) {
    await r.run(100)
    for (let n = 0; n < 20; n++) await new Promise(resolve => setImmediate(resolve))
  }
}

test.each([70, 300])(
  '%i voices that are open at the same time are all played, each with a decoder until it ends',
  async voices => {
    const before = mp3DecodersInUse()
    r = await rooms({ maxLegs: voices })
    for (let n = 0; n < voices; n += 2) {
      r.join(`a${n}`, { room: `r${n}`, speaks: 'en-us', hears: 'en-us' })
      r.join(`b${n}`, { room: `r${n}`, speaks: 'es-es', hears: 'es-es' })
    }
    await r.run(100)
    expect(r.translator.connections).toHaveLength(voices)
    const audio = r.maker.tone(1_000, 600)
    for (const { sink } of r.translator.connections)
      sink.result({ utterance: '1', final: false, text: 'a', translation: 'b', audio })
    await turns(900)
    // Legs that have played all of it: 0.6 s of two.
    const heard = [...r.legs.values()].filter(leg => loudness(leg.heard(), 1_000, 16_000) > 0.2 * 7_600)
    expect(heard).toHaveLength(voices)
    expect(mp3DecodersInUse()).toBe(before + voices)
    for (const { sink } of r.translator.connections) sink.endOfSpeech()
    await turns(200)
    expect(mp3DecodersInUse()).toBe(before)
  },
)
