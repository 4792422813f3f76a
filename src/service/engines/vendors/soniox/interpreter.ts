import { type Clock, setTimer } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import type { VoiceEntry } from '../../../contract.ts'
import {
  interpretedLanguages,
  languagesSchema,
  listedEngine,
  type SettingsOf,
  serverEntry,
  voicesSchema,
} from '../../definition.ts'
import type {
  InterpretationRequest,
  InterpretationSink,
  SpeechStream,
  SpeechTranslator,
} from '../../engine.ts'
import { heardLanguage, primaryCode } from '../../languages.ts'
import { otherLanguages } from '../../wire/http-translator.ts'
import { LiveEngine } from '../../wire/live-engine.ts'
import type { LiveDialogue, LiveLink, LiveProtocol } from '../../wire/live-protocol.ts'
import {
  isSonioxEnd,
  recognitionFields,
  SONIOX_AUDIO,
  SONIOX_KEY,
  type SonioxRequest,
  SonioxSession,
  SonioxSynthesizer,
  SonioxText,
  type SonioxToken,
  sonioxAddress,
  sonioxContext,
  VOICE_MODEL,
} from './soniox.ts'
import { type TranslatedUtterance, UtteranceQueue } from './utterance-queue.ts'

const settings = serverEntry('soniox', {
  ...recognitionFields,
  languages: interpretedLanguages,
  voices: voicesSchema.element
    .extend({ languages: languagesSchema.optional() })
    .array()
    .min(1)
    .default([
      { voice: 'Adrian', gender: 'M' },
      { voice: 'Maya', gender: 'F' },
    ])
    .meta({ about: 'Voices, the default first; each speaks all languages, or only its `languages`.' }),
})
type Settings = SettingsOf<typeof settings>

export const sonioxInterpretation = listedEngine({
  kind: 'interpretation',
  schema: settings,
  key: SONIOX_KEY,
  create: (choice, { clock }) => new SonioxSpeechTranslator(choice, clock),
})

/** Time without streams after the voice has failed (ms): the other engines serve. */
const MUTE_MS = 10_000

/** Time for the rest of a translation after the end of its utterance (ms), and after each piece of it. */
const LATE_MS = 500
const LATER_MS = 200
/** Translation from which a long utterance ends with the next sentence, and at the latest (letters). */
const LONG = 500
const LONGEST = 1_000
const SENTENCE_END = /[.?!…。！？]["'”’»)]*\s*$/

/**
 * Speech to speech by Soniox with one key: recognition and translation from one socket, spoken by its voices as soon as
 * they are translated (guide "Speech-to-speech translation").
 */
export class SonioxSpeechTranslator implements SpeechTranslator {
  readonly name = 'soniox'
  readonly voices: readonly VoiceEntry[]
  readonly #options: Settings
  readonly #clock: Clock
  readonly #engine: LiveEngine
  readonly #speech: SonioxSynthesizer
  /** After a voice that has failed, until another attempt. */
  #mutedUntil = 0

  constructor(options: Settings, clock: Clock) {
    this.#options = options
    this.#clock = clock
    this.#engine = new LiveEngine('interpretation', this.name, options, clock)
    const { apiKey, languages } = options
    const url = options.url.replace('//stt-rt.', '//tts-rt.')
    const voices = options.voices.map(voice => ({ ...voice, languages: voice.languages ?? languages }))
    this.#speech = new SonioxSynthesizer({ url, apiKey, model: VOICE_MODEL, voices }, clock)
    this.voices = this.#speech.voices
  }

  targets(from: LanguageId): readonly LanguageId[] {
    return otherLanguages(this.#options.languages, from).filter(to => this.#voice(to) !== undefined)
  }

  async open(request: InterpretationRequest, sink: InterpretationSink): Promise<SpeechStream> {
    const { from, to, voiceId } = request
    if (!this.targets(from).includes(to))
      throw new RangeError(`${this.name} translates ${from} into ${this.targets(from).join(', ')}, not ${to}`)
    const voice = this.#voice(to, voiceId)
    if (!voice) throw new RangeError(`${this.name} has no voice "${voiceId}" for ${to}`)
    if (this.#clock.now() < this.#mutedUntil)
      throw this.#engine.error('its voice has failed and is skipped temporarily')
    const queue = new UtteranceQueue({
      sink,
      speak: (text, signal) => this.#speech.speak(text, voice.voiceId, signal),
      failed: ({ cause }) => {
        this.#mutedUntil = this.#clock.now() + MUTE_MS
        sink.failed(
          this.#engine.error(`the voice ${(cause as Error | undefined)?.message ?? 'failed'}`, cause),
        )
      },
    })
    return this.#engine.open(
      this.#protocol(request, queue),
      error => {
        queue.close()
        sink.failed(error)
      },
      () => queue.close(),
    )
  }

  async close(): Promise<void> {
    await this.#engine.close()
    await this.#speech.close()
  }

  /** Returns the voice of that id for a language, else the first one. */
  #voice(language: LanguageId, voiceId?: string): VoiceEntry | undefined {
    return this.voices.find(
      each => each.languageId === language && (voiceId === undefined || each.voiceId === voiceId),
    )
  }

  #protocol(wanted: InterpretationRequest, queue: UtteranceQueue): LiveProtocol {
    const { from, to } = wanted
    const { url, apiKey, model, pauseMs, languages } = this.#options
    const request: SonioxRequest = {
      model,
      hint: primaryCode(from),
      pauseMs,
      context: sonioxContext(wanted),
      target: primaryCode(to),
    }
    const options: DialogueOptions = {
      queue,
      clock: this.#clock,
      heard: code => heardLanguage(code, from, languages),
    }
    return {
      ...SONIOX_AUDIO,
      address: () => sonioxAddress(url, apiKey),
      dialogue: link => new InterpretationDialogue(link, new SonioxSession(link, request), options),
    }
  }
}

interface DialogueOptions {
  readonly queue: UtteranceQueue
  readonly clock: Clock
  readonly heard: (code: string | undefined) => LanguageId | undefined
}

/** An utterance as understood so far. */
interface Current {
  text: SonioxText
  /** Undefined until something was understood. */
  utterance?: TranslatedUtterance
  /** The text up to the last piece of translation, with its end (ms of the connection). */
  covered: { text: string; endMs: number | undefined }
}

const nothing = (): Current => ({ text: new SonioxText(), covered: { text: '', endMs: undefined } })

/**
 * Divides the tokens of one connection into utterances. The pieces of a translation follow those of the text, and the
 * last ones can come after the end of the utterance.
 */
class InterpretationDialogue implements LiveDialogue {
  readonly #link: LiveLink
  readonly #session: SonioxSession
  readonly #options: DialogueOptions
  #current = nothing()
  /** An utterance that has ended and waits for the rest of its translation. */
  #ending: Current | undefined
  #late: Disposable | undefined

  constructor(link: LiveLink, session: SonioxSession, options: DialogueOptions) {
    this.#link = link
    this.#session = session
    this.#options = options
  }

  get busy(): boolean {
    return this.#current.utterance !== undefined || this.#ending !== undefined
  }

  begin(): void {
    this.#session.begin()
  }

  message(message: unknown): void {
    const result = this.#session.read(message)
    if (!result) return
    this.#current.text.message()
    let changed = false
    for (const token of result.tokens) {
      if (isSonioxEnd(token)) this.#end()
      else if (token.translation_status === 'translation') this.#translated(token)
      else {
        this.#current.text.add(token)
        changed = true
      }
    }
    // The pieces of the next utterance's translation follow its text.
    if (this.#ending?.covered.text && this.#current.text.finalText !== '') this.#settle()
    if (changed || this.#current.utterance) this.#show(this.#current)
    else if (!this.busy && result.finalMs !== undefined)
      this.#link.answered(this.#link.streamMs(result.finalMs))
  }

  audio(pcm: Int16Array): void {
    this.#session.audio(pcm)
  }

  pause(): void {
    this.#session.finalize()
  }

  keepAlive(): void {
    this.#session.keepAlive()
  }

  finish(): void {
    this.#session.finish()
  }

  /** Keeps the translated part; the rest of the audio is sent again. */
  ended(): void {
    this.#late?.[Symbol.dispose]()
    for (const { utterance, text, covered } of [this.#ending ?? nothing(), this.#current]) {
      const { startMs, language } = this.#place(text)
      const endMs = covered.endMs === undefined ? startMs : this.#link.streamMs(covered.endMs)
      utterance?.heard({ text: covered.text, startMs, endMs, language })
      utterance?.end()
    }
    this.#ending = undefined
    this.#current = nothing()
  }

  /** Translations that are not final change; they are neither shown nor spoken. */
  #translated({ text, is_final: final }: SonioxToken): void {
    if (!final) return
    const current = this.#ending ?? this.#current
    current.utterance ??= this.#options.queue.begin()
    current.utterance.translated(text)
    current.covered = { text: current.text.finalText, endMs: current.text.finalEndMs }
    if (current.covered.endMs !== undefined) this.#link.answered(this.#link.streamMs(current.covered.endMs))
    if (this.#ending) {
      this.#await(LATER_MS)
      return
    }
    const { translation } = current.utterance
    if (translation.length >= LONGEST || (translation.length >= LONG && SENTENCE_END.test(translation)))
      this.#end()
  }

  #show(current: Current): void {
    if (current.text.text === '' && !current.utterance) return
    current.utterance ??= this.#options.queue.begin()
    current.utterance.heard(this.#place(current.text))
  }

  #end(): void {
    this.#settle()
    const current = this.#current
    this.#current = nothing()
    this.#show(current)
    if (!current.utterance) return
    this.#ending = current
    if (current.covered.text === current.text.text) this.#settle()
    else this.#await(LATE_MS)
  }

  #await(ms: number): void {
    this.#late?.[Symbol.dispose]()
    this.#late = setTimer(this.#options.clock, ms, () => this.#settle())
  }

  /** Completes the utterance that waits for its translation. Idempotent. */
  #settle(): void {
    this.#late?.[Symbol.dispose]()
    this.#late = undefined
    const { text, utterance } = this.#ending ?? {}
    this.#ending = undefined
    utterance?.end()
    if (text?.endMs !== undefined) this.#link.answered(this.#link.streamMs(text.endMs))
  }

  #place(tokens: SonioxText) {
    const { startMs, endMs, text, language } = tokens
    const { speechFromMs, sentMs } = this.#link
    return {
      text,
      startMs: startMs === undefined ? speechFromMs : this.#link.streamMs(startMs),
      endMs: this.#link.streamMs(endMs ?? sentMs),
      language: this.#options.heard(language),
    }
  }
}
