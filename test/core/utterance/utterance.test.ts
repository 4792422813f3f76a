import { beforeAll, expect, test } from 'vitest'
import { Mp3Maker } from '../../../simulator/service/scripted-answers.ts'
import { DecodeQueue } from '../../../src/core/utterance/decode-queue.ts'
import { Utterance } from '../../../src/core/utterance/utterance.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { LoudnessNormalizer } from '../../../src/transcode/loudness-normalizer.ts'
import { mp3DecodersInUse, mp3Ready } from '../../../src/transcode/mp3/mp3-decoder.ts'
import { bytesOf } from '../../../src/transcode/pcm.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { soundOf, utteranceParts } from '../../support/relay/utterance-parts.ts'
import { speechDb } from '../../support/transcode/speech-signal.ts'
import { sine } from '../../support/transcode/tone.ts'

let maker: Mp3Maker
beforeAll(async () => {
  maker = await Mp3Maker.create()
  await mp3Ready()
})

test.each<[string, () => Uint8Array]>([
  ['mp3', () => maker.tone(1_000, 2_000)],
  ['WAV', () => encodeWav(sine(1_000, 2_000), 16_000)],
  ['samples', () => bytesOf(sine(1_000, 2_000))],
])(
  'can be played as soon as its first piece has arrived, and frees its decoder at its end: %s',
  (_, make) => {
    const before = mp3DecodersInUse()
    const bytes = make()
    let started = 0
    const utterance = new Utterance('1', 0, utteranceParts(), { started: () => started++ })
    utterance.write(bytes.subarray(0, 2_048))
    expect(utterance.audio.frames).toBeGreaterThan(0)
    expect(started).toBe(1)
    utterance.write(bytes.subarray(2_048))
    utterance.end()
    const heard = soundOf(utterance)
    expect(started).toBe(1)
    expect(Math.abs(heard.length / 16 - 2_000)).toBeLessThan(100)
    expect(loudness(heard, 1_000, 16_000)).toBeGreaterThan(6_000)
    expect(mp3DecodersInUse()).toBe(before)
  },
)

test('ends when its listeners have left, even between two pieces', () => {
  const before = mp3DecodersInUse()
  const parts = utteranceParts()
  const utterance = new Utterance('1', 0, parts)
  const readers = [utterance.audio.reader(), utterance.audio.reader()]
  const mp3 = maker.tone(1_000, 20_000)
  utterance.write(mp3.subarray(0, 2_000))
  expect(mp3DecodersInUse()).toBe(before + 1)
  utterance.write(mp3.subarray(2_000))
  readers[0]!.close()
  expect(parts.backlog.bytes).toBeGreaterThan(50_000)
  readers[1]!.close()
  expect(parts.backlog.bytes).toBe(0)
  expect(mp3DecodersInUse()).toBe(before)
  expect(utterance.decode()).toBe(false)
})

test('ends with what was decoded when it is stopped; listeners hear the rest of that', () => {
  const utterance = new Utterance('1', 0, utteranceParts())
  utterance.write(maker.tone(1_000, 4_000))
  const reader = utterance.audio.reader()
  utterance.close()
  utterance.write(maker.tone(1_000, 4_000))
  let frames = 0
  for (; reader.next(); frames++);
  expect(reader.done).toBe(true)
  expect(frames).toBeGreaterThan(5)
  expect(frames).toBeLessThan(100)
})

test('is cut after two minutes', () => {
  const utterance = new Utterance('1', 0, utteranceParts())
  for (let n = 0; n < 13; n++) utterance.write(maker.tone(1_000, 10_000))
  expect(soundOf(utterance).length / 16).toBeLessThan(121_000)
  expect(utterance.audio.complete).toBe(true)
})

test('the bytes of a session that wait are bounded, over all of its utterances', () => {
  const parts = utteranceParts()
  const utterances = Array.from({ length: 5 }, (_, n) => new Utterance(`${n}`, 0, parts))
  for (const each of utterances) each.write(new Uint8Array(1_000_000))
  expect(parts.backlog.bytes).toBe(4_000_000)
  expect(parts.metrics.mp3InvalidBytes).toBe(1_000_000)
  for (const each of utterances) each.close()
  expect(parts.backlog.bytes).toBe(0)
})

test('without audio plays nothing, reports it and counts its bytes once', () => {
  const parts = utteranceParts()
  let told = 0
  const utterance = new Utterance('1', 0, parts, { notMp3: () => told++ })
  utterance.write(Buffer.from('not an mp3 at all, but long enough to be looked at'))
  utterance.end()
  utterance.end()
  expect(soundOf(utterance)).toHaveLength(0)
  expect(told).toBe(1)
  expect(parts.metrics.mp3InvalidBytes).toBe(50)
})

test('skips what was played before', () => {
  const utterance = new Utterance('1', 0, utteranceParts(), { skipMs: 1_500 })
  utterance.write(encodeWav(sine(1_000, 2_000), 16_000))
  utterance.end()
  expect(soundOf(utterance).length / 16).toBe(500)
})

test('is normalized', () => {
  const utterance = new Utterance('1', 0, utteranceParts(), { leveler: new LoudnessNormalizer(-20) })
  utterance.write(encodeWav(sine(300, 3_000, 9_000), 16_000))
  utterance.end()
  expect(Math.abs(speechDb(soundOf(utterance).subarray(16_000)) + 20)).toBeLessThan(1)
})

test('many at once are all decoded, in short turns', async () => {
  const before = mp3DecodersInUse()
  const parts = { ...utteranceParts(), decoding: new DecodeQueue() }
  const utterances = Array.from({ length: 100 }, (_, n) => new Utterance(`${n}`, 0, parts))
  for (const each of utterances) {
    each.write(maker.tone(1_000, 1_000))
    each.end()
  }
  while (!utterances.every(({ audio }) => audio.complete)) await new Promise(setImmediate)
  for (const { audio } of utterances) expect(audio.durationMs).toBeGreaterThan(900)
  expect(parts.decoding.size).toBe(0)
  expect(mp3DecodersInUse()).toBe(before)
})
