import type { Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { Logger } from '../../../common/log.ts'
import { Apertium } from './apertium/apertium.ts'
import { EngineError, type SpeechToText, type Synthesizer, type TextTranslator } from './engine.ts'
import { EngineSet } from './engine-set.ts'
import type { ApertiumOptions, EngineChoices, LocalSynthesisSettings } from './engine-settings.ts'
import { Espeak } from './espeak.ts'
import {
  limitedRecognizer,
  limitedSynthesizer,
  limitedTranslator,
  recognizersInOrder,
  synthesizersInOrder,
  translatorsInOrder,
} from './fallback-engines.ts'
import { Flite } from './flite.ts'
import { Phrasebook, PhraseTranslator } from './phrasebook.ts'
import { PocketSphinx, type PocketSphinxOptions } from './pocketsphinx/pocketsphinx.ts'
import { ChatTranslator } from './remote/chat-translator.ts'
import { LibreTranslate } from './remote/libre-translate.ts'
import { OpenAiSynthesizer, OpenAiTranscriber } from './remote/openai.ts'
import { Piper } from './remote/piper.ts'

/** Creates an installed engine; rejects with an `EngineError` if it is not available. Absent: disabled. */
export type MakeInstalled<T> = (() => Promise<T>) | undefined

/** An engine being created, or undefined for a disabled one. */
type Made<T> = Promise<T> | undefined

/** Returns the engines in the order of the settings, then the installed ones that are not named there. */
export function chosenRecognizers(
  choices: EngineChoices['transcription'],
  installed: Readonly<Record<'pocketsphinx', MakeInstalled<SpeechToText>>>,
  clock: Clock,
): Made<SpeechToText>[] {
  return withRest(choices, installed).map(choice => {
    if (choice.engine === 'openai') return Promise.resolve(new OpenAiTranscriber(choice, clock))
    return installed[choice.engine]?.().then(engine => limitedRecognizer(engine, choice.languages))
  })
}

export function chosenTranslators(
  choices: EngineChoices['translation'],
  installed: Readonly<Record<'apertium', MakeInstalled<TextTranslator>>>,
  clock: Clock,
): Made<TextTranslator>[] {
  return withRest(choices, installed).map(choice => {
    if (choice.engine === 'openai') return Promise.resolve(new ChatTranslator(choice, clock))
    if (choice.engine === 'libretranslate') return LibreTranslate.create(choice, clock)
    return installed[choice.engine]?.().then(engine => limitedTranslator(engine, choice.languages))
  })
}

export function chosenSynthesizers(
  choices: EngineChoices['synthesis'],
  installed: Readonly<Record<keyof LocalSynthesisSettings, MakeInstalled<Synthesizer>>>,
  clock: Clock,
): Made<Synthesizer>[] {
  return withRest(choices, installed).map(choice => {
    if (choice.engine === 'openai') return Promise.resolve(new OpenAiSynthesizer(choice, clock))
    if (choice.engine === 'piper') return Piper.create(choice, clock)
    return installed[choice.engine]?.().then(engine => limitedSynthesizer(engine, choice.languages))
  })
}

/** Returns the choices, followed by each installed engine that none of them names. */
function withRest<C extends { readonly engine: string }, K extends string>(
  choices: readonly C[],
  installed: Readonly<Record<K, unknown>>,
): (C | { readonly engine: K; readonly languages?: undefined })[] {
  const rest = (Object.keys(installed) as K[]).filter(name => choices.every(({ engine }) => engine !== name))
  return [...choices, ...rest.map(engine => ({ engine }))]
}

/** Optional engines, which only add to the others; their absence is not worth a warning. */
const EXTRA: readonly string[] = ['flite']

/** The factories of the local synthesizers, in order of preference. */
const SYNTHESIZERS: {
  readonly [K in keyof LocalSynthesisSettings]: (options: LocalSynthesisSettings[K]) => Promise<Synthesizer>
} = {
  espeak: options => Espeak.create(options),
  flite: options => Flite.create(options),
}

function localSynthesizers(settings: LocalSynthesisSettings) {
  const entry = <K extends keyof LocalSynthesisSettings>(name: K) =>
    [name, installed(settings[name], () => SYNTHESIZERS[name](settings[name]))] as const
  const names = Object.keys(SYNTHESIZERS) as (keyof LocalSynthesisSettings)[]
  return Object.fromEntries(names.map(name => entry(name))) as Record<
    keyof LocalSynthesisSettings,
    MakeInstalled<Synthesizer>
  >
}

/** A disabled engine is treated as not installed. */
interface Switch {
  readonly enabled: boolean
}

export interface DefaultEngineOptions {
  readonly pocketsphinx: Switch & PocketSphinxOptions
  readonly apertium: Switch & ApertiumOptions
  /** Local synthesizers by name. */
  readonly synthesizers: LocalSynthesisSettings
  /** Engines that precede the installed ones, and the order of these. */
  readonly choices: EngineChoices
  /** JSON file with the user's phrases. */
  readonly phrasebook?: string | undefined
  readonly voices: Readonly<Record<LanguageId, string>>
}

/**
 * Creates the engines of the settings in their order, then the installed ones. An unavailable engine is skipped and
 * logged, never an error.
 */
export async function defaultEngines(
  options: DefaultEngineOptions,
  clock: Clock,
  log: Logger,
): Promise<EngineSet> {
  const phrasebook = await Phrasebook.load(options.phrasebook)
  const { pocketsphinx, apertium, synthesizers, choices } = options
  const [recognizers, translators, voices] = await Promise.all([
    present(
      chosenRecognizers(
        choices.transcription,
        { pocketsphinx: installed(pocketsphinx, () => PocketSphinx.create(pocketsphinx, clock)) },
        clock,
      ),
      log,
    ),
    present(
      chosenTranslators(
        choices.translation,
        { apertium: installed(apertium, () => Apertium.create(apertium, clock)) },
        clock,
      ),
      log,
    ),
    present(chosenSynthesizers(choices.synthesis, localSynthesizers(synthesizers), clock), log),
  ])
  for (const [language, voiceId] of Object.entries(options.voices)) assertVoice(voices, language, voiceId)
  const translating = translatorsInOrder(translators, log)
  return new EngineSet({
    speechToText: recognizersInOrder(recognizers, log),
    translators: translating.map(engine => new PhraseTranslator(phrasebook, engine)),
    synthesizers: synthesizersInOrder(voices, log),
    voices: options.voices,
  })
}

/** Creates an engine once, however often the settings name it; undefined if it is disabled. */
function installed<T>({ enabled }: Switch, make: () => Promise<T>): MakeInstalled<T> {
  let made: Promise<T> | undefined
  return enabled
    ? () => {
        made ??= make()
        return made
      }
    : undefined
}

function assertVoice(synthesizers: readonly Synthesizer[], language: LanguageId, voiceId: string): void {
  const voices = synthesizers.flatMap(engine => engine.voices).filter(entry => entry.languageId === language)
  if (synthesizers.length === 0 || voices.some(entry => entry.voiceId === voiceId)) return
  const known = voices.map(entry => entry.voiceId).join(', ')
  throw new RangeError(`voices.${language} is "${voiceId}", allowed: ${known || 'none'}`)
}

/** Returns the available engines. */
async function present<T>(engines: readonly (Promise<T> | undefined)[], log: Logger): Promise<T[]> {
  const found: T[] = []
  const settled = await Promise.allSettled(engines)
  const told = new Set<unknown>()
  for (const result of settled) {
    if (result.status === 'fulfilled') {
      if (result.value !== undefined) found.push(result.value)
      continue
    }
    const { reason: error } = result
    if (!(error instanceof EngineError)) throw error
    if (told.has(error)) continue
    told.add(error)
    const level = EXTRA.includes(error.engine) ? 'debug' : 'warn'
    log[level]({ engine: error.engine, kind: error.kind, reason: error.message }, 'engine not available')
  }
  return found
}
