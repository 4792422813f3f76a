import { z } from 'zod'
import type { Clock } from '../../../../common/clock.ts'
import { type LanguageId, primaryLanguage } from '../../../../common/language.ts'
import type { WallClock } from '../../../../common/wall-clock.ts'
import type {
  InterpretationRequest,
  InterpretationSink,
  SpeechStream,
  SpeechTranslator,
} from '../../engine.ts'
import { primaryCode } from '../../languages.ts'
import { base64Of, pcmOf } from '../../wire/base64-pcm.ts'
import { ContinuousUtterances } from '../../wire/continuous-utterances.ts'
import { otherLanguages } from '../../wire/http-translator.ts'
import { LiveEngine } from '../../wire/live-engine.ts'
import type { LiveDialogue, LiveLink, LiveProtocol } from '../../wire/live-protocol.ts'
import { socketUrl } from '../../wire/live-settings.ts'
import type { OpenAiInterpretationOptions } from '../settings.ts'
import { OPENAI_RATE, OpenAiSession } from './openai-session.ts'

/** The languages that the model speaks (OpenAI, launch of `gpt-realtime-translate`); it understands over 70. */
const SPOKEN = ['es', 'pt', 'fr', 'ja', 'ru', 'zh', 'de', 'ko', 'hi', 'id', 'vi', 'it', 'en']

const deltaEvent = z.object({
  type: z.enum(['session.input_transcript.delta', 'session.output_transcript.delta']),
  delta: z.string(),
  elapsed_ms: z.number().nullish(),
})
const audioEvent = z.object({
  type: z.literal('session.output_audio.delta'),
  delta: z.string(),
  sample_rate: z.number().nullish(),
  elapsed_ms: z.number().nullish(),
})

/**
 * Speech to speech by OpenAI's `gpt-realtime-translate`: `wss://…/v1/realtime/translations` (API reference, realtime
 * translations). The model translates continuously, in steps of 200 ms, and needs silence between sentences, too; it
 * has no utterances, so they are formed here.
 */
export class OpenAiSpeechTranslator implements SpeechTranslator {
  readonly name = 'openai-translate'
  readonly voices = []
  readonly #options: OpenAiInterpretationOptions
  readonly #clock: Clock
  readonly #wall: WallClock
  readonly #engine: LiveEngine

  constructor(options: OpenAiInterpretationOptions, clock: Clock, wall: WallClock) {
    this.#options = options
    this.#clock = clock
    this.#wall = wall
    this.#engine = new LiveEngine('interpretation', this.name, options, clock)
  }

  targets(from: LanguageId): readonly LanguageId[] {
    return otherLanguages(this.#options.languages, from).filter(to => SPOKEN.includes(primaryLanguage(to)))
  }

  async open({ from, to, voiceId }: InterpretationRequest, sink: InterpretationSink): Promise<SpeechStream> {
    if (!this.targets(from).includes(to))
      throw new RangeError(`${this.name} translates ${from} into ${this.targets(from).join(', ')}, not ${to}`)
    if (voiceId !== undefined) throw new RangeError(`${this.name} has no voice "${voiceId}"`)
    return this.#engine.open(this.#protocol(to, sink), error => sink.failed(error))
  }

  close(): Promise<void> {
    return this.#engine.close()
  }

  #protocol(to: LanguageId, sink: InterpretationSink): LiveProtocol {
    const { url, apiKey, model, transcriptionModel } = this.#options
    const clock = this.#clock
    const session = {
      audio: {
        output: { language: primaryCode(to) },
        input: { transcription: { model: transcriptionModel }, noise_reduction: null },
      },
    }
    let current: LiveLink | undefined
    const utterances = new ContinuousUtterances({
      sink,
      clock,
      quietMs: () => current?.quietMs ?? Number.POSITIVE_INFINITY,
      answered: streamMs => current?.answered(streamMs),
    })
    return {
      rate: OPENAI_RATE,
      chunkMs: 200,
      continuous: true,
      address: () => ({
        url: socketUrl(url, `/v1/realtime/translations?model=${encodeURIComponent(model)}`),
        ...(apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } }),
      }),
      dialogue: link => {
        current = link
        return new TranslationDialogue(link, new OpenAiSession(link, this.#wall, session), utterances)
      },
    }
  }
}

class TranslationDialogue implements LiveDialogue {
  readonly #link: LiveLink
  readonly #session: OpenAiSession
  readonly #utterances: ContinuousUtterances

  constructor(link: LiveLink, session: OpenAiSession, utterances: ContinuousUtterances) {
    this.#link = link
    this.#session = session
    this.#utterances = utterances
  }

  get busy(): boolean {
    return this.#utterances.busy
  }

  /** The service speaks first. */
  begin(): void {}

  message(message: unknown): void {
    if (this.#session.handled(message)) return
    const audio = audioEvent.safeParse(message)
    if (audio.success) {
      const { delta, sample_rate: rate, elapsed_ms: elapsed } = audio.data
      this.#utterances.spoken(pcmOf(delta), rate ?? OPENAI_RATE, this.#at(elapsed))
      return
    }
    const text = deltaEvent.safeParse(message)
    if (!text.success) return
    const { type, delta, elapsed_ms: elapsed } = text.data
    if (type === 'session.output_transcript.delta') this.#utterances.translated(delta, this.#at(elapsed))
    else this.#utterances.said(delta, this.#at(elapsed))
  }

  audio(pcm: Int16Array): void {
    this.#link.send({ type: 'session.input_audio_buffer.append', audio: base64Of(pcm) })
  }

  finish(): void {
    this.#link.send({ type: 'session.close' })
  }

  ended(): void {
    this.#utterances.finish()
  }

  /** `elapsed_ms` counts the audio that the model has taken, and repeats over several events. */
  #at(elapsed: number | null | undefined): number {
    return this.#link.streamMs(elapsed ?? this.#link.sentMs)
  }
}
