import { systemClock, Ticker } from '../../common/clock.ts'
import { sameLanguage } from '../../common/language.ts'
import { systemWallClock } from '../../common/wall-clock.ts'
import type { Config } from '../../config/load.ts'
import type {
  SpeechToText,
  SpeechTranslator,
  Synthesizer,
  TextTranslator,
} from '../../service/server/engines/engine.ts'
import {
  chosenInterpreters,
  chosenRecognizers,
  chosenSynthesizers,
  chosenTranslators,
} from '../../service/server/engines/engine-factories.ts'
import type { EngineChoices } from '../../service/server/engines/engine-settings.ts'
import { concat, FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE } from '../../transcode/pcm.ts'
import { bundledSentences, wideAudio } from '../sample-audio.ts'

type Engines = Config['embedded']['engines']
/** An engine of the settings, with its position. */
export type EngineChoice =
  | { readonly kind: 'transcription'; readonly choice: Engines['transcription'][number] }
  | { readonly kind: 'translation'; readonly choice: Engines['translation'][number] }
  | { readonly kind: 'synthesis'; readonly choice: Engines['synthesis'][number] }
  | { readonly kind: 'interpretation'; readonly choice: Engines['interpretation'][number] }

/** Result of a real request to an engine. */
export type EngineTrial =
  | { readonly worked: true; readonly what: string; readonly ms: number }
  | { readonly worked: false; readonly reason: string }

/** Only engines reached over HTTP are tried here. */
const NOT_INSTALLED = {
  pocketsphinx: undefined,
  apertium: undefined,
  espeak: undefined,
  flite: undefined,
}
const CONTEXT = { clock: systemClock, wallClock: systemWallClock }
/** Amplitude above which samples are audible. */
const AUDIBLE = 300
/** Maximum wait for a transcript (ms); the engine’s own timeout usually applies first. */
const TRANSCRIPT_MS = 15_000

/**
 * Sends an engine one real request: transcribe a bundled sentence, translate a greeting, or speak. This detects models
 * that reject requests although the server lists them. Never rejects.
 */
export async function tryEngine(engine: EngineChoice): Promise<EngineTrial> {
  const begun = systemClock.now()
  try {
    const what = await trial(engine)
    return { worked: true, what, ms: systemClock.now() - begun }
  } catch (error) {
    return { worked: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

async function trial(engine: EngineChoice): Promise<string> {
  if (engine.kind === 'transcription') {
    const [made] = chosenRecognizers(
      [engine.choice as EngineChoices['transcription'][number]],
      NOT_INSTALLED,
      CONTEXT,
    )
    return used(made?.engine, transcribed)
  }
  if (engine.kind === 'translation') {
    const [made] = chosenTranslators(
      [engine.choice as EngineChoices['translation'][number]],
      NOT_INSTALLED,
      CONTEXT,
    )
    return used(made?.engine, each => translated(each, languagesOf(engine.choice)))
  }
  if (engine.kind === 'interpretation') {
    const [made] = chosenInterpreters([engine.choice as EngineChoices['interpretation'][number]], CONTEXT)
    return used(made?.engine, each => interpreted(each, engine.choice.languages))
  }
  const [made] = chosenSynthesizers(
    [engine.choice as EngineChoices['synthesis'][number]],
    NOT_INSTALLED,
    CONTEXT,
  )
  return used(made?.engine, spoken)
}

async function used<E extends { close(): Promise<void> }>(
  made: Promise<E> | undefined,
  use: (engine: E) => Promise<string>,
): Promise<string> {
  if (!made) throw new Error('is disabled')
  const engine = await made
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

async function transcribed(engine: SpeechToText): Promise<string> {
  const language = engine.languages.find(isEnglish) ?? engine.languages[0]!
  const [sentence] = (await bundledSentences()).slice(-1)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const timer = systemClock.at(systemClock.now() + TRANSCRIPT_MS, () =>
    reject(new Error(`no transcript within ${TRANSCRIPT_MS} ms`)),
  )
  const stream = await engine.open(language, {
    partial() {},
    final: ({ text }) => resolve(text),
    failed: reject,
  })
  try {
    stream.write(await wideAudio(sentence!))
    stream.write(new Int16Array(2 * 16_000))
    const text = await promise
    if (text === '' && isEnglish(language)) throw new Error('recognized no words in a recorded sentence')
    return `transcribed a sentence as ${language}`
  } finally {
    timer[Symbol.dispose]()
    await stream.close()
  }
}

async function translated(engine: TextTranslator, languages: readonly string[]): Promise<string> {
  const sources = languages.toSorted((a, b) => Number(isEnglish(b)) - Number(isEnglish(a)))
  const from = sources.find(language => engine.targets(language).length > 0)
  if (from === undefined) throw new Error('translates none of its languages')
  const to = engine.targets(from).find(language => languages.includes(language)) ?? engine.targets(from)[0]!
  const text = await engine.translate(isEnglish(from) ? 'Good morning, how are you?' : 'OK, 12.', from, to)
  if (text === '') throw new Error('responded without a translation')
  return `translated a sentence from ${from} into ${to}`
}

async function spoken(engine: Synthesizer): Promise<string> {
  const [voice] = engine.voices
  if (!voice) throw new Error('has no voice')
  const stop = new AbortController()
  const { pieces } = await engine.speak('1, 2, 3.', voice.voiceId, stop.signal)
  for await (const piece of pieces)
    if (piece.some(sample => Math.abs(sample) > AUDIBLE)) {
      stop.abort()
      return `spoke with ${voice.voiceId}`
    }
  throw new Error(`spoke silence with ${voice.voiceId}`)
}

/** Speaks a bundled sentence in real time: some services take no more than that. */
async function interpreted(engine: SpeechTranslator, languages: readonly string[]): Promise<string> {
  const from = languages.find(isEnglish) ?? languages[0]!
  const [to] = engine.targets(from)
  if (to === undefined) throw new Error(`translates nothing from ${from}`)
  const [sentence] = (await bundledSentences()).slice(-1)
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  let spoken = false
  using _timer = systemClock.at(systemClock.now() + 2 * TRANSCRIPT_MS, () =>
    reject(new Error(`no translation within ${2 * TRANSCRIPT_MS} ms`)),
  )
  const stream = await engine.open(
    { from, to },
    {
      partial() {},
      audio: (_utterance, pcm) => {
        spoken ||= pcm.some(sample => Math.abs(sample) > AUDIBLE)
      },
      final: ({ translation }) => resolve(translation !== ''),
      failed: reject,
    },
  )
  const speech = concat([await wideAudio(sentence!), new Int16Array(30 * SAMPLE_RATE)])
  let at = 0
  using _mouth = new Ticker(systemClock, FRAME_MS, () => {
    stream.write(speech.subarray(at, at + FRAME_SAMPLES))
    at += FRAME_SAMPLES
  })
  try {
    const worded = await promise
    if (!worded && !spoken && isEnglish(from)) throw new Error('translated nothing of a recorded sentence')
    return `interpreted a sentence from ${from} into ${to}`
  } finally {
    await stream.close()
  }
}

function languagesOf({ languages }: Engines['translation'][number]): readonly string[] {
  return languages ?? ['en-us', 'es-es', 'de-de', 'fr-fr']
}

function isEnglish(language: string): boolean {
  return sameLanguage(language, 'en-us')
}
