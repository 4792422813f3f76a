/**
 * Engines as sessions use them: each does its work with the vocabulary, counted by its meter, limited to the languages of
 * its entry, and with the following engines as fallbacks. Each owns the engine that it wraps.
 */
import type { LanguageId } from '../../common/language.ts'
import type { Logger } from '../../common/log.ts'
import type { VoiceEntry } from '../contract.ts'
import {
  EngineError,
  type EngineKind,
  type HearingOptions,
  type InterpretationSink,
  type Speech,
  type SpeechStream,
  type SpeechToText,
  type SpeechTranslator,
  type Synthesizer,
  type TextTranslator,
  type Transcript,
  type TranscriptSink,
  type TranslationOptions,
} from './engine.ts'
import { type EngineMeter, OverBudgetError } from './usage/engine-meter.ts'
import type { EngineUsage } from './usage/engine-usage.ts'
import { MeteredStream } from './usage/metered-stream.ts'
import { GlossaryTranslator } from './vocabulary/glossary-translator.ts'
import type { Phrasebook } from './vocabulary/phrasebook.ts'
import type { Vocabulary } from './vocabulary/vocabulary.ts'

/** An engine with what belongs to it. */
export interface Served<T> {
  readonly engine: T
  readonly meter: EngineMeter
  /** Languages to which the settings limit it; absent: all of its own. */
  readonly languages?: readonly LanguageId[] | undefined
}

/** What all engines share. */
export interface Serving {
  readonly vocabulary: Vocabulary
  readonly phrases: Phrasebook
  /** Record of replacements. */
  readonly usage: Pick<EngineUsage, 'replaced' | 'served'>
  readonly log: Logger
}

/** An engine that cannot expect terms gets their spelling corrected. */
export function serveRecognizers(engines: readonly Served<SpeechToText>[], serving: Serving): SpeechToText[] {
  const { vocabulary } = serving
  const all = engines.map(({ engine, meter, languages }) => {
    engine.onReport?.(report => meter.reported(report))
    const known = languages ? engine.languages.filter(each => languages.includes(each)) : engine.languages
    return { name: meter.engine, engine, meter, languages: known, grammars: engine.grammars }
  })
  type Ears = (typeof all)[number]
  const open = (
    { engine, meter }: Ears,
    language: LanguageId,
    sink: TranscriptSink,
    given?: HearingOptions,
  ) => {
    const spelled =
      vocabulary.empty || engine.takesTerms
        ? (text: string) => text
        : (text: string) => vocabulary.spelled(text, language)
    const options = vocabulary.empty
      ? given
      : { ...given, terms: vocabulary.terms(language), about: vocabulary.about }
    return MeteredStream.open(
      meter,
      error => sink.failed(error),
      stream => engine.open(language, countedTranscripts(sink, stream, spelled), options),
    )
  }
  return all.map((first, index) => ({
    name: first.name,
    languages: first.languages,
    grammars: first.grammars,
    async open(language, sink, options) {
      if (!first.languages.includes(language))
        throw new RangeError(`${first.name} understands ${first.languages.join(', ')}, asked for ${language}`)
      const grammar = options?.grammar
      const others = all
        .slice(index + 1)
        .filter(({ languages }) => languages.includes(language))
        .filter(({ grammars = [] }) => grammar === undefined || grammars.includes(grammar))
      return firstThatCan(
        'transcription',
        [first, ...others],
        each => open(each, language, sink, options),
        serving,
      )
    },
    close: () => first.engine.close(),
  }))
}

function countedTranscripts(
  sink: TranscriptSink,
  stream: MeteredStream,
  spelled: (text: string) => string,
): TranscriptSink {
  return {
    partial(transcript) {
      if (!stream.live) return
      stream.texted(transcript)
      sink.partial(respelled(transcript, spelled))
    },
    final(transcript) {
      if (!stream.live) return
      stream.texted(transcript)
      sink.final(respelled(transcript, spelled))
    },
    failed: error => stream.fail(error),
  }
}

function respelled(transcript: Transcript, spelled: (text: string) => string): Transcript {
  const { text, stable } = transcript
  const changed = { ...transcript, text: spelled(text) }
  return stable === undefined ? changed : { ...changed, stable: spelled(text.slice(0, stable)).length }
}

/**
 * Phrases of the phrasebook need no engine. For an engine without a glossary, terms are replaced before the translation.
 */
export function serveTranslators(
  engines: readonly Served<TextTranslator>[],
  serving: Serving,
): TextTranslator[] {
  const { vocabulary, phrases } = serving
  const { about, names } = vocabulary
  const all = engines.map(({ engine, meter, languages }) => {
    engine.onReport?.(report => meter.reported(report))
    const targets = (from: LanguageId) => {
      if (!languages) return engine.targets(from)
      return languages.includes(from) ? engine.targets(from).filter(to => languages.includes(to)) : []
    }
    const glossary =
      vocabulary.empty || engine.takesGlossary ? undefined : new GlossaryTranslator(engine, vocabulary)
    const translate = (text: string, from: LanguageId, to: LanguageId, options?: TranslationOptions) => {
      if (glossary) return glossary.translate(text, from, to)
      if (vocabulary.empty) return engine.translate(text, from, to, options)
      const words = { glossary: vocabulary.glossary(from, to), names, about }
      return engine.translate(text, from, to, { ...options, ...words })
    }
    return { name: meter.engine, engine, meter, targets, translate }
  })
  type Translator = (typeof all)[number]
  const translated = async (
    { meter, translate }: Translator,
    text: string,
    from: LanguageId,
    to: LanguageId,
    options?: TranslationOptions,
  ): Promise<string> => {
    // Translations of one pair resolve in the order of the calls, so the call must come before any await.
    const begun = meter.clock.now()
    const translation = await counted(meter, () => translate(text, from, to, options))
    meter.text(text)
    meter.firstResult(meter.clock.now() - begun)
    meter.ended('ok')
    return translation
  }
  return all.map((first, index) => ({
    name: first.name,
    targets: first.targets,
    prepare: (from, to) => first.engine.prepare(from, to),
    async translate(text, from, to, options) {
      if (!first.targets(from).includes(to))
        throw new RangeError(
          `${first.name} translates ${from} into ${first.targets(from).join(', ')}, not ${to}`,
        )
      const phrase = phrases.lookup(text, from, to)
      if (phrase !== undefined) return phrase
      const others = all.slice(index + 1).filter(({ targets }) => targets(from).includes(to))
      return firstThatCan(
        'translation',
        [first, ...others],
        each => translated(each, text, from, to, options),
        serving,
      )
    },
    close: () => first.engine.close(),
  }))
}

/** A fallback uses a voice of the same language, and of the same gender if available. */
export function serveSynthesizers(
  engines: readonly Served<Synthesizer>[],
  serving: Pick<Serving, 'usage' | 'log'>,
): Synthesizer[] {
  const all = engines.map(({ engine, meter, languages }) => {
    engine.onReport?.(report => meter.reported(report))
    const voices = languages
      ? engine.voices.filter(voice => languages.includes(voice.languageId))
      : engine.voices
    return { name: meter.engine, engine, meter, voices }
  })
  type Mouth = (typeof all)[number] & { readonly voiceId: string }
  const speak = async (
    { engine, meter, voiceId }: Mouth,
    text: string,
    signal: AbortSignal,
  ): Promise<Speech> => {
    const begun = meter.clock.now()
    const speech = await counted(meter, () => engine.speak(text, voiceId, signal))
    meter.text(text)
    return { rate: speech.rate, pieces: countedPieces(speech, begun, meter) }
  }
  const standIn = (other: (typeof all)[number], { languageId, voiceGender }: VoiceEntry): Mouth[] => {
    const same = other.voices.filter(voice => voice.languageId === languageId)
    const voice = same.find(each => each.voiceGender === voiceGender) ?? same[0]
    return voice ? [{ ...other, voiceId: voice.voiceId }] : []
  }
  return all.map((first, index) => ({
    name: first.name,
    voices: first.voices,
    async speak(text, voiceId, signal) {
      const voice = first.voices.find(each => each.voiceId === voiceId)
      if (!voice) throw new RangeError(`${first.name} has ${first.voices.length} voices, not "${voiceId}"`)
      const others = all.slice(index + 1).flatMap(other => standIn(other, voice))
      const mouths = [{ ...first, voiceId }, ...others]
      return firstThatCan('synthesis', mouths, each => speak(each, text, signal), serving)
    },
    close: () => first.engine.close(),
  }))
}

/** Sessions try one after the other themselves. Engines that have no vocabulary ignore it: there is no text in between. */
export function serveInterpreters(
  engines: readonly Served<SpeechTranslator>[],
  { vocabulary }: Pick<Serving, 'vocabulary'>,
): SpeechTranslator[] {
  return engines.map(({ engine, meter }) => {
    engine.onReport?.(report => meter.reported(report))
    return {
      name: meter.engine,
      targets: from => engine.targets(from),
      voices: engine.voices,
      open(request, sink): Promise<SpeechStream> {
        const { from, to } = request
        const words = {
          terms: vocabulary.terms(from),
          glossary: vocabulary.glossary(from, to),
          about: vocabulary.about,
        }
        return MeteredStream.open(
          meter,
          error => sink.failed(error),
          stream =>
            engine.open(
              vocabulary.empty ? request : { ...request, ...words },
              countedInterpretation(sink, stream, meter),
            ),
        )
      },
      close: () => engine.close(),
    }
  })
}

function countedInterpretation(
  sink: InterpretationSink,
  stream: MeteredStream,
  meter: EngineMeter,
): InterpretationSink {
  return {
    partial(result) {
      if (!stream.live) return
      stream.texted({ ...result, text: result.translation })
      sink.partial(result)
    },
    audio(utterance, pcm, rate) {
      if (!stream.live) return
      meter.audio('out', (pcm.length * 1_000) / rate)
      sink.audio(utterance, pcm, rate)
    },
    final(result) {
      if (!stream.live) return
      stream.texted({ ...result, text: result.translation })
      sink.final(result)
    },
    failed: error => stream.fail(error),
  }
}

/** Counts a request that fails. A `RangeError` is a mistake of the caller and does not count. */
async function counted<T>(meter: EngineMeter, ask: () => Promise<T>): Promise<T> {
  meter.assertBudget()
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof RangeError)) meter.ended('failed')
    throw error
  }
}

/** A receiver that stops early has got what it asked for. */
async function* countedPieces(
  { rate, pieces }: Speech,
  begun: number,
  meter: EngineMeter,
): AsyncGenerator<Int16Array> {
  let first = true
  let failed = false
  try {
    for await (const piece of pieces) {
      if (first) meter.firstResult(meter.clock.now() - begun)
      first = false
      meter.audio('out', (piece.length * 1_000) / rate)
      yield piece
    }
  } catch (error) {
    failed = true
    throw error
  } finally {
    meter.flush()
    meter.ended(failed ? 'failed' : 'ok')
  }
}

/**
 * Asks the first of `engines`, and the next one when one fails with an `EngineError`; the replacement is recorded. The
 * error of the last one is thrown.
 */
async function firstThatCan<E extends { readonly name: string }, T>(
  kind: EngineKind,
  engines: readonly E[],
  ask: (engine: E) => Promise<T>,
  { usage, log }: Pick<Serving, 'usage' | 'log'>,
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
