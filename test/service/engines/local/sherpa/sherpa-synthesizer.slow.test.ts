import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../../src/common/clock.ts'
import { SherpaRecognizer } from '../../../../../src/service/engines/local/sherpa/sherpa-recognizer.ts'
import { SherpaSynthesizer } from '../../../../../src/service/engines/local/sherpa/sherpa-synthesizer.ts'
import { conforms } from '../../../../support/conformance/suite.ts'
import { synthesizerChecks } from '../../../../support/conformance/synthesizer.ts'
import { joined } from '../../../../support/engines/recordings.ts'
import {
  HAS_SHERPA,
  HeardTones,
  recognition,
  type ToneModels,
  voice,
  writeToneModels,
} from '../../../../support/engines/sherpa/tone-engines.ts'
import { voiceFiles } from '../../../../support/engines/sherpa/utterance-tone-models.ts'
import { quiet } from '../../../../support/transcode/tone.ts'

let models: ToneModels
const never = new AbortController().signal

beforeAll(async () => {
  models = await writeToneModels()
})
afterAll(() => models[Symbol.asyncDispose]())

async function spoken(engine: SherpaSynthesizer, text: string, signal = never): Promise<Int16Array> {
  const { pieces } = await engine.speak(text, engine.voices[0]!.voiceId, signal)
  const all: Int16Array[] = []
  for await (const piece of pieces) all.push(piece)
  return joined(...all)
}

describe.skipIf(!HAS_SHERPA)('sherpa-onnx voices', () => {
  it('speak what sherpa-onnx understands again', async () => {
    const [mouth, ears] = await Promise.all([
      SherpaSynthesizer.create(voice({ model: models.vits }), systemClock),
      SherpaRecognizer.create(recognition({ model: models.ctc }), systemClock),
    ])
    const heard = new HeardTones()
    const stream = await ears.open('en-us', heard)
    stream.write(joined(await spoken(mouth, 'three one. four eight.'), quiet(1_500)))
    const finals = await heard.until(1)
    await Promise.all([mouth.close(), ears.close()])
    expect(finals.map(({ text }) => text).join(' ')).toBe('three one four eight')
  })

  it('speak the first sentence before the last one is made', async () => {
    const engine = await SherpaSynthesizer.create(voice({ model: models.vits }), systemClock)
    const sentences = Array<string>(40).fill('one two three four five six seven eight').join('. ')
    const stop = new AbortController()
    const { pieces } = await engine.speak(sentences, engine.voices[0]!.voiceId, stop.signal)
    let samples = 0
    for await (const piece of pieces) {
      samples += piece.length
      stop.abort()
    }
    const whole = (await spoken(engine, sentences)).length
    await engine.close()
    expect(whole).toBeGreaterThan(40 * 8 * 4_000 - 1)
    expect(samples).toBeLessThanOrEqual(1_600)
  })

  it('speak a short text while a long one is being spoken', async () => {
    const engine = await SherpaSynthesizer.create(voice({ model: models.vits }), systemClock)
    const order: string[] = []
    const long = Array<string>(60).fill('one two three four five six seven eight').join('. ')
    await Promise.all([
      spoken(engine, long).then(() => order.push('long')),
      spoken(engine, 'one').then(() => order.push('short')),
    ])
    await engine.close()
    expect(order).toEqual(['short', 'long'])
  })

  it('skip what cannot be pronounced, and fail if nothing can', async () => {
    const engine = await SherpaSynthesizer.create(voice({ model: models.vits }), systemClock)
    const long = 'xyzzy '.repeat(50)
    const some = await spoken(engine, `${long}. one two.`)
    await expect(spoken(engine, '😀')).rejects.toThrow('sherpa: cannot pronounce a text')
    await engine.close()
    expect(some.length).toBeGreaterThan(2 * 4_000)
  })

  it('have names, languages and genders of the settings', async () => {
    const several = await models.write(
      'speakers',
      voiceFiles({ speaker_names: 'af_heart,am_adam', n_speakers: '2', comment: 'tones of two' }),
    )
    const settings = voice({
      model: several,
      voices: [{ voice: 'am_adam', languages: ['en-us', 'en-gb'], gender: 'M' }],
    })
    // The tiny model has no input for the speaker, so only the list is tested.
    const engine = await SherpaSynthesizer.create(settings, systemClock)
    await engine.close()
    expect(engine.voices.map(({ voiceId, name, voiceGender }) => [voiceId, name, voiceGender])).toEqual([
      ['sherpa-en-us-am_adam', 'English (United States), am_adam', 'M'],
      ['sherpa-en-gb-am_adam', 'English (United Kingdom), am_adam', 'M'],
    ])
    const other = voice({
      model: several,
      voices: [{ voice: 'bm_lewis', languages: ['en-us'], gender: 'M' }],
    })
    await expect(SherpaSynthesizer.create(other, systemClock)).rejects.toThrow(
      'has no speaker named bm_lewis: it has af_heart, am_adam',
    )
    await expect(
      SherpaSynthesizer.create(voice({ model: models.vits, speaker: 1 }), systemClock),
    ).rejects.toThrow('has the speakers 0 to 0, not 1')
  })

  it('require the data of eSpeak NG for Piper', async () => {
    const piper = await models.write('piper', voiceFiles({ comment: 'piper' }))
    await expect(SherpaSynthesizer.create(voice({ model: piper }), systemClock)).rejects.toThrow(
      `${piper} has no espeak-ng-data, for a vits model`,
    )
  })
})

if (HAS_SHERPA)
  conforms(
    'a sherpa-onnx voice as an engine',
    synthesizerChecks,
    () => SherpaSynthesizer.create(voice({ model: models.vits }), systemClock),
    engine => engine.close(),
  )
