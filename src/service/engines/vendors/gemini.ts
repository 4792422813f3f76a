import { z } from 'zod'
import type { Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import { SAMPLE_RATE } from '../../../transcode/pcm.ts'
import {
  interpretedLanguages,
  keyFields,
  listedEngine,
  modelField,
  type SettingsOf,
  serverEntry,
  urlField,
} from '../definition.ts'
import type { InterpretationRequest, InterpretationSink, SpeechStream, SpeechTranslator } from '../engine.ts'
import { codesFor, heardLanguage } from '../languages.ts'
import { base64Of, pcmOf } from '../wire/base64-pcm.ts'
import { ContinuousUtterances } from '../wire/continuous-utterances.ts'
import { SocketFault, socketUrl } from '../wire/engine-socket.ts'
import { otherLanguages } from '../wire/http-translator.ts'
import { LiveEngine } from '../wire/live-engine.ts'
import type { LiveDialogue, LiveLink, LiveProtocol } from '../wire/live-protocol.ts'

const PATH = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'
/** Sample rate of the translated speech (Hz), unless its type names another one. */
const SPOKEN_RATE = 24_000
/** A connection without a handle ends after 10 minutes; `goAway` usually announces it before. */
const MOST_CONNECTION_MS = 10 * 60_000
/** Audio that was on its way when the service described its state (ms). */
const ON_THE_WAY_MS = 200
/** Pause of the speaker that a final result covers (ms). */
const PAUSE_MS = 400

const settings = serverEntry('gemini', {
  url: urlField('https://generativelanguage.googleapis.com'),
  ...keyFields,
  model: modelField.default('gemini-3.5-live-translate-preview'),
  languages: interpretedLanguages,
})
type Settings = SettingsOf<typeof settings>

export const gemini = listedEngine({
  kind: 'interpretation',
  schema: settings,
  key: { variable: 'GEMINI_API_KEY', hosts: /^generativelanguage\.googleapis\.com$/ },
  create: (choice, { clock }) => new GeminiSpeechTranslator(choice, clock),
})

/**
 * Speech to speech by Google's Gemini Live API (guide "Live translation", preview). The model translates continuously
 * and has no utterances, so they are formed here. Its results have no times: audio counts as answered when the service
 * gives a handle for its state, and after a pause.
 */
export class GeminiSpeechTranslator implements SpeechTranslator {
  readonly name = 'gemini'
  readonly voices = []
  readonly #options: Settings
  readonly #clock: Clock
  readonly #engine: LiveEngine

  constructor(options: Settings, clock: Clock) {
    this.#options = options
    this.#clock = clock
    this.#engine = new LiveEngine('interpretation', this.name, options, clock)
  }

  targets(from: LanguageId): readonly LanguageId[] {
    return otherLanguages(this.#options.languages, from)
  }

  async open({ from, to, voiceId }: InterpretationRequest, sink: InterpretationSink): Promise<SpeechStream> {
    if (!this.targets(from).includes(to))
      throw new RangeError(`${this.name} translates ${from} into ${this.targets(from).join(', ')}, not ${to}`)
    if (voiceId !== undefined) throw new RangeError(`${this.name} has no voice "${voiceId}"`)
    const { url, apiKey, model, languages } = this.#options
    const conversation = new Conversation(sink, this.#clock, {
      setup: {
        model: `models/${model}`,
        generationConfig: {
          responseModalities: ['AUDIO'],
          // A speaker who uses the target language is heard anyway.
          translationConfig: { targetLanguageCode: codesFor(to)[0], echoTargetLanguage: false },
        },
        inputAudioTranscription: {},
        outputAudioTranscription: {},
      },
      heard: code => heardLanguage(code, from, languages),
    })
    const protocol: LiveProtocol = {
      rate: SAMPLE_RATE,
      chunkMs: 100,
      fastest: 2,
      continuous: true,
      address: () => ({
        url: socketUrl(url, PATH),
        headers: { 'x-goog-api-key': apiKey },
      }),
      closedWith: code => conversation.closedWith(code),
      dialogue: link => conversation.dialogue(link),
    }
    return this.#engine.open(
      protocol,
      error => {
        conversation.close()
        sink.failed(error)
      },
      () => conversation.close(),
    )
  }

  close(): Promise<void> {
    return this.#engine.close()
  }
}

interface ConversationOptions {
  /** The first message of each connection, apart from the handle. */
  readonly setup: object
  readonly heard: (code: string | undefined) => LanguageId | undefined
}

/** One stream over all its connections. */
class Conversation {
  readonly utterances: ContinuousUtterances
  readonly options: ConversationOptions
  /** Handle of the state that the next connection continues. */
  handle: string | undefined
  /** The present connection has been confirmed. */
  ready = false
  #link: LiveLink | undefined

  constructor(sink: InterpretationSink, clock: Clock, options: ConversationOptions) {
    this.options = options
    this.utterances = new ContinuousUtterances({
      sink: {
        partial: result => sink.partial(result),
        audio: (utterance, pcm, rate) => sink.audio(utterance, pcm, rate),
        final: result => {
          sink.final(result)
          const { quietMs = 0 } = this.#link ?? {}
          if (quietMs >= PAUSE_MS) this.answered(quietMs)
        },
        failed: error => sink.failed(error),
      },
      clock,
      quietMs: () => this.#link?.quietMs ?? Number.POSITIVE_INFINITY,
    })
  }

  dialogue(link: LiveLink): LiveDialogue {
    this.#link = link
    this.ready = false
    return new TranslationDialogue(link, this)
  }

  /** Audio is answered, except for the last `exceptMs`. */
  answered(exceptMs: number): void {
    const link = this.#link
    if (link) link.answered(link.streamMs(Math.max(0, link.sentMs - exceptMs)))
  }

  /** A key, model or message is refused with 1007 or 1008; a session also ends with 1008. */
  closedWith(code: number): SocketFault {
    const refused = !this.ready && (code === 1007 || code === 1008)
    const passing = code !== 1007 && (!refused || this.handle !== undefined)
    // Perhaps it was the handle.
    if (refused) this.handle = undefined
    return new SocketFault(`closed the connection (${code})`, { passing, code })
  }

  close(): void {
    this.utterances.close()
  }
}

const transcription = z.object({ text: z.string().nullish(), languageCode: z.string().nullish() })
const messageSchema = z.object({
  setupComplete: z.object({}).optional(),
  serverContent: z
    .object({
      inputTranscription: transcription.nullish(),
      outputTranscription: transcription.nullish(),
      modelTurn: z
        .object({
          parts: z.array(
            z.object({
              inlineData: z.object({ mimeType: z.string().nullish(), data: z.string() }).nullish(),
            }),
          ),
        })
        .nullish(),
    })
    .optional(),
  goAway: z.object({ timeLeft: z.string().nullish() }).optional(),
  sessionResumptionUpdate: z
    .object({ newHandle: z.string().nullish(), resumable: z.boolean().nullish() })
    .optional(),
})

class TranslationDialogue implements LiveDialogue {
  readonly #link: LiveLink
  readonly #conversation: Conversation

  constructor(link: LiveLink, conversation: Conversation) {
    this.#link = link
    this.#conversation = conversation
  }

  get busy(): boolean {
    return this.#conversation.utterances.busy
  }

  begin(): void {
    const { options, handle } = this.#conversation
    this.#link.send({
      setup: { ...options.setup, sessionResumption: handle === undefined ? {} : { handle } },
    })
  }

  message(message: unknown): void {
    const { data } = messageSchema.safeParse(message)
    if (!data) return
    const { setupComplete, serverContent, goAway, sessionResumptionUpdate: update } = data
    if (setupComplete) {
      this.#conversation.ready = true
      this.#link.renewIn(MOST_CONNECTION_MS)
      this.#link.ready()
    }
    if (serverContent) this.#content(serverContent)
    if (goAway) this.#link.renewIn(durationMs(goAway.timeLeft))
    if (update?.resumable && update.newHandle) {
      this.#conversation.handle = update.newHandle
      this.#conversation.utterances.keep()
      this.#conversation.answered(ON_THE_WAY_MS)
    }
  }

  audio(pcm: Int16Array): void {
    const audio = { mimeType: `audio/pcm;rate=${SAMPLE_RATE}`, data: base64Of(pcm) }
    this.#link.send({ realtimeInput: { audio } })
  }

  /** Audio since the last response is interpreted again. */
  ended(): void {
    this.#conversation.utterances.cut()
  }

  #content({
    inputTranscription: heard,
    outputTranscription: translated,
    modelTurn,
  }: NonNullable<z.infer<typeof messageSchema>['serverContent']>): void {
    const { utterances, options } = this.#conversation
    const atMs = this.#link.streamMs(this.#link.sentMs)
    if (heard?.text) utterances.said(heard.text, atMs)
    if (heard?.languageCode) utterances.detected(options.heard(heard.languageCode))
    if (translated?.text) utterances.translated(translated.text, atMs)
    for (const { inlineData } of modelTurn?.parts ?? []) {
      if (!inlineData) continue
      const rate = Number(/rate=(\d+)/.exec(inlineData.mimeType ?? '')?.[1] ?? SPOKEN_RATE)
      utterances.spoken(pcmOf(inlineData.data), rate, atMs)
    }
  }
}

/** Reads a duration like `50s`; without one, the connection ends at once (ms). */
function durationMs(text: string | null | undefined): number {
  const seconds = Number(/^(\d+(?:\.\d+)?)s$/.exec(text ?? '')?.[1] ?? 0)
  return seconds * 1_000
}
