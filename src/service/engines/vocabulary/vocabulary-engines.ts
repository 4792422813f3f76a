/** Engines that get the vocabulary with each request. Each owns the engine it wraps; without a vocabulary, it is returned as is. */
import type { LanguageId } from '../../../common/language.ts'
import type { SpeechToText, SpeechTranslator, TextTranslator, TranscriptSink } from '../engine.ts'
import { GlossaryTranslator } from './glossary-translator.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Engines that cannot expect terms get their spelling corrected. */
export function vocabularyRecognizer(engine: SpeechToText, vocabulary: Vocabulary): SpeechToText {
  if (vocabulary.empty) return engine
  const { about } = vocabulary
  return {
    name: engine.name,
    languages: engine.languages,
    ...(engine.grammars ? { grammars: engine.grammars } : {}),
    ...(engine.onReport ? { onReport: listener => engine.onReport?.(listener) } : {}),
    open: (language, sink, options) =>
      engine.open(language, engine.takesTerms ? sink : spelledSink(sink, language, vocabulary), {
        ...options,
        terms: vocabulary.terms(language),
        about,
      }),
    close: () => engine.close(),
  }
}

function spelledSink(sink: TranscriptSink, language: LanguageId, vocabulary: Vocabulary): TranscriptSink {
  return {
    partial: result => sink.partial({ ...result, text: vocabulary.spelled(result.text, language) }),
    final: result => sink.final({ ...result, text: vocabulary.spelled(result.text, language) }),
    failed: error => sink.failed(error),
  }
}

/** For engines without a glossary, terms are replaced before the translation. */
export function vocabularyTranslator(engine: TextTranslator, vocabulary: Vocabulary): TextTranslator {
  if (vocabulary.empty) return engine
  if (!engine.takesGlossary) return new GlossaryTranslator(engine, vocabulary)
  const { about, names } = vocabulary
  return {
    name: engine.name,
    ...(engine.onReport ? { onReport: listener => engine.onReport?.(listener) } : {}),
    targets: from => engine.targets(from),
    prepare: (from, to) => engine.prepare(from, to),
    translate: (text, from, to) =>
      engine.translate(text, from, to, { glossary: vocabulary.glossary(from, to), names, about }),
    close: () => engine.close(),
  }
}

/** Engines from speech to speech that have no vocabulary ignore it: there is no text in between. */
export function vocabularyInterpreter(engine: SpeechTranslator, vocabulary: Vocabulary): SpeechTranslator {
  if (vocabulary.empty) return engine
  const { about } = vocabulary
  return {
    name: engine.name,
    voices: engine.voices,
    ...(engine.onReport ? { onReport: listener => engine.onReport?.(listener) } : {}),
    targets: from => engine.targets(from),
    open: (request, sink) =>
      engine.open(
        {
          ...request,
          terms: vocabulary.terms(request.from),
          glossary: vocabulary.glossary(request.from, request.to),
          about,
        },
        sink,
      ),
    close: () => engine.close(),
  }
}
