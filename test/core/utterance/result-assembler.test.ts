import { beforeAll, describe, expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { countFrames, framesIn, numberedFrames } from '../../../simulator/network/numbered-frames.ts'
import { Mp3Maker } from '../../../simulator/service/scripted-answers.ts'
import type { TranslationResult } from '../../../src/core/translation/translator.ts'
import { type AssemblerEvents, ResultAssembler } from '../../../src/core/utterance/result-assembler.ts'
import { Utterance } from '../../../src/core/utterance/utterance.ts'
import { LoudnessNormalizer } from '../../../src/transcode/loudness-normalizer.ts'
import { mp3Ready } from '../../../src/transcode/mp3/mp3-decoder.ts'
import { soundOf, utteranceParts } from '../../support/relay/utterance-parts.ts'

let maker: Mp3Maker
beforeAll(async () => {
  maker = await Mp3Maker.create()
  await mp3Ready()
})

function setUp() {
  const captions: string[] = []
  const names: string[] = []
  const replaced: TranslationResult['standIns'][] = []
  const utterances: Utterance[] = []
  const complaints: number[] = []
  const { decoding, metrics } = utteranceParts()
  let endedAt = 0
  const events: AssemblerEvents = {
    caption: ({ utterance, final, text = '-', translation = '-', standIns }) => {
      names.push(utterance)
      replaced.push(standIns)
      captions.push(`${final ? 'final' : 'partial'} ${text} ${translation}`)
    },
    utterance: utterance => utterances.push(utterance),
    notMp3: () => complaints.push(captions.length),
    speechEndedAt: () => endedAt,
    processed() {},
    failed: error => {
      throw error
    },
  }
  const interpreter = new ResultAssembler({
    name: 'anna.1',
    clock: new FakeClock(),
    decoding,
    metrics,
    events,
    leveler: new LoudnessNormalizer(-20, 0),
  })
  const hear = (result: Partial<TranslationResult>, speechEndedAt = 0) => {
    endedAt = speechEndedAt
    interpreter.result({ utterance: '1', final: true, ...result })
  }
  return { interpreter, hear, captions, names, replaced, utterances, metrics, complaints }
}

describe('an interpreter', () => {
  test('emits growing captions, partial and final with the same id', () => {
    const { hear, captions, names } = setUp()
    hear({ final: false, text: 'one' })
    hear({ final: false, text: 'one two' })
    hear({ text: 'one two', translation: 'uno dos' })
    hear({ utterance: '2', text: 'three' })
    expect(captions).toEqual(['partial one -', 'partial one two -', 'final one two uno dos', 'final three -'])
    expect(new Set(names.slice(0, 3)).size).toBe(1)
    expect(names[3]).not.toBe(names[0])
    expect(names[0]).toContain('anna.1')
  })

  test('passes on which engines of the service serve instead of others', () => {
    const { hear, replaced } = setUp()
    hear({ final: false, text: 'one' })
    hear({ text: 'one', translation: 'uno', standIns: { translation: 'apertium' } })
    expect(replaced).toEqual([undefined, { translation: 'apertium' }])
  })

  test('emits a text once that every chunk of a voice repeats', () => {
    const { hear, captions, utterances } = setUp()
    const mp3 = maker.tone(1_000, 600)
    for (let at = 0; at < mp3.length; at += 512)
      hear({ text: 'one', translation: 'uno', audio: mp3.subarray(at, at + 512) })
    expect(captions).toEqual(['final one uno'])
    expect(utterances).toHaveLength(1)
  })

  test('joins results that are separate files into one voice without gaps', () => {
    const { interpreter, hear, utterances } = setUp()
    for (const hz of [600, 1_000, 1_500]) hear({ text: 'one', audio: maker.tone(hz, 400) })
    interpreter.endOfSpeech()
    const [one] = utterances
    while (one?.decode()) {}
    expect(utterances).toHaveLength(1)
    const alone = [600, 1_000, 1_500].map(hz => {
      const utterance = new Utterance('alone', 0, utteranceParts())
      utterance.write(maker.tone(hz, 400))
      utterance.end()
      while (utterance.decode()) {}
      return utterance.audio.durationMs
    })
    expect(Math.abs(one!.audio.durationMs - alone[0]! - alone[1]! - alone[2]!)).toBeLessThan(25)
  })

  test('reports once that a voice is not MP3, but not a damaged or empty one', () => {
    const { interpreter, hear, utterances, complaints } = setUp()
    const mp3 = maker.tone(1_000, 300)
    const whole = () => {
      interpreter.endOfSpeech()
      for (const each of utterances) while (each.decode()) {}
    }
    hear({ audio: mp3 })
    hear({ utterance: '2', audio: Buffer.concat([Buffer.from('garbage before the sound'), mp3]) })
    hear({ utterance: '3', audio: new Uint8Array(0) })
    whole()
    expect(complaints).toEqual([])
    for (const utterance of ['4', '5'])
      hear({ utterance, audio: Buffer.from('<html>502 Bad Gateway</html>') })
    whole()
    expect(complaints).toHaveLength(1)
  })

  test('creates one complete voice per utterance', () => {
    const { interpreter, hear, utterances, metrics } = setUp()
    const mp3 = maker.tone(1_000, 600)
    hear({ text: 'one', audio: mp3.subarray(0, 1_000) }, 123)
    hear({ text: 'one', audio: mp3.subarray(1_000) }, 456)
    interpreter.endOfSpeech()
    hear({ utterance: '2', text: 'two', audio: mp3 })
    interpreter.endOfSpeech()
    for (const each of utterances) while (each.decode()) {}
    expect(utterances).toHaveLength(2)
    expect(utterances[0]?.speechEndedAt).toBe(123)
    for (const { audio } of utterances) expect(Math.abs(audio.durationMs - 600)).toBeLessThan(80)
    expect(metrics.utterances).toBe(2)
  })

  test('ends a voice when the next one starts', () => {
    const { hear, utterances } = setUp()
    hear({ audio: maker.tone(1_000, 300) })
    hear({ utterance: '2', audio: maker.tone(1_000, 300) })
    while (utterances[0]?.decode()) {}
    expect(utterances[0]?.audio.complete).toBe(true)
    expect(utterances[1]?.audio.complete).toBe(false)
  })

  test('starts a new voice for audio after the end of its utterance', () => {
    const { interpreter, hear, utterances } = setUp()
    hear({ audio: maker.tone(1_000, 300) })
    interpreter.endOfSpeech()
    interpreter.endOfSpeech()
    hear({ audio: maker.tone(1_200, 300) })
    expect(utterances).toHaveLength(2)
  })

  test('emits no caption without text and no voice without audio', () => {
    const { hear, captions, utterances } = setUp()
    hear({})
    hear({ audio: new Uint8Array(0) })
    hear({ translation: 'uno' })
    expect(captions).toEqual(['final - uno'])
    expect(utterances).toHaveLength(0)
  })

  test('joins words from separate results, and accepts the next utterance while a voice is arriving', () => {
    const { interpreter, hear, captions, names, utterances, metrics } = setUp()
    hear({ text: 'one' })
    hear({ translation: 'uno' })
    hear({ utterance: '2', final: false, text: 'two' })
    expect(interpreter.voiceless).toBe(false)
    hear({ audio: maker.tone(1_000, 300) })
    hear({ utterance: '2', text: 'two' })
    interpreter.endOfSpeech('1')
    hear({ utterance: '2', audio: maker.tone(1_200, 300) })
    interpreter.endOfSpeech('2')
    expect(captions).toEqual(['final one -', 'final one uno', 'partial two -', 'final two -'])
    expect(names[1]).toBe(names[0])
    expect(utterances).toHaveLength(2)
    expect(metrics.utterancesVoiceless).toBe(0)
  })

  test('keeps a voice when another utterance without a voice ends', () => {
    const { interpreter, hear, utterances, metrics } = setUp()
    hear({ text: 'one' })
    hear({ utterance: '2', text: 'two', audio: maker.tone(1_000, 300).subarray(0, 600) })
    interpreter.endOfSpeech('1')
    hear({ utterance: '2', text: 'two', audio: maker.tone(1_000, 300).subarray(600) })
    interpreter.endOfSpeech('2')
    expect(utterances).toHaveLength(1)
    expect(metrics.utterancesVoiceless).toBe(1)
  })

  test('treats the ids of a new connection as new utterances', () => {
    const { interpreter, hear, captions, names, utterances } = setUp()
    hear({ text: 'one', audio: maker.tone(1_000, 300) })
    interpreter.interrupted()
    while (utterances[0]?.decode()) {}
    expect(utterances[0]?.audio.complete).toBe(true)
    hear({ text: 'two', audio: maker.tone(1_000, 300) })
    expect(captions).toHaveLength(2)
    expect(names[1]).not.toBe(names[0])
    expect(utterances[1]?.id).not.toBe(utterances[0]?.id)
  })

  test('continues an interrupted voice when the next connection repeats it', () => {
    const { interpreter, hear, captions, utterances } = setUp()
    const voice = numberedFrames(100, 160)
    const mp3 = maker.encode(voice, 16_000, 64)
    const half = Math.floor(mp3.length / 2)
    hear({ final: false, text: 'one' })
    hear({ text: 'one', translation: 'uno', audio: mp3.subarray(0, half) })
    interpreter.interrupted()
    while (utterances[0]?.decode()) {}
    // Partial results of known words would retract them.
    hear({ final: false, text: 'on' })
    hear({ text: 'one', translation: 'uno', audio: mp3.subarray(0, half) })
    hear({ text: 'one', translation: 'uno', audio: mp3.subarray(half) })
    interpreter.endOfSpeech('1')
    expect(captions).toEqual(['partial one -', 'final one uno'])
    expect(utterances).toHaveLength(2)
    const heard = utterances.flatMap(each => framesIn(soundOf(each)).map(({ index }) => index))
    const { lost, repeated } = countFrames(heard, 100, 160)
    expect(lost).toEqual([])
    expect(repeated).toBeGreaterThan(0)
    expect(repeated).toBeLessThanOrEqual(15)
  })

  test('plays all of it if the words differ the second time', () => {
    const { interpreter, hear, captions, utterances } = setUp()
    const mp3 = maker.encode(numberedFrames(100, 160), 16_000, 64)
    hear({ text: 'one', translation: 'uno', audio: mp3.subarray(0, mp3.length / 2) })
    interpreter.interrupted()
    hear({ text: 'won', translation: 'ganó', audio: mp3 })
    interpreter.endOfSpeech()
    expect(captions).toEqual(['final one uno', 'final won ganó'])
    expect(framesIn(soundOf(utterances[1]!))).toHaveLength(60)
  })

  test.each([
    ['whole', 1],
    ['in chunks', 5],
  ])('plays repeated audio once, %s', (_how, pieces) => {
    const { interpreter, hear, utterances } = setUp()
    const mp3 = maker.encode(numberedFrames(0, 100), 16_000, 64)
    const size = Math.ceil(mp3.length / pieces)
    for (let at = 0; at < mp3.length; at += size)
      for (let copy = 0; copy < 2; copy++) hear({ text: 'one', audio: mp3.subarray(at, at + size) })
    interpreter.endOfSpeech('1')
    hear({ text: 'one', audio: mp3.subarray(0, size) })
    interpreter.endOfSpeech('1')
    expect(utterances).toHaveLength(1)
    expect(
      countFrames(
        framesIn(soundOf(utterances[0]!)).map(({ index }) => index),
        0,
        100,
      ),
    ).toEqual({
      lost: [],
      repeated: 0,
      late: 0,
      foreign: [],
    })
  })

  test('keeps the current voice when a completed utterance ends again', () => {
    const { interpreter, hear, utterances } = setUp()
    hear({ audio: maker.tone(1_000, 300) })
    interpreter.endOfSpeech('1')
    hear({ utterance: '2', audio: maker.tone(1_200, 300) })
    interpreter.endOfSpeech('1')
    while (utterances[1]?.decode()) {}
    expect(utterances[1]?.audio.complete).toBe(false)
    interpreter.endOfSpeech('whatever a service calls it')
    while (utterances[1]?.decode()) {}
    expect(utterances[1]?.audio.complete).toBe(true)
  })

  test('detects words without a voice, until a voice arrives', () => {
    const { interpreter, hear, metrics } = setUp()
    hear({ final: false, text: 'o' })
    hear({ text: 'one', translation: 'uno' })
    expect(interpreter.voiceless).toBe(false)
    interpreter.endOfSpeech()
    expect(interpreter.voiceless).toBe(true)
    hear({ utterance: '2', text: 'two', translation: 'dos' })
    hear({ utterance: '2', text: 'two', translation: 'dos', audio: maker.tone(1_000, 300) })
    interpreter.endOfSpeech()
    expect(interpreter.voiceless).toBe(false)
    // Retracted words (noise) need no voice.
    hear({ utterance: '3', text: '' })
    interpreter.endOfSpeech()
    expect(interpreter.voiceless).toBe(false)
    hear({ utterance: '4', text: 'four', translation: 'cuatro' })
    hear({ utterance: '5', text: 'five', translation: 'cinco' })
    expect(interpreter.voiceless).toBe(true)
    expect(metrics.utterancesVoiceless).toBe(2)
  })

  test('keeps a bounded number of utterance ids', () => {
    const { hear, names } = setUp()
    for (let n = 0; n < 10_000; n++) hear({ utterance: `x${n}`, text: 'again' })
    expect(new Set(names).size).toBe(10_000)
    hear({ utterance: 'x9999', text: 'more' })
    expect(names.at(-1)).toBe(names.at(-2))
  })
})
