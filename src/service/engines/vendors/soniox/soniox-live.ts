import type { Clock } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import { SAMPLE_RATE } from '../../../../transcode/pcm.ts'
import type { HearingOptions, SpeechStream, SpeechToText, TranscriptSink } from '../../engine.ts'
import { heardLanguage, primaryCode } from '../../languages.ts'
import { LiveEngine } from '../../wire/live-engine.ts'
import type { LiveDialogue, LiveLink, LiveProtocol } from '../../wire/live-protocol.ts'
import { socketUrl } from '../../wire/live-settings.ts'
import { TranscriptLog } from '../../wire/transcript-log.ts'
import type { SonioxLiveOptions } from '../settings.ts'
import {
  isSonioxEnd,
  SONIOX_KEEP_ALIVE_MS,
  type SonioxRequest,
  SonioxSession,
  SonioxText,
  sonioxContext,
} from './soniox-session.ts'

/** Audio as the protocol requires: as fast as it arrives, a recording or a repetition at most twice as fast. */
export const SONIOX_AUDIO = { rate: SAMPLE_RATE, chunkMs: 60, fastest: 2, keepAliveMs: SONIOX_KEEP_ALIVE_MS }

/** Live transcription by Soniox. It detects the language and the end of utterances. */
export class SonioxTranscriber implements SpeechToText {
  readonly name = 'soniox'
  readonly takesTerms = true
  readonly languages: readonly LanguageId[]
  readonly #options: SonioxLiveOptions
  readonly #engine: LiveEngine

  constructor(options: SonioxLiveOptions, clock: Clock) {
    this.languages = options.languages
    this.#options = options
    this.#engine = new LiveEngine('transcription', this.name, options, clock)
  }

  async open(language: LanguageId, sink: TranscriptSink, hints: HearingOptions = {}): Promise<SpeechStream> {
    if (!this.languages.includes(language))
      throw new RangeError(`${this.name} understands ${this.languages.join(', ')}, asked for ${language}`)
    return this.#engine.open(this.#protocol(language, sink, hints), error => sink.failed(error))
  }

  close(): Promise<void> {
    return this.#engine.close()
  }

  #protocol(language: LanguageId, sink: TranscriptSink, hints: HearingOptions): LiveProtocol {
    const { url, apiKey, model, pauseMs, terms } = this.#options
    const request: SonioxRequest = {
      model,
      hint: primaryCode(language),
      pauseMs,
      context: sonioxContext(terms, hints),
    }
    const log = new TranscriptLog(sink)
    const heard = (code: string | undefined) => heardLanguage(code, language, this.languages)
    return {
      ...SONIOX_AUDIO,
      address: () => sonioxAddress(url, apiKey),
      dialogue: link => new TranscriptionDialogue(link, new SonioxSession(link, request), log, heard),
    }
  }
}

/** Returns the address of recognition. A key in the first message is refused from 15 January 2027. */
export function sonioxAddress(url: string, apiKey: string | undefined) {
  return {
    url: socketUrl(url, '/transcribe-websocket'),
    ...(apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } }),
  }
}

class TranscriptionDialogue implements LiveDialogue {
  readonly #link: LiveLink
  readonly #session: SonioxSession
  readonly #log: TranscriptLog
  readonly #heard: (code: string | undefined) => LanguageId | undefined
  #text = new SonioxText()

  constructor(
    link: LiveLink,
    session: SonioxSession,
    log: TranscriptLog,
    heard: (code: string | undefined) => LanguageId | undefined,
  ) {
    this.#link = link
    this.#session = session
    this.#log = log
    this.#heard = heard
  }

  get busy(): boolean {
    return this.#text.text !== ''
  }

  begin(): void {
    this.#session.begin()
  }

  message(message: unknown): void {
    const result = this.#session.read(message)
    if (!result) return
    this.#text.message()
    for (const token of result.tokens) {
      if (isSonioxEnd(token)) this.#end()
      else this.#text.add(token)
    }
    if (this.busy || this.#log.busy) this.#log.partial(this.#place())
    // Silence that was looked through need not be repeated.
    else if (result.finalMs !== undefined) this.#link.answered(this.#link.streamMs(result.finalMs))
  }

  audio(pcm: Int16Array): void {
    this.#session.audio(pcm)
  }

  /** No audio arrives: the service would wait for silence. */
  pause(): void {
    this.#session.finalize()
  }

  keepAlive(): void {
    this.#session.keepAlive()
  }

  finish(): void {
    this.#session.finish()
  }

  ended(): void {
    this.#text = new SonioxText()
    this.#log.retract()
  }

  #end(): void {
    const place = this.#place()
    const language = this.#heard(this.#text.language)
    this.#text = new SonioxText()
    if (place.text === '' && !this.#log.busy) return
    this.#log.final({ ...place, language })
    this.#link.answered(place.endMs)
  }

  #place() {
    const { text, startMs, endMs } = this.#text
    const { speechFromMs, sentMs } = this.#link
    return {
      text,
      startMs: startMs === undefined ? speechFromMs : this.#link.streamMs(startMs),
      endMs: this.#link.streamMs(endMs ?? sentMs),
    }
  }
}
