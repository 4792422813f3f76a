import type { LanguageId } from '../../common/language.ts'
import type { Logger } from '../../common/log.ts'
import { EngineError, type EngineKind, type Synthesizer } from './engine.ts'
import {
  chosenInterpreters,
  chosenRecognizers,
  chosenSynthesizers,
  chosenTranslators,
  type EngineContext,
  type Made,
  type MakeInstalled,
} from './engine-factories.ts'
import { EngineSet } from './engine-set.ts'
import type { EngineChoices } from './engine-settings.ts'
import { recognizersInOrder, synthesizersInOrder, translatorsInOrder } from './fallback-engines.ts'
import type { ApertiumOptions, LocalSynthesisSettings } from './installed-settings.ts'
import { Apertium } from './local/apertium/apertium.ts'
import { Espeak } from './local/espeak.ts'
import { Flite } from './local/flite.ts'
import { PocketSphinx, type PocketSphinxOptions } from './local/pocketsphinx/pocketsphinx.ts'
import { type AbsentEngine, reportAbsent } from './usage/absent-engines.ts'
import type { Billing } from './usage/billing.ts'
import type { EngineUsage } from './usage/engine-usage.ts'
import {
  meteredInterpreter,
  meteredRecognizer,
  meteredSynthesizer,
  meteredTranslator,
} from './usage/metered-engines.ts'
import { Phrasebook, PhraseTranslator } from './vocabulary/phrasebook.ts'
import type { VocabularySettings } from './vocabulary/settings.ts'
import { Vocabulary } from './vocabulary/vocabulary.ts'
import {
  vocabularyInterpreter,
  vocabularyRecognizer,
  vocabularyTranslator,
} from './vocabulary/vocabulary-engines.ts'

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
  readonly vocabulary: VocabularySettings
  readonly voices: Readonly<Record<LanguageId, string>>
}

/**
 * Creates the engines of the settings in their order, then the installed ones. An unavailable engine is skipped and
 * logged, never an error.
 */
export async function defaultEngines(
  options: DefaultEngineOptions,
  {
    clock,
    wallClock,
    log,
    usage,
  }: Omit<EngineContext, 'vocabulary'> & { readonly log: Logger; readonly usage: EngineUsage },
): Promise<EngineSet> {
  const vocabulary = new Vocabulary(options.vocabulary)
  const phrasebook = await Phrasebook.load(options.phrasebook, vocabulary.phrases())
  const { pocketsphinx, apertium, synthesizers, choices } = options
  const context: EngineContext = { clock, wallClock, vocabulary }
  const [recognizers, translators, voices, interpreters] = await Promise.all([
    present(
      chosenRecognizers(
        choices.transcription,
        { pocketsphinx: installed(pocketsphinx, () => PocketSphinx.create(pocketsphinx, clock)) },
        context,
      ),
      log,
    ),
    present(
      chosenTranslators(
        choices.translation,
        { apertium: installed(apertium, () => Apertium.create(apertium, clock)) },
        context,
      ),
      log,
    ),
    present(chosenSynthesizers(choices.synthesis, localSynthesizers(synthesizers), context), log),
    present(chosenInterpreters(choices.interpretation, context), log),
  ])
  const meter = (kind: EngineKind, { engine, billing }: Present<{ readonly name: string }>) =>
    usage.meter(kind, engine.name, billing)
  const hearing = recognizers.engines.map(each =>
    meteredRecognizer(vocabularyRecognizer(each.engine, vocabulary), meter('transcription', each)),
  )
  const translating = translators.engines.map(each =>
    meteredTranslator(vocabularyTranslator(each.engine, vocabulary), meter('translation', each)),
  )
  const speaking = voices.engines.map(each => meteredSynthesizer(each.engine, meter('synthesis', each)))
  for (const [language, voiceId] of Object.entries(options.voices)) assertVoice(speaking, language, voiceId)
  reportAbsent('transcription', recognizers.absent, hearing, usage)
  reportAbsent('translation', translators.absent, translating, usage)
  reportAbsent('synthesis', voices.absent, speaking, usage)
  const fallback = { usage, log }
  return new EngineSet({
    speechToText: recognizersInOrder(hearing, fallback),
    translators: translatorsInOrder(translating, fallback).map(
      engine => new PhraseTranslator(phrasebook, engine),
    ),
    synthesizers: synthesizersInOrder(speaking, fallback),
    interpreters: interpreters.engines.map(each =>
      meteredInterpreter(vocabularyInterpreter(each.engine, vocabulary), meter('interpretation', each)),
    ),
    voices: options.voices,
    usage,
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

interface Present<T> {
  readonly engine: T
  readonly billing: Billing
}

/** The available engines, and those of the settings that are not. */
interface Found<T> {
  readonly engines: readonly Present<T>[]
  readonly absent: readonly AbsentEngine[]
}

/** Waits until the engines are created, and logs unavailable engines. */
async function present<T>(engines: readonly Made<T>[], log: Logger): Promise<Found<T>> {
  const found: Present<T>[] = []
  const absent: AbsentEngine[] = []
  const settled = await Promise.allSettled(engines.map(({ engine }) => engine))
  const told = new Set<unknown>()
  for (const [index, result] of settled.entries()) {
    const { billing, listed } = engines[index]!
    if (result.status === 'fulfilled') {
      if (result.value !== undefined) found.push({ engine: result.value, billing })
      continue
    }
    const { reason: error } = result
    if (!(error instanceof EngineError)) throw error
    if (listed) absent.push({ ...listed, position: found.length })
    if (told.has(error)) continue
    told.add(error)
    const level = EXTRA.includes(error.engine) ? 'debug' : 'warn'
    log[level]({ engine: error.engine, kind: error.kind, reason: error.message }, 'engine not available')
  }
  return { engines: found, absent }
}
