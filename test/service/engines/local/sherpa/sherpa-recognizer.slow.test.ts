import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../../src/common/clock.ts'
import { SherpaRecognizer } from '../../../../../src/service/engines/local/sherpa/sherpa-recognizer.ts'
import { speechToTextChecks } from '../../../../support/conformance/speech-to-text.ts'
import { conforms } from '../../../../support/conformance/suite.ts'
import { joined, pause } from '../../../../support/engines/recordings.ts'
import {
  HAS_SHERPA,
  HeardTones,
  type RecognitionSettings,
  recognition,
  type ToneModels,
  writeToneModels,
} from '../../../../support/engines/sherpa/tone-engines.ts'
import { tones } from '../../../../support/engines/sherpa/tone-words.ts'
import { quiet } from '../../../../support/transcode/tone.ts'

let models: ToneModels

beforeAll(async () => {
  models = await writeToneModels()
})
afterAll(() => models[Symbol.asyncDispose]())

/** 300 ms of silence, two utterances with a pause of 1 s between, silence. */
const talk = joined(quiet(300), tones('one two three'), quiet(1_000), tones('eight six five'), quiet(1_500))

type Settings = Partial<RecognitionSettings>
/** All ways to find utterances, with every kind of model that exists in tiny form. */
const VARIANTS: readonly (readonly [name: string, settings: () => Settings & { model: string }])[] = [
  ['a streaming CTC model with endpoint rules', () => ({ model: models.ctc })],
  ['a streaming CTC model with a detector', () => ({ model: models.ctc, vad: models.vad })],
  ['a streaming transducer with endpoint rules', () => ({ model: models.transducer })],
  ['a streaming transducer with a detector', () => ({ model: models.transducer, vad: models.vad })],
  ['SenseVoice with a detector', () => ({ model: models.senseVoice, vad: models.vad })],
  ['SenseVoice by level', () => ({ model: models.senseVoice })],
]

async function understood(
  settings: Settings & { model: string },
  pcm: Int16Array,
  count: number,
  terms?: readonly string[],
) {
  const engine = await SherpaRecognizer.create(recognition(settings), systemClock, terms)
  const heard = new HeardTones()
  try {
    const stream = await engine.open(engine.languages[0]!, heard)
    for (let at = 0; at < pcm.length; at += 960) stream.write(pcm.subarray(at, at + 960))
    await heard.until(count)
    await stream.close()
    return heard
  } finally {
    await engine.close()
  }
}

describe.skipIf(!HAS_SHERPA)('sherpa-onnx recognition', () => {
  it.each(VARIANTS)('understands utterances with %s', async (_name, settings) => {
    const { finals, errors } = await understood(settings(), talk, 2)
    expect(errors).toEqual([])
    expect(finals.map(({ text }) => text)).toEqual(['one two three', 'eight six five'])
    expect(finals.map(({ utterance }) => utterance)).toEqual([1, 2])
    // The words are at 300 to 1250 ms and at 2350 to 3300 ms.
    const [first, second] = finals
    expect(first!.startMs).toBeGreaterThanOrEqual(0)
    expect(first!.startMs).toBeLessThanOrEqual(450)
    expect(first!.endMs).toBeGreaterThanOrEqual(1_200)
    expect(first!.endMs).toBeLessThanOrEqual(2_350)
    expect(second!.startMs).toBeGreaterThanOrEqual(1_900)
    expect(second!.startMs).toBeLessThanOrEqual(2_500)
    expect(second!.endMs).toBeGreaterThanOrEqual(3_250)
    expect(second!.endMs).toBeLessThanOrEqual(4_850)
  })

  it.each(VARIANTS.slice(0, 4))('shows growing text while it is spoken with %s', async (_name, settings) => {
    const { partials } = await understood(settings(), talk, 2)
    const first = partials.filter(({ utterance }) => utterance === 1).map(({ text }) => text)
    expect(first).toContain('one')
    expect(first.every(text => 'one two three'.startsWith(text))).toBe(true)
    expect(partials.at(-1)?.utterance).toBe(2)
  })

  it('identifies the language by a Whisper model', async () => {
    const settings = {
      ...{ model: models.ctc, vad: models.vad, languageModel: models.whisper },
      languages: ['en-gb', 'es-mx'],
    }
    const { finals } = await understood(settings, talk, 2)
    expect(finals.map(({ language }) => language)).toEqual(['en-gb', 'es-mx'])
  })

  it('reports the language that SenseVoice detects, if it is one of the settings', async () => {
    const several = await understood({ model: models.senseVoice, languages: ['en-us', 'ko-kr'] }, talk, 2)
    expect(several.finals.map(({ language }) => language)).toEqual(['ko-kr', 'ko-kr'])
    const other = await understood({ model: models.senseVoice, languages: ['en-us', 'de-de'] }, talk, 2)
    expect(other.finals.map(({ language }) => language)).toEqual([undefined, undefined])
    const single = await understood({ model: models.senseVoice, languages: ['en-us'] }, talk, 2)
    expect(single.finals.map(({ language }) => language)).toEqual(['en-us', 'en-us'])
  })

  it('recognizes whole utterances with Whisper, and detects their language', async () => {
    const speech = joined(quiet(300), tones('two'), quiet(1_000), tones('seven'), quiet(1_000))
    const settings = { model: models.whisper, languages: ['es-es', 'en-us'], vad: models.vad }
    const { finals } = await understood(settings, speech, 2)
    expect(finals.map(({ text }) => text.toLowerCase())).toEqual(['two', 'seven'])
    expect(finals.map(({ language }) => language)).toEqual(['en-us', 'es-es'])
  })

  it('prefers terms of the vocabulary in its own spelling, and skips those that it cannot write', async () => {
    // Two words at once, almost as likely.
    const [three, six] = [tones('three'), tones('six')]
    const both = six.map((sample, at) => Math.round(sample * 0.3 + three[at]! * 0.915))
    const speech = joined(quiet(300), both, quiet(1_500))
    const settings = { model: models.transducer }
    const other = await understood(settings, speech, 1, ['Six'])
    expect(other.finals[0]?.text.split(' ')).toContain('six')
    const { finals } = await understood(settings, speech, 1, ['Dragoman', 'Three', 'Ana Núñez'])
    expect(finals.map(({ text }) => text)).toEqual(['three'])
  })

  it('ignores terms of the vocabulary if the model cannot prefer words', async () => {
    const settings = recognition({ model: models.ctc })
    const engine = await SherpaRecognizer.create(settings, systemClock, ['three'])
    expect(engine.takesTerms).toBe(false)
    await engine.close()
  })

  it('splits an utterance without a pause', async () => {
    const speech = joined(quiet(300), tones(Array(64).fill('one four').join(' ')), quiet(1_000))
    // The words are 44 s long and the gaps 100 ms, so only the limit of 15 s ends an utterance.
    for (const vad of [models.vad, undefined]) {
      const { finals } = await understood({ model: models.ctc, vad }, speech, 2)
      expect(finals.length).toBeGreaterThanOrEqual(2)
      for (const { startMs, endMs } of finals) expect(endMs - startMs).toBeLessThan(23_000)
      const words = finals.flatMap(({ text }) => text.split(' '))
      expect(words.length).toBeLessThanOrEqual(132)
    }
  })

  it('recognizes several speakers at once, each alone', async () => {
    const engine = await SherpaRecognizer.create(recognition({ model: models.ctc }), systemClock)
    const said = ['one two', 'three four', 'five six', 'seven eight', 'one five', 'two six']
    const results = await Promise.all(
      said.map(async text => {
        const heard = new HeardTones()
        const stream = await engine.open('en-us', heard)
        stream.write(joined(quiet(200), tones(text), quiet(1_200)))
        const [final] = await heard.until(1)
        await stream.close()
        return final?.text
      }),
    )
    await engine.close()
    expect(results).toEqual(said)
  })

  it('uses all of its processes', async () => {
    const engine = await SherpaRecognizer.create(
      recognition({ model: models.ctc, processes: 2 }),
      systemClock,
    )
    expect(new Set(engine.pids).size).toBe(2)
    expect(engine.pids).not.toContain(process.pid)
    await engine.close()
  })
})

for (const [name, settings] of HAS_SHERPA ? VARIANTS : [])
  conforms(
    `sherpa-onnx with ${name} as an engine`,
    speechToTextChecks,
    async () => ({
      engine: await SherpaRecognizer.create(recognition(settings()), systemClock),
      pcm: joined(pause(100), tones('one two three four'), quiet(900), tones('six five'), quiet(900)),
      words: ['two', 'five'],
      patienceMs: 5_000,
    }),
    ({ engine }) => engine.close(),
  )
