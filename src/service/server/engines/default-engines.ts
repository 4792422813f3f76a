import type { Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { Log } from '../../../common/log.ts'
import { Apertium, type ApertiumOptions } from './apertium/apertium.ts'
import {
  chosenRecognizers,
  chosenSynthesizers,
  chosenTranslators,
  type MakeInstalled,
} from './chosen-engines.ts'
import { EngineError } from './engine-error.ts'
import { EngineSet } from './engine-set.ts'
import type { EngineChoices } from './engine-settings.ts'
import { Espeak, type EspeakOptions } from './espeak.ts'
import { recognizersInOrder, synthesizersInOrder, translatorsInOrder } from './fall-through.ts'
import { Flite, type FliteOptions } from './flite.ts'
import { PhraseTranslator } from './phrase-translator.ts'
import { Phrasebook } from './phrasebook.ts'
import { PocketSphinx, type PocketSphinxOptions } from './pocketsphinx/pocketsphinx.ts'
import type { Synthesizer } from './synthesizer.ts'

/** Optional engines, which only add to the others; their absence is not worth a warning. */
const EXTRA: readonly string[] = ['flite']

/** A disabled engine is treated as not installed. */
interface Switch {
  readonly enabled: boolean
}

export interface DefaultEngineOptions {
  readonly pocketsphinx: Switch & PocketSphinxOptions
  readonly apertium: Switch & ApertiumOptions
  readonly espeak: Switch & EspeakOptions
  readonly flite: Switch & FliteOptions
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
  log: Log,
): Promise<EngineSet> {
  const phrasebook = await Phrasebook.load(options.phrasebook)
  const { pocketsphinx, apertium, espeak, flite, choices } = options
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
    present(
      chosenSynthesizers(
        choices.synthesis,
        {
          espeak: installed(espeak, () => Espeak.create(espeak)),
          flite: installed(flite, () => Flite.create(flite)),
        },
        clock,
      ),
      log,
    ),
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
async function present<T>(engines: readonly (Promise<T> | undefined)[], log: Log): Promise<T[]> {
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
