import type { Clock } from '../../../common/clock.ts'
import type { EngineChoices } from './engine-settings.ts'
import { limitedRecognizer, limitedSynthesizer, limitedTranslator } from './limited.ts'
import { ChatTranslator } from './remote/chat-translator.ts'
import { LibreTranslate } from './remote/libre-translate.ts'
import { OpenAiSynthesizer } from './remote/openai-synthesizer.ts'
import { OpenAiTranscriber } from './remote/openai-transcriber.ts'
import { Piper } from './remote/piper.ts'
import type { SpeechToText } from './speech-to-text.ts'
import type { Synthesizer } from './synthesizer.ts'
import type { TextTranslator } from './text-translator.ts'

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
  installed: Readonly<Record<'espeak' | 'flite', MakeInstalled<Synthesizer>>>,
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
