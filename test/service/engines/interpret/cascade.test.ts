import { expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import type {
  InterpretedText,
  TranscriptSink,
  TranslatedTurn,
} from '../../../../src/service/engines/engine.ts'
import { Cascade, type CascadeSink } from '../../../../src/service/engines/interpret/cascade.ts'
import { InterpretationFigures } from '../../../../src/service/engines/interpret/interpretation-figures.ts'

/** A cascade in clause mode; `translations` are those of its translator, which otherwise writes capitals. */
async function cascade(translations: Readonly<Record<string, string>> = {}) {
  const figures = new InterpretationFigures()
  const log: string[] = []
  const contexts: (readonly TranslatedTurn[])[] = []
  let ears: TranscriptSink | undefined
  const line = ({ utterance, text, translation }: InterpretedText) =>
    `${utterance} "${text}" "${translation}"`
  const sink: CascadeSink = {
    partial: result => void log.push(`partial ${line(result)}`),
    final: (result, speech) => void log.push(`final ${line(result)}${speech ? '' : ' silent'}`),
    audio: (utterance, pcm) => void log.push(`audio ${utterance} ${pcm.length / 16} ms`),
    spoken: utterance => void log.push(`spoken ${utterance}`),
    fault: (utterance, kind) => void log.push(`fault ${utterance} ${kind}`),
    room: () => undefined,
    failed: () => void log.push('failed'),
  }
  const engine = new Cascade({
    ...{ from: 'en-us', to: 'es-es', mode: 'clause', figures, clock: new FakeClock() },
    recognizer: {
      name: 'ears',
      languages: ['en-us'],
      async open(_language, to) {
        ears = to
        return { queuedMs: 0, waitingMs: 0, behindMs: 0, write() {}, async close() {} }
      },
      async close() {},
    },
    translator: {
      name: 'words',
      targets: () => ['es-es'],
      prepare() {},
      async translate(text, _from, _to, options) {
        contexts.push(options?.context ?? [])
        if (text === 'fail.') throw new Error('no words')
        return translations[text] ?? text.toUpperCase()
      },
      async close() {},
    },
    voice: {
      engine: {
        name: 'mouth',
        voices: [],
        async speak(text) {
          if (text === 'MUTE.') throw new Error('no mouth')
          return {
            rate: 16_000,
            pieces: (async function* () {
              yield new Int16Array(160).fill(1_000)
              yield new Int16Array(4_800)
            })(),
          }
        },
        async close() {},
      },
      entry: { voiceId: 'one' } as never,
    },
  })
  await engine.open({}, sink)
  const settled = async () => {
    for (let turn = 0; turn < 50; turn++) await undefined
    return log.splice(0)
  }
  const say = (text: string, stable: number | undefined, confidence?: number[]) => {
    const transcript = { utterance: 1, text, startMs: 0, endMs: 50 * text.length, stable, confidence }
    if (stable === undefined) ears!.final(transcript)
    else ears!.partial(transcript)
    return settled()
  }
  return { say, figures, contexts }
}

test('both texts grow by clause; a sentence is final with its last clause, and the next one starts after it', async () => {
  const { say, contexts } = await cascade({
    'we bought the house long ago,': 'Compramos la casa hace mucho.',
    'when it was cheap.': 'Cuando era barata.',
  })
  expect(await say('we bought the house long ago, when it', 29)).toEqual([
    'partial 1 "we bought the house long ago," ""',
    'partial 1 "we bought the house long ago," "Compramos la casa hace mucho,"',
    'audio 1 10 ms',
    'audio 1 100 ms',
    'partial 1 "we bought the house long ago," "Compramos la casa hace mucho,"',
  ])
  expect(await say('we bought the house long ago, when it was cheap. Then', 48)).toEqual([
    'final 1 "we bought the house long ago, when it was cheap." "Compramos la casa hace mucho, cuando era barata."',
    'audio 1 10 ms',
    'audio 1 300 ms',
    'spoken 1',
  ])
  expect(await say('we bought the house long ago, when it was cheap. Then it rained.', undefined)).toEqual([
    'final 2 "Then it rained." "THEN IT RAINED."',
    'audio 2 10 ms',
    'audio 2 300 ms',
    'spoken 2',
  ])
  expect(contexts.map(each => each.map(({ source }) => source))).toEqual([
    [],
    ['we bought the house long ago,'],
    ['we bought the house long ago,', 'when it was cheap.'],
  ])
})

test('a part that cannot be translated or spoken is reported, and the rest goes on', async () => {
  const { say } = await cascade()
  expect(await say('fail. mute. good.', undefined)).toEqual([
    'fault 1 translation',
    'final 1 "fail." "" silent',
    'final 2 "mute." "MUTE."',
    'fault 2 synthesis',
    'spoken 2',
    'final 3 "good." "GOOD."',
    'audio 3 10 ms',
    'audio 3 300 ms',
    'spoken 3',
  ])
})

test('captions show a lost figure as it was said, and mark doubtful words; what is mostly doubtful is not spoken', async () => {
  const { say, figures } = await cascade({ 'it costs 50,000.': 'Cuesta 25.000.' })
  expect(
    await say('it costs 50,000. a hat, hello all. grand mother yes.', undefined, [
      ...[0.9, 0.9, 0.9, 0.9, 0.4, 0.9, 0.9, 0.1, 0.2, 0.9],
    ]),
  ).toEqual([
    'final 1 "it costs 50,000." "Cuesta 25.000. [50,000]"',
    'audio 1 10 ms',
    'audio 1 300 ms',
    'spoken 1',
    'final 2 "a hat,(?) hello all." "A HAT, HELLO ALL."',
    'audio 2 10 ms',
    'audio 2 300 ms',
    'spoken 2',
    'final 3 "grand(?) mother(?) yes." "GRAND MOTHER YES. (?)" silent',
  ])
  expect(figures).toEqual({ changedWords: 0, lostFigures: 1, doubtfulClauses: 1 })
})
