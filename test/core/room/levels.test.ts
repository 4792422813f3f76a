import { describe, expect, test } from 'vitest'
import { loudness } from '../../../src/transcode/level.ts'
import { concat } from '../../../src/transcode/pcm.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { louder, recording, speechDb } from '../../support/transcode/speech-signal.ts'

/** Plays translations of two speakers at these levels (dBFS), three sentences each. Returns the levels at the listener. */
async function heardAt(levels: [number, number], options: Parameters<typeof rooms>[0]): Promise<number[]> {
  const r = await rooms({ ...options })
  r.join('anna', { speaks: 'en-us', original: 'off' })
  r.join('bob', { speaks: 'de-de', original: 'off' })
  const carla = r.join('carla', { hears: 'es-es', original: 'off' })
  await r.run(100)
  const heard: number[] = []
  for (const [n, from] of ['en-us', 'de-de'].entries()) {
    const parts: Int16Array[] = []
    for (const number of [2, 3, 5]) {
      const before = carla.heard().length
      const pcm = louder(recording(number), levels[n]! - speechDb(recording(number)))
      const { sink } = r.connection(from, 'es-es')
      sink.result({ utterance: `${number}`, final: true, text: 'a', audio: r.maker.encode(pcm) })
      sink.endOfSpeech()
      await r.run(8_000)
      parts.push(carla.heard().slice(before))
    }
    expect(concat(parts).length / 16_000).toBeGreaterThan(11)
    heard.push(speechDb(concat(parts)))
  }
  await r.relay.close()
  return heard
}

describe('translated voices', () => {
  test('are normalized to one level', async () => {
    for (const levels of [
      [-30, -12],
      [-9, -25],
    ] as [number, number][]) {
      const [one, two] = await heardAt(levels, { normalizeLoudness: true })
      expect(Math.abs(one! - two!)).toBeLessThan(1.5)
      for (const each of [one!, two!]) expect(Math.abs(each + 20)).toBeLessThan(2)
    }
  })

  test('keep their levels when `normalizeLoudness` is off', async () => {
    const [soft, loud] = await heardAt([-30, -12], { normalizeLoudness: false })
    expect(loud! - soft!).toBeGreaterThan(17)
  })

  test('keep a smooth level across chunks of a voice', async () => {
    const r = await rooms({ normalizeLoudness: true })
    r.join('anna', { speaks: 'en-us', original: 'off' })
    const bob = r.join('bob', { hears: 'es-es', original: 'off' })
    await r.run(100)
    const { sink } = r.connection('en-us', 'es-es')
    const mp3 = r.maker.tone(1_000, 4_000)
    // 400 ms, then at twice the playback rate.
    for (let at = 0; at < mp3.length; at += at === 0 ? 1_600 : 800) {
      sink.result({
        utterance: '1',
        final: true,
        text: 'a',
        audio: mp3.subarray(at, at + (at === 0 ? 1_600 : 800)),
      })
      await r.run(100)
    }
    sink.endOfSpeech()
    await r.run(4_000)
    expect(r.relay.metrics.starved).toBe(0)
    const heard = bob.heard()
    // A tone at 8 000 is 5 dB too loud; its level falls slowly and then stays.
    let before = loudness(heard.subarray(1_600, 1_920), 1_000, 16_000)
    for (let at = 1_920; at < 3.8 * 16_000; at += 320) {
      const now = loudness(heard.subarray(at, at + 320), 1_000, 16_000)
      expect(Math.abs(20 * Math.log10(now / before))).toBeLessThan(1)
      before = now
    }
    expect(before).toBeGreaterThan(4_300)
    expect(before).toBeLessThan(5_000)
  })
})
