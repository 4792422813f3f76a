import { readFile } from 'node:fs/promises'
import type { Clock } from '../../common/clock.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { SpeechToText, SpeechTranslator, Synthesizer, TextTranslator } from './engine.ts'
import type { EngineChoices } from './engine-settings.ts'
import { limitedRecognizer, limitedSynthesizer, limitedTranslator } from './fallback-engines.ts'
import { SherpaRecognizer } from './local/sherpa/sherpa-recognizer.ts'
import { SherpaSynthesizer } from './local/sherpa/sherpa-synthesizer.ts'
import type { Billing } from './usage/billing.ts'
import { AssemblyAiTranscriber } from './vendors/assemblyai.ts'
import { AzureTranscriber } from './vendors/azure/azure-transcriber.ts'
import { AzureSynthesizer } from './vendors/azure/azure-voices.ts'
import { cartesiaSynthesizer } from './vendors/cartesia.ts'
import { DeepgramTranscriber } from './vendors/deepgram.ts'
import { DeepLSpeechTranslator } from './vendors/deepl-voice.ts'
import { elevenLabsSynthesizer } from './vendors/elevenlabs.ts'
import { GeminiSpeechTranslator } from './vendors/gemini.ts'
import { LibreTranslate } from './vendors/libretranslate.ts'
import { ChatTranslator } from './vendors/openai/chat-translator.ts'
import { OpenAiSynthesizer, OpenAiTranscriber } from './vendors/openai/openai.ts'
import { OpenAiLiveTranscriber } from './vendors/openai/openai-live.ts'
import { OpenAiSpeechTranslator } from './vendors/openai/openai-translation.ts'
import { Piper } from './vendors/piper.ts'
import { SonioxTranscriber } from './vendors/soniox/soniox-live.ts'
import { SonioxSpeechTranslator } from './vendors/soniox/soniox-translation.ts'
import { sonioxSynthesizer } from './vendors/soniox/soniox-voice.ts'
import { AzureTranslator, DeepLTranslator, GoogleTranslator } from './vendors/text-translators.ts'
import type { Vocabulary } from './vocabulary/vocabulary.ts'

/** The dependencies of engines, apart from their settings. */
export interface EngineContext {
  readonly clock: Clock
  readonly wallClock: WallClock
  /** For engines that have it in their settings; the others get it with each request. */
  readonly vocabulary: Vocabulary
}

/** Names of the installed engines, which `engineChoicesSchema` lists without settings. */
type InstalledName = 'pocketsphinx' | 'apertium' | 'espeak' | 'flite'
type Choice<Kind extends keyof EngineChoices> = EngineChoices[Kind][number]

/** Creates the engines of a kind by name; rejects with an `EngineError` if one is not available. */
type Factories<C extends { readonly engine: string }, T> = {
  readonly [Name in Exclude<C['engine'], InstalledName>]: (
    choice: Extract<C, { readonly engine: Name }>,
    context: EngineContext,
  ) => T | Promise<T>
}

const RECOGNIZERS: Factories<Choice<'transcription'>, SpeechToText> = {
  openai: (choice, { clock }) => new OpenAiTranscriber(choice, clock),
  sherpa: (choice, { clock, vocabulary }) => {
    const terms = choice.languages.flatMap(language => vocabulary.terms(language))
    return SherpaRecognizer.create(choice, clock, terms)
  },
  assemblyai: (choice, { clock, wallClock }) => new AssemblyAiTranscriber(choice, clock, wallClock),
  azure: (choice, { clock }) => AzureTranscriber.create(choice, clock),
  deepgram: (choice, { clock }) => new DeepgramTranscriber(choice, clock),
  soniox: (choice, { clock }) => new SonioxTranscriber(choice, clock),
  'openai-live': (choice, { clock, wallClock }) => new OpenAiLiveTranscriber(choice, clock, wallClock),
}

const TRANSLATORS: Factories<Choice<'translation'>, TextTranslator> = {
  openai: (choice, { clock }) => new ChatTranslator(choice, clock),
  deepl: (choice, { clock }) => new DeepLTranslator(choice, clock),
  google: (choice, { clock }) => new GoogleTranslator(choice, clock),
  azure: (choice, { clock }) => new AzureTranslator(choice, clock),
  libretranslate: (choice, { clock }) => LibreTranslate.create(choice, clock),
}

const SYNTHESIZERS: Factories<Choice<'synthesis'>, Synthesizer> = {
  openai: (choice, { clock }) => new OpenAiSynthesizer(choice, clock),
  piper: (choice, { clock }) => Piper.create(choice, clock),
  sherpa: (choice, { clock }) => SherpaSynthesizer.create(choice, clock),
  soniox: (choice, { clock }) => sonioxSynthesizer(choice, clock),
  cartesia: (choice, { clock }) => cartesiaSynthesizer(choice, clock),
  azure: (choice, { clock }) => new AzureSynthesizer(choice, clock),
  elevenlabs: (choice, { clock }) => elevenLabsSynthesizer(choice, clock),
}

const INTERPRETERS: Factories<Choice<'interpretation'>, SpeechTranslator> = {
  openai: (choice, { clock, wallClock }) => new OpenAiSpeechTranslator(choice, clock, wallClock),
  soniox: (choice, { clock }) => new SonioxSpeechTranslator(choice, clock),
  deepl: (choice, { clock }) => new DeepLSpeechTranslator(choice, clock),
  gemini: (choice, { clock }) => new GeminiSpeechTranslator(choice, clock),
}

/** Creates an installed engine; rejects with an `EngineError` if it is not available. Absent: disabled. */
export type MakeInstalled<T> = (() => Promise<T>) | undefined

/** An engine being created, with its price and budget. */
export interface Made<T> {
  /** Undefined for a disabled one. */
  readonly engine: Promise<T> | undefined
  readonly billing: Billing
  /** Of an engine that the settings list: its name, and the languages to which they limit it. */
  readonly listed?: { readonly engine: string; readonly languages: readonly string[] | undefined }
}

/** Returns the engines in the order of the settings, then the installed engines not named there. */
export function chosenRecognizers(
  choices: EngineChoices['transcription'],
  installed: Readonly<Record<'pocketsphinx', MakeInstalled<SpeechToText>>>,
  context: EngineContext,
): Made<SpeechToText>[] {
  return chosen(choices, { factories: RECOGNIZERS, installed, limited: limitedRecognizer }, context)
}

export function chosenTranslators(
  choices: EngineChoices['translation'],
  installed: Readonly<Record<'apertium', MakeInstalled<TextTranslator>>>,
  context: EngineContext,
): Made<TextTranslator>[] {
  return chosen(choices, { factories: TRANSLATORS, installed, limited: limitedTranslator }, context)
}

export function chosenSynthesizers(
  choices: EngineChoices['synthesis'],
  installed: Readonly<Record<'espeak' | 'flite', MakeInstalled<Synthesizer>>>,
  context: EngineContext,
): Made<Synthesizer>[] {
  return chosen(choices, { factories: SYNTHESIZERS, installed, limited: limitedSynthesizer }, context)
}

/** Returns the engines in the order of the settings; none are installed. */
export function chosenInterpreters(
  choices: EngineChoices['interpretation'],
  context: EngineContext,
): Made<SpeechTranslator>[] {
  return chosen(choices, { factories: INTERPRETERS, installed: {}, limited: engine => engine }, context)
}

interface AnyChoice extends Billing {
  readonly engine: string
  readonly apiKey?: string | undefined
  readonly apiKeyFile?: string | undefined
  readonly languages?: readonly string[] | undefined
  readonly voices?: readonly { readonly languages?: readonly string[] | undefined }[] | undefined
}

/** Returns the choice with the key of its file. Rejects with an `Error` that names the file. */
async function withKey({ apiKeyFile, ...choice }: AnyChoice): Promise<Omit<AnyChoice, 'apiKeyFile'>> {
  if (apiKeyFile === undefined) return choice
  const apiKey = (await readFile(apiKeyFile, 'utf8')).trim()
  if (apiKey === '') throw new RangeError(`apiKeyFile ${apiKeyFile} is empty, expected an API key`)
  return { ...choice, apiKey }
}

/** The creation of engines of a kind. */
interface Making<T> {
  readonly factories: Readonly<Record<string, (choice: never, context: EngineContext) => T | Promise<T>>>
  readonly installed: Readonly<Record<string, MakeInstalled<T>>>
  /** Restricts an installed engine to the languages of its entry. */
  limited(engine: T, languages?: readonly string[]): T
}

/** Creates the engines of `choices`, followed by each installed one that none of them names. */
function chosen<T>(
  choices: readonly AnyChoice[],
  { factories, installed, limited }: Making<T>,
  context: EngineContext,
): Made<T>[] {
  const rest = Object.keys(installed).filter(name => choices.every(({ engine }) => engine !== name))
  const create = async (choice: AnyChoice): Promise<T> =>
    factories[choice.engine]!((await withKey(choice)) as never, context)
  const made = ({ price, budget, ...choice }: AnyChoice): Made<T> => {
    const billing = { price, budget }
    if (!(choice.engine in installed)) return { engine: create(choice), billing }
    const engine = installed[choice.engine]?.().then(each => limited(each, choice.languages))
    return { engine, billing }
  }
  const listed = ({ engine, languages, voices }: AnyChoice) => ({
    engine,
    languages: languages ?? voices?.flatMap(voice => voice.languages ?? []),
  })
  return [
    ...choices.map(choice => ({ ...made(choice), listed: listed(choice) })),
    ...rest.map(engine => made({ engine })),
  ]
}
