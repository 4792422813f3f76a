import type { Clock } from '../../../core/clock.ts'
import type { LanguageId } from '../../../core/languages.ts'
import type { Log } from '../../../core/log.ts'
import { Apertium, type ApertiumOptions } from './apertium.ts'
import { EngineError } from './engine-error.ts'
import { EngineSet } from './engine-set.ts'
import { Espeak, type EspeakOptions } from './espeak.ts'
import { PhraseTranslator } from './phrase-translator.ts'
import { Phrasebook } from './phrasebook.ts'
import { PocketSphinx, type PocketSphinxOptions } from './pocketsphinx.ts'
import type { Synthesizer } from './synthesizer.ts'

/** An engine that is not enabled is as if it were not installed. */
interface Switch {
  readonly enabled: boolean
}

export interface DefaultEngineOptions {
  readonly pocketsphinx: Switch & PocketSphinxOptions
  readonly apertium: Switch & ApertiumOptions
  readonly espeak: Switch & EspeakOptions
  /** JSON file with the user's phrases. */
  readonly phrasebook?: string | undefined
  readonly voices: Readonly<Record<LanguageId, string>>
}

/** The offline engines that are installed. One that is not is left out with a line in the log, never an error. */
export async function defaultEngines(
  options: DefaultEngineOptions,
  clock: Clock,
  log: Log,
): Promise<EngineSet> {
  const phrasebook = await Phrasebook.load(options.phrasebook)
  const { pocketsphinx, apertium, espeak } = options
  const [recognizer, translator, voice] = await Promise.all([
    pocketsphinx.enabled ? present(PocketSphinx.create(pocketsphinx, clock), log) : [],
    apertium.enabled ? present(Apertium.create(apertium, clock), log) : [],
    espeak.enabled ? present(Espeak.create(espeak), log) : [],
  ])
  for (const [language, voiceId] of Object.entries(options.voices)) assertVoice(voice, language, voiceId)
  return new EngineSet({
    speechToText: recognizer,
    translators: translator.map(engine => new PhraseTranslator(phrasebook, engine)),
    synthesizers: voice,
    voices: options.voices,
  })
}

function assertVoice(synthesizers: readonly Synthesizer[], language: LanguageId, voiceId: string): void {
  const voices = synthesizers.flatMap(engine => engine.voices).filter(entry => entry.languageId === language)
  if (synthesizers.length === 0 || voices.some(entry => entry.voiceId === voiceId)) return
  const known = voices.map(entry => entry.voiceId).join(', ')
  throw new RangeError(`voices.${language} is "${voiceId}", allowed: ${known || 'none'}`)
}

/** The engine in a list, or an empty one when it is not installed. */
async function present<T>(engine: Promise<T>, log: Log): Promise<T[]> {
  try {
    return [await engine]
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    log.warn({ engine: error.engine, kind: error.kind, reason: error.message }, 'engine not available')
    return []
  }
}
