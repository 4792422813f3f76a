import type { LanguageId } from '../../common/language.ts'
import type { Logger } from '../../common/log.ts'
import type { VoiceEntry } from '../contract.ts'
import {
  EngineError,
  type EngineKind,
  type SpeechToText,
  type Synthesizer,
  type TextTranslator,
} from './engine.ts'
import { OverBudgetError } from './usage/engine-meter.ts'
import type { EngineUsage } from './usage/engine-usage.ts'

/** Record of replacements. */
export interface FallbackOptions {
  readonly usage: Pick<EngineUsage, 'replaced' | 'served'>
  readonly log: Logger
}

/**
 * Engines in order, each with the following ones as fallbacks: when one fails with an `EngineError`, the next capable
 * one is used, and the replacement is recorded. The error of the last one is thrown.
 */
export function recognizersInOrder(
  engines: readonly SpeechToText[],
  fallback: FallbackOptions,
): SpeechToText[] {
  return engines.map((engine, index) => ({
    name: engine.name,
    languages: engine.languages,
    ...(engine.grammars ? { grammars: engine.grammars } : {}),
    open(language, sink, options) {
      const grammar = options?.grammar
      const others = engines
        .slice(index + 1)
        .filter(({ languages }) => languages.includes(language))
        .filter(({ grammars = [] }) => grammar === undefined || grammars.includes(grammar))
      const ask = (each: SpeechToText) => each.open(language, sink, options)
      return firstThatCan([engine, ...others], ask, 'transcription', fallback)
    },
    close: () => engine.close(),
  }))
}

export function translatorsInOrder(
  engines: readonly TextTranslator[],
  fallback: FallbackOptions,
): TextTranslator[] {
  return engines.map((engine, index) => ({
    name: engine.name,
    targets: from => engine.targets(from),
    prepare: (from, to) => engine.prepare(from, to),
    translate(text, from, to) {
      const others = engines.slice(index + 1).filter(each => each.targets(from).includes(to))
      const ask = (each: TextTranslator) => each.translate(text, from, to)
      return firstThatCan([engine, ...others], ask, 'translation', fallback)
    },
    close: () => engine.close(),
  }))
}

/** The fallback uses a voice of the same language, and of the same gender if available. */
export function synthesizersInOrder(
  engines: readonly Synthesizer[],
  fallback: FallbackOptions,
): Synthesizer[] {
  return engines.map((engine, index) => ({
    name: engine.name,
    voices: engine.voices,
    speak(text, voiceId, signal) {
      const wanted = engine.voices.find(voice => voice.voiceId === voiceId)
      const others = wanted ? standIns(engines.slice(index + 1), wanted) : []
      const voices = [{ name: engine.name, engine, voiceId }, ...others]
      const ask = (voice: (typeof voices)[number]) => voice.engine.speak(text, voice.voiceId, signal)
      return firstThatCan(voices, ask, 'synthesis', fallback)
    },
    close: () => engine.close(),
  }))
}

function standIns(engines: readonly Synthesizer[], { languageId, voiceGender }: VoiceEntry) {
  return engines.flatMap(engine => {
    const same = engine.voices.filter(voice => voice.languageId === (languageId satisfies LanguageId))
    const voice = same.find(each => each.voiceGender === voiceGender) ?? same[0]
    return voice ? [{ name: engine.name, engine, voiceId: voice.voiceId }] : []
  })
}

async function firstThatCan<E extends { readonly name: string }, T>(
  engines: readonly E[],
  ask: (engine: E) => Promise<T>,
  kind: EngineKind,
  { usage, log }: FallbackOptions,
): Promise<T> {
  const [preferred] = engines
  let why: 'failed' | 'over_budget' | undefined
  for (const [index, engine] of engines.entries()) {
    const next = engines[index + 1]
    try {
      const result = await ask(engine)
      if (why) usage.replaced(kind, preferred!.name, engine.name, why)
      else usage.served(kind, engine.name)
      return result
    } catch (error) {
      if (!(error instanceof EngineError) || !next) throw error
      const overBudget = error instanceof OverBudgetError
      why ??= overBudget ? 'over_budget' : 'failed'
      // Logged once, when its budget was reached.
      if (overBudget) continue
      log.warn({ engine: engine.name, kind, reason: error.message, instead: next.name }, 'engine failed')
    }
  }
  throw new RangeError('no engine is available')
}

/** Restricts `engine` to some of its languages, or to all if none are named. Owns it. */
export function limitedRecognizer(engine: SpeechToText, languages?: readonly LanguageId[]): SpeechToText {
  if (!languages) return engine
  const known = engine.languages.filter(each => languages.includes(each))
  return {
    name: engine.name,
    languages: known,
    ...(engine.grammars ? { grammars: engine.grammars } : {}),
    async open(language, sink, options) {
      if (!known.includes(language))
        throw new RangeError(`${engine.name} is set to understand ${known.join(', ')}, asked for ${language}`)
      return engine.open(language, sink, options)
    },
    close: () => engine.close(),
  }
}

/** Restricts `engine` to some languages. Owns it. */
export function limitedTranslator(engine: TextTranslator, languages?: readonly LanguageId[]): TextTranslator {
  if (!languages) return engine
  const targets = (from: LanguageId) =>
    languages.includes(from) ? engine.targets(from).filter(to => languages.includes(to)) : []
  return {
    name: engine.name,
    targets,
    prepare: (from, to) => engine.prepare(from, to),
    async translate(text, from, to) {
      if (!targets(from).includes(to))
        throw new RangeError(`${engine.name} is set to translate ${from} into ${targets(from).join(', ')}`)
      return engine.translate(text, from, to)
    },
    close: () => engine.close(),
  }
}

/** Restricts `engine` to the voices of some languages. Owns it. */
export function limitedSynthesizer(engine: Synthesizer, languages?: readonly LanguageId[]): Synthesizer {
  if (!languages) return engine
  const voices = engine.voices.filter(voice => languages.includes(voice.languageId))
  return {
    name: engine.name,
    voices,
    async speak(text, voiceId, signal) {
      if (!voices.some(voice => voice.voiceId === voiceId))
        throw new RangeError(`${engine.name} is set to ${voices.length} voices, not "${voiceId}"`)
      return engine.speak(text, voiceId, signal)
    },
    close: () => engine.close(),
  }
}
