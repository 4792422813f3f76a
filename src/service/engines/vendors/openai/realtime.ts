/** OpenAI's realtime sessions over WebSocket: live transcription, and speech to speech. */
import { z } from 'zod'
import type { Clock } from '../../../../common/clock.ts'
import { type LanguageId, primaryLanguage } from '../../../../common/language.ts'
import type { WallClock } from '../../../../common/wall-clock.ts'
import {
  interpretedLanguages,
  keyFields,
  languagesSchema,
  listedEngine,
  modelField,
  pauseField,
  type SettingsOf,
  serverEntry,
  urlField,
} from '../../definition.ts'
import type {
  InterpretationRequest,
  InterpretationSink,
  SpeechStream,
  SpeechTranslator,
} from '../../engine.ts'
import { primaryCode } from '../../languages.ts'
import { base64Of, pcmOf } from '../../wire/base64-pcm.ts'
import { ContinuousUtterances } from '../../wire/continuous-utterances.ts'
import { SocketFault, socketUrl } from '../../wire/engine-socket.ts'
import { otherLanguages } from '../../wire/http-translator.ts'
import { LiveEngine } from '../../wire/live-engine.ts'
import type { LiveDialogue, LiveLink, LiveProtocol } from '../../wire/live-protocol.ts'
import { LiveRecognizer } from '../../wire/live-recognizer.ts'
import type { TranscriptLog } from '../../wire/transcript-log.ts'
import { OPENAI_KEY, OPENAI_QUESTION } from './dialect.ts'

const url = urlField('https://api.openai.com')

const transcriptionSettings = serverEntry('openai-live', {
  url,
  ...keyFields,
  model: modelField.default('gpt-live-transcribe'),
  languages: languagesSchema,
  pauseMs: pauseField(100, 3_000, 500),
})
type TranscriptionSettings = SettingsOf<typeof transcriptionSettings>

const interpretationSettings = serverEntry('openai', {
  url,
  ...keyFields,
  model: modelField.default('gpt-realtime-translate'),
  languages: interpretedLanguages,
})
type InterpretationSettings = SettingsOf<typeof interpretationSettings>

export const openAiLive = listedEngine({
  kind: 'transcription',
  schema: transcriptionSettings,
  key: OPENAI_KEY,
  create: (choice, { clock, wallClock }) => openAiLiveRecognizer(choice, clock, wallClock),
})

export const openAiInterpretation = listedEngine({
  kind: 'interpretation',
  schema: interpretationSettings,
  key: OPENAI_KEY,
  question: OPENAI_QUESTION,
  create: (choice, { clock, wallClock }) => new OpenAiSpeechTranslator(choice, clock, wallClock),
})

/** How long the transcribing model collects context: higher is slower and more accurate. */
const DELAY = 'low'
/** Model that transcribes the speech that another one translates, for captions. */
const CAPTION_MODEL = 'gpt-realtime-whisper'

/** The sample rate of OpenAI's realtime sessions (Hz). They reject all others. */
const OPENAI_RATE = 24_000

const sessionEvent = z.object({
  type: z.enum([
    'session.created',
    'session.updated',
    'transcription_session.created',
    'transcription_session.updated',
  ]),
  session: z.object({ expires_at: z.number().nullish() }).nullish(),
})
const errorEvent = z.object({
  type: z.literal('error'),
  error: z.object({ type: z.string().nullish(), code: z.string().nullish() }),
})

/** Codes after which a new connection may succeed. Other errors of a request are faults of the settings. */
const PASSING = /^(session_expired|server_error|rate_limit|internal|timeout|overloaded)/
/** Errors that concern one message only. */
const HARMLESS = /^(input_audio_buffer_commit_empty|conversation_already_has_active_response)$/

/**
 * The part that OpenAI's realtime sessions have in common: the session is updated once it was created, is ready once
 * that was confirmed, and expires at a time that it announces.
 */
class RealtimeSession {
  readonly #link: LiveLink
  readonly #wall: WallClock
  readonly #settings: object
  #ready = false

  /** `settings`: the `session` of `session.update`. */
  constructor(link: LiveLink, wall: WallClock, settings: object) {
    this.#link = link
    this.#wall = wall
    this.#settings = settings
  }

  /** Handles `message` if it concerns the session; returns false otherwise. */
  handled(message: unknown): boolean {
    const about = sessionEvent.safeParse(message)
    if (about.success) {
      this.#event(about.data)
      return true
    }
    const failed = errorEvent.safeParse(message)
    if (failed.success) this.#failed(failed.data.error)
    return failed.success
  }

  #event({ type, session }: z.infer<typeof sessionEvent>): void {
    const expires = session?.expires_at
    if (expires) this.#link.renewIn(expires * 1_000 - this.#wall())
    if (type.endsWith('.created')) this.#link.send({ type: 'session.update', session: this.#settings })
    else {
      this.#ready = true
      this.#link.ready()
    }
  }

  #failed({ type, code }: { type?: string | null | undefined; code?: string | null | undefined }): void {
    const name = code ?? type ?? 'unknown'
    if (HARMLESS.test(name)) return
    // Words of the provider's list only: a message can quote speech.
    const told = /^[a-z_]{1,40}$/.test(name) ? name : 'an error'
    const passing = PASSING.test(name) || (this.#ready && type === 'server_error')
    this.#link.fail(new SocketFault(`answered ${told}`, { passing }))
  }
}

const transcriptDelta = z.object({
  type: z.literal('conversation.item.input_audio_transcription.delta'),
  item_id: z.string(),
  delta: z.string(),
})
const transcriptEnd = z.object({
  type: z.enum([
    'conversation.item.input_audio_transcription.completed',
    'conversation.item.input_audio_transcription.failed',
  ]),
  item_id: z.string(),
  transcript: z.string().nullish(),
})

/** The least audio of a turn; the service rejects an empty one (ms). */
const LEAST_TURN_MS = 100

/**
 * Speech recognition by OpenAI's live transcription (guide "Realtime transcription"): partial results while someone
 * speaks. Its models do not detect pauses, so turns are ended here.
 */
export function openAiLiveRecognizer(
  { url, apiKey, model, pauseMs, ...choice }: TranscriptionSettings,
  clock: Clock,
  wall: WallClock,
): LiveRecognizer {
  return new LiveRecognizer('openai-live', choice, clock, ({ language, terms, about, log }) => {
    const session = {
      type: 'transcription',
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: OPENAI_RATE },
          transcription: {
            ...{ model, languages: [primaryCode(language)], delay: DELAY },
            keywords: terms.length === 0 ? undefined : terms,
            prompt: about,
          },
          turn_detection: null,
        },
      },
    }
    return {
      rate: OPENAI_RATE,
      chunkMs: 100,
      pauseMs,
      address: () => ({
        // The model belongs into the session: a transcription with a model in the address is rejected.
        url: socketUrl(url, '/v1/realtime?intent=transcription'),
        headers: { authorization: apiKey && `Bearer ${apiKey}` },
      }),
      dialogue: link => new TranscriptionDialogue(link, new RealtimeSession(link, wall, session), log),
    }
  })
}

/** A turn: the audio between two commits. */
interface Turn {
  item: string | undefined
  text: string
  startMs: number
  /** End of its audio, once it is committed. */
  endMs?: number
  /** Its final text, while an earlier turn has none. */
  transcript?: string
}

class TranscriptionDialogue implements LiveDialogue {
  readonly #link: LiveLink
  readonly #session: RealtimeSession
  readonly #log: TranscriptLog
  /** Turns without a result, in order; the last one can be uncommitted. */
  #turns: Turn[] = []
  #committedMs = 0

  constructor(link: LiveLink, session: RealtimeSession, log: TranscriptLog) {
    this.#link = link
    this.#session = session
    this.#log = log
  }

  get busy(): boolean {
    return this.#turns.length > 0
  }

  begin(): void {}

  message(message: unknown): void {
    if (this.#session.handled(message)) return
    const delta = transcriptDelta.safeParse(message)
    if (delta.success) {
      this.#grow(this.#turn(delta.data.item_id), delta.data.delta)
      return
    }
    const end = transcriptEnd.safeParse(message)
    if (end.success) this.#end(this.#turn(end.data.item_id), end.data.transcript ?? '')
  }

  audio(pcm: Int16Array): void {
    this.#link.send({ type: 'input_audio_buffer.append', audio: base64Of(pcm) })
  }

  pause(): void {
    if (this.#link.sentMs - this.#committedMs < LEAST_TURN_MS) return
    this.#link.send({ type: 'input_audio_buffer.commit' })
    this.#committedMs = this.#link.sentMs
    const last = this.#turns.at(-1)
    const open = last && last.endMs === undefined ? last : this.#begun()
    open.endMs = this.#link.streamMs(this.#committedMs)
  }

  ended(): void {
    this.#turns = []
    this.#log.retract()
  }

  #begun(item?: string): Turn {
    const turn: Turn = { text: '', startMs: this.#link.speechFromMs, item }
    this.#turns.push(turn)
    return turn
  }

  /** Returns the turn of `item`: results name it, and its first one can come before or after the commit. */
  #turn(item: string): Turn {
    const known = this.#turns.find(turn => turn.item === item)
    if (known) return known
    const next = this.#turns.find(turn => turn.item === undefined)
    if (!next) return this.#begun(item)
    next.item = item
    return next
  }

  #grow(turn: Turn, delta: string): void {
    turn.text += delta
    // The texts of later turns wait for the end of the first.
    if (turn === this.#turns[0]) this.#partial(turn)
  }

  #partial({ text, startMs, endMs }: Turn): void {
    this.#log.partial({ text: text.trim(), startMs, endMs: endMs ?? this.#link.streamMs(this.#link.sentMs) })
  }

  /** Gives the final texts in the order of the turns, not of their completion. */
  #end(turn: Turn, transcript: string): void {
    turn.transcript = transcript.trim()
    for (let first = this.#turns[0]; first?.transcript !== undefined; first = this.#turns[0]) {
      const endMs = first.endMs ?? this.#link.streamMs(this.#link.sentMs)
      this.#turns.shift()
      this.#log.final({ text: first.transcript, startMs: first.startMs, endMs })
      this.#link.answered(endMs)
    }
    const [next] = this.#turns
    if (next && next.text !== '') this.#partial(next)
  }
}

/** The languages that the model speaks (OpenAI, launch of `gpt-realtime-translate`); it understands over 70. */
const SPOKEN = ['es', 'pt', 'fr', 'ja', 'ru', 'zh', 'de', 'ko', 'hi', 'id', 'vi', 'it', 'en']

const translationDelta = z.object({
  type: z.enum(['session.input_transcript.delta', 'session.output_transcript.delta']),
  delta: z.string(),
  elapsed_ms: z.number().nullish(),
})
const translationAudio = z.object({
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
  readonly #options: InterpretationSettings
  readonly #clock: Clock
  readonly #wall: WallClock
  readonly #engine: LiveEngine

  constructor(options: InterpretationSettings, clock: Clock, wall: WallClock) {
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
    const { url, apiKey, model } = this.#options
    const clock = this.#clock
    const session = {
      audio: {
        output: { language: primaryCode(to) },
        input: { transcription: { model: CAPTION_MODEL }, noise_reduction: null },
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
        headers: { authorization: apiKey && `Bearer ${apiKey}` },
      }),
      dialogue: link => {
        current = link
        return new TranslationDialogue(link, new RealtimeSession(link, this.#wall, session), utterances)
      },
    }
  }
}

class TranslationDialogue implements LiveDialogue {
  readonly #link: LiveLink
  readonly #session: RealtimeSession
  readonly #utterances: ContinuousUtterances

  constructor(link: LiveLink, session: RealtimeSession, utterances: ContinuousUtterances) {
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
    const audio = translationAudio.safeParse(message)
    if (audio.success) {
      const { delta, sample_rate: rate, elapsed_ms: elapsed } = audio.data
      this.#utterances.spoken(pcmOf(delta), rate ?? OPENAI_RATE, this.#at(elapsed))
      return
    }
    const text = translationDelta.safeParse(message)
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
