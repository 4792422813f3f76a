import { type Clock, systemClock } from '../../common/clock.ts'
import { type LanguageId, sameLanguage } from '../../common/language.ts'
import type { EngineKind } from '../../service/engines/engine.ts'
import type { EngineSet } from '../../service/engines/engine-set.ts'
import type { EngineFigures } from '../../service/engines/usage/engine-figures.ts'
import { EngineUsage } from '../../service/engines/usage/engine-usage.ts'
import { durationMs } from '../../transcode/pcm.ts'
import { type ConfiguredEngine, openAlone } from './configured-engines.ts'
import {
  type EngineRun,
  runInterpreter,
  runRecognizer,
  runSynthesizer,
  runTranslator,
  within,
} from './engine-run.ts'
import { errorRate, wordErrors } from './word-errors.ts'

/** The sentence that engines are tested with. */
export interface TestSentence {
  readonly language: LanguageId
  readonly text: string
  /** 16 kHz; absent: recognizers are not tested. */
  readonly pcm?: Int16Array | undefined
  /** The text is that of the audio, so that word errors can be counted. */
  readonly transcribed: boolean
}

/** Result of one sentence through one engine. */
export interface EngineTest extends Partial<EngineRun> {
  readonly kind: EngineKind
  readonly engine: string
  readonly outcome: 'ok' | 'failed' | 'skipped'
  /** Why it failed or was skipped. */
  readonly reason?: string | undefined
  readonly from?: LanguageId
  readonly to?: LanguageId
  /** Percent. */
  readonly wordErrorRate?: number
  /** Absent without a price. */
  readonly cost?: EngineFigures['cost']
}

export interface EngineTestOptions {
  readonly sentence: TestSentence
  /** Preferred target language. */
  readonly to: LanguageId
  /** Play the sentence even to recognizers of other languages; they may return no text. */
  readonly anyLanguage?: boolean
  /** Contact engines that are not on this machine. */
  readonly live: boolean
  readonly clock?: Clock
  readonly open?: typeof openAlone
  /** Maximum time for opening an engine and for its work after the audio (ms). */
  readonly limitMs?: number
}

/** Opening a local model can take long. */
const LIMIT_MS = 60_000
const CLOSE_MS = 5_000
/** Read in any language. */
const DIGITS = '1, 2, 3.'

/** Sends one sentence through one engine. Never rejects: a failure is a result. */
export async function testEngine(engine: ConfiguredEngine, options: EngineTestOptions): Promise<EngineTest> {
  const { clock = systemClock, open = openAlone, live, limitMs = LIMIT_MS } = options
  const about = { kind: engine.kind, engine: engine.name }
  if (!live && !engine.local)
    return { ...about, outcome: 'skipped', reason: `at ${engine.host}, which only --live contacts` }
  const usage = new EngineUsage({ clock })
  const audioMs = durationMs(options.sentence.pcm?.length ?? 0)
  const opening = open(engine, usage, clock)
  try {
    const set = await within(clock, limitMs, opening)
    const work = tested(engine.kind, set, { ...options, clock })
    const result = await within(clock, limitMs + audioMs, work)
    return { ...about, ...result, cost: usage.figures[0]?.cost }
  } catch (error) {
    return { ...about, outcome: 'failed', reason: reasonOf(error, engine.name), cost: usage.figures[0]?.cost }
  } finally {
    // Closed as well if it opens too late.
    const closing = opening.then(
      set => set.close(),
      () => {},
    )
    await within(clock, CLOSE_MS, closing).catch(() => {})
  }
}

/** Errors of engines start with their name, which is shown anyway. */
function reasonOf(error: unknown, name: string): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message
}

type Tested = Omit<EngineTest, 'kind' | 'engine' | 'cost'>
const skipped = (reason: string): Tested => ({ outcome: 'skipped', reason })

async function tested(
  kind: EngineKind,
  set: EngineSet,
  options: EngineTestOptions & { readonly clock: Clock },
): Promise<Tested> {
  if (kind === 'transcription') return await testedRecognizer(set, options)
  if (kind === 'translation') return await testedTranslator(set, options)
  if (kind === 'synthesis') return await testedSynthesizer(set, options)
  return await testedInterpreter(set, options)
}

async function testedRecognizer(
  { speechToText: [engine] }: EngineSet,
  { sentence, anyLanguage = false, clock }: EngineTestOptions & { readonly clock: Clock },
): Promise<Tested> {
  const { language, pcm } = sentence
  const own = engine!.languages.find(each => sameLanguage(each, language))
  const from = own ?? (anyLanguage ? engine!.languages[0] : undefined)
  if (from === undefined) return skipped(noSample(engine!.languages))
  if (!pcm) return skipped('a text was given, not --file')
  const run = await runRecognizer(engine!, from, pcm, { clock, textless: own === undefined })
  return { outcome: 'ok', from, ...run, ...(own === undefined ? {} : errorsOf(sentence, run)) }
}

async function testedInterpreter(
  { interpreters: [engine] }: EngineSet,
  { sentence, to: wanted, clock }: EngineTestOptions & { readonly clock: Clock },
): Promise<Tested> {
  const { language: from, pcm } = sentence
  const to = preferred(engine!.targets(from), wanted)
  if (to === undefined) return skipped(`does not understand ${from}; give --file and --from`)
  if (!pcm) return skipped('a text was given, not --file')
  const run = await runInterpreter(engine!, { from, to }, pcm, { clock })
  return { outcome: 'ok', from, to, ...run, ...errorsOf(sentence, run) }
}

async function testedTranslator(
  { translators: [engine] }: EngineSet,
  { sentence: { language: from, text }, to: wanted, clock }: EngineTestOptions & { readonly clock: Clock },
): Promise<Tested> {
  const to = preferred(engine!.targets(from), wanted)
  if (to === undefined) return skipped(`does not translate ${from}; give --text and --from`)
  return { outcome: 'ok', from, to, ...(await runTranslator(engine!, { text, from, to }, { clock })) }
}

async function testedSynthesizer(
  { synthesizers: [engine] }: EngineSet,
  { sentence, to: wanted, clock }: EngineTestOptions & { readonly clock: Clock },
): Promise<Tested> {
  const { voices } = engine!
  const voice = voices.find(each => each.languageId === wanted) ?? voices[0]
  if (!voice) throw new Error('has no voice')
  const text = sameLanguage(voice.languageId, sentence.language) ? sentence.text : DIGITS
  const run = await runSynthesizer(engine!, { text, voiceId: voice.voiceId }, { clock })
  return { outcome: 'ok', to: voice.languageId, ...run }
}

function preferred(targets: readonly LanguageId[], wanted: LanguageId): LanguageId | undefined {
  return (
    targets.find(each => each === wanted) ?? targets.find(each => sameLanguage(each, wanted)) ?? targets[0]
  )
}

function noSample(languages: readonly LanguageId[]): string {
  return `understands ${languages.slice(0, 4).join(', ')}; give a recording with --file and --from`
}

function errorsOf({ text, transcribed }: TestSentence, run: EngineRun): { wordErrorRate?: number } {
  if (!transcribed || run.text === undefined || run.text === '') return {}
  return { wordErrorRate: errorRate([wordErrors(text, run.text)]) }
}
