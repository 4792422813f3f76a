import type { LanguageId } from '../../../common/language.ts'
import type { SpeechToText } from './speech-to-text.ts'
import type { Synthesizer } from './synthesizer.ts'
import type { TextTranslator } from './text-translator.ts'

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
