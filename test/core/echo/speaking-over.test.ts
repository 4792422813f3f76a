import { describe, expect, test } from 'vitest'
import { rms } from '../../../src/transcode/level.ts'
import { FRAME_SAMPLES, joined, samplesOf } from '../../../src/transcode/pcm.ts'
import { type EchoWay, echoRoom, ROOMS } from '../../helpers/echo-room.ts'
import { quiet, sine } from '../../helpers/tone.ts'
import { recording } from '../../transcode/speech-signal.ts'
import { voiceOf } from './voice-of.ts'

type EchoRoom = Awaited<ReturnType<typeof echoRoom>>

const WAYS: Record<string, EchoWay> = {
  'without an echo': { db: -90, delayMs: 100 },
  'with a soft echo': { db: -30, delayMs: 184, mulaw: true, reflections: ROOMS.small },
  'with a loud echo': { db: -12, delayMs: 260, mulaw: true, reflections: ROOMS.small },
  'with the loudest echo': { db: -6, delayMs: 133.7, reflections: ROOMS.small },
}

/** Frames of `pcm` that are speech: within 24 dB of the loudest. */
function speechFrames(pcm: Int16Array): boolean[] {
  const levels = Array.from({ length: pcm.length / FRAME_SAMPLES }, (_, n) =>
    rms(pcm.subarray(n * FRAME_SAMPLES, (n + 1) * FRAME_SAMPLES)),
  )
  const least = Math.max(...levels) * 0.063
  return levels.map(level => level > least)
}

/** How much of what `from` says from now on the service gets, while it is `run` for `ms` (speech frames, 0 to 1). */
async function kept(r: EchoRoom, from: string, to: string, who: string, said: Int16Array, ms: number) {
  const { sent } = r.connection(from, to)
  const before = sent.length
  const opened = Math.round(sent.reduce((sum, { bytes }) => sum + bytes.length, 0) / 640)
  const speech = speechFrames(said)
  // What is still held belongs to the time before.
  const offset = r.relay.find(who)!.frames - opened
  r.say(who, said)
  await r.run(ms)
  const got = joined(sent.slice(before).map(({ bytes }) => samplesOf(bytes)))
  let all = 0
  let there = 0
  for (const [n, spoken] of speech.entries()) {
    const at = (n + offset) * FRAME_SAMPLES
    if (!spoken || at + FRAME_SAMPLES > got.length) continue
    all++
    if (rms(got.subarray(at, at + FRAME_SAMPLES)) > 0) there++
  }
  expect(all).toBeGreaterThan(speech.filter(Boolean).length * 0.9)
  return there / all
}

const voices = [voiceOf(joined([recording(1), recording(4)]), 1.15)]

describe.each(Object.entries(WAYS))('somebody who speaks over what they hear, %s', (_, way) => {
  test('is heard by the service', async () => {
    const r = await echoRoom({ voices })
    r.join('anna', { speaks: 'en-us', hears: 'en-us', original: 'off' })
    r.join('ben', { speaks: 'es-es', hears: 'es-es', original: 'off' }, way)
    await r.run(400)
    // Ben hears something first, then speaks in the middle of what comes next.
    r.say('anna', recording(2))
    await r.run(11_000)
    expect(r.understood).toHaveLength(1)
    r.say('anna', recording(2))
    await r.run(5_600)
    const said = joined([recording(5), recording(3)])
    const wholeFrames = said.subarray(0, Math.floor(said.length / FRAME_SAMPLES) * FRAME_SAMPLES)
    expect(await kept(r, 'es-es', 'en-us', 'ben', wholeFrames, 12_000)).toBeGreaterThan(0.95)
    await r.relay.close()
  })

  test('says again what they have just heard, and is understood', async () => {
    const texts = ['shall we meet at four', 'at four']
    const r = await echoRoom({
      voices: [voiceOf(recording(2), 1.15)],
      text: (_understood, count) => ({ text: texts[(count - 1) % 2]!, translation: texts[(count - 1) % 2]! }),
    })
    r.join('anna', { speaks: 'en-us', hears: 'en-us', original: 'off' })
    r.join('ben', { speaks: 'es-es', hears: 'es-es', original: 'off' }, way)
    await r.run(400)
    r.say('anna', recording(2))
    await r.run(6_500)
    // In the same words, by the same voice, and half a second behind.
    r.say('ben', voiceOf(recording(2), 1.15))
    await r.run(5_000)
    expect(r.understood.map(({ from }) => from)).toEqual(['en-us', 'es-es'])
    expect(r.captions.map(({ text }) => text)).toEqual(texts)
    expect(r.relay.metrics.utterancesEchoed).toBe(0)
    await r.relay.close()
  })
})

test('others hear the original as it is, with the echo in it', async () => {
  const way = { db: -12, delayMs: 184 }
  const r = await echoRoom({ voices })
  r.join('anna', { speaks: 'en-us', hears: 'en-us' })
  r.join('ben', { speaks: 'es-es', hears: 'es-es', original: 'off' }, way)
  const carla = r.join('carla', { hears: 'es-es' })
  await r.run(400)
  r.say('anna', recording(2))
  await r.run(6_000)
  expect(r.relay.metrics.echoFramesMasked).toBeGreaterThan(20)
  // Carla understands Ben's language, and hears the translation; Ben's line brings it once more, softer.
  expect(rms(carla.lately(1_000))).toBeGreaterThan(200)
  expect(r.understood).toHaveLength(1)
  await r.relay.close()
})

test('an echo that suddenly becomes louder is told by its words, and learnt', async () => {
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

test('a tone over a loud echo is heard: not all that is sent is speech', async () => {
  const r = await echoRoom({ voices })
  r.join('anna', { speaks: 'en-us', hears: 'en-us', original: 'off' })
  r.join('ben', { speaks: 'es-es', hears: 'es-es', original: 'off' }, { db: -12, delayMs: 184 })
  await r.run(400)
  r.say('anna', recording(2))
  await r.run(6_000)
  r.say('ben', joined([sine(440, 1_000), quiet(200)]))
  await r.run(12_000)
  expect(r.understood.map(({ from }) => from)).toEqual(['en-us', 'es-es'])
  await r.relay.close()
})
