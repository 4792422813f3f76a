import { type Clock, setTimer } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import type { VoiceEntry } from '../../../contract.ts'
import type {
  InterpretationRequest,
  InterpretationSink,
  SpeechStream,
  SpeechTranslator,
} from '../../engine.ts'
import { heardLanguage, primaryCode } from '../../languages.ts'
import { FailureCooldown } from '../../wire/failure-cooldown.ts'
import { otherLanguages } from '../../wire/http-translator.ts'
import { LiveEngine } from '../../wire/live-engine.ts'
import type { LiveDialogue, LiveLink, LiveProtocol } from '../../wire/live-protocol.ts'
import type { MultiplexedSpeech } from '../../wire/multiplexed-speech.ts'
import { type OfferedServerVoice, offeredVoices } from '../../wire/server-voices.ts'
import type { SonioxInterpretationOptions } from '../settings.ts'
import { SONIOX_AUDIO, sonioxAddress } from './soniox-live.ts'
import {
  isSonioxEnd,
  type SonioxRequest,
  SonioxSession,
  SonioxText,
  type SonioxToken,
  sonioxContext,
} from './soniox-session.ts'
import { sonioxSpeech } from './soniox-voice.ts'
import { type TranslatedUtterance, UtteranceQueue } from './utterance-queue.ts'

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
  readonly #options: SonioxInterpretationOptions
  readonly #clock: Clock
  readonly #engine: LiveEngine
  readonly #speech: MultiplexedSpeech
  readonly #offered: readonly OfferedServerVoice[]
  /** After a voice that fails, until another attempt. */
  readonly #mute: FailureCooldown

  constructor(options: SonioxInterpretationOptions, clock: Clock) {
    const { voices, languages, voiceUrl, voiceModel, idleMs, timeoutMs, cooldownMs, apiKey } = options
    this.#options = options
    this.#clock = clock
    this.#engine = new LiveEngine('interpretation', this.name, options, clock)
    const access = { url: voiceUrl, model: voiceModel, apiKey, idleMs, timeoutMs, cooldownMs }
    this.#speech = sonioxSpeech(this.name, access, clock)
    const all = voices.map(voice => ({ ...voice, languages: voice.languages ?? languages }))
    this.#offered = offeredVoices(all, this.name, true)
    this.voices = this.#offered.map(({ entry }) => entry)
    this.#mute = new FailureCooldown(clock, cooldownMs)
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
    if (this.#mute.active) throw this.#engine.error('its voice has failed and is skipped temporarily')
    const speaking = { voice: voice.voice.voice, language: to }
    const queue = new UtteranceQueue({
      sink,
      speech: this.#speech,
      voice: speaking,
      failed: error => {
        this.#mute.failed({ final: true })
        const { cause } = error
        sink.failed(
          this.#engine.error(`the voice ${(cause as Error | undefined)?.message ?? 'failed'}`, cause),
        )
      },
    })
    this.#speech.prepare(speaking)
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
    this.#speech.close()
  }

  /** Returns the voice of that id for a language, else the first one. */
  #voice(language: LanguageId, voiceId?: string): OfferedServerVoice | undefined {
    return this.#offered.find(
      each => each.language === language && (voiceId === undefined || each.entry.voiceId === voiceId),
    )
  }

  #protocol(wanted: InterpretationRequest, queue: UtteranceQueue): LiveProtocol {
    const { from, to } = wanted
    const { url, apiKey, model, pauseMs, terms, languages } = this.#options
    const request: SonioxRequest = {
      model,
      hint: primaryCode(from),
      pauseMs,
      context: sonioxContext(terms, wanted),
      target: primaryCode(to),
    }
    const options: DialogueOptions = {
      queue,
      clock: this.#clock,
      rate: this.#speech.rate,
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
  /** Sample rate of the voice (Hz). */
  readonly rate: number
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
    current.utterance.translated(text, this.#options.rate)
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
