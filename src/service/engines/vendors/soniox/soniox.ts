/** Soniox: live transcription over WebSocket, and voices over HTTP. interpreter.ts joins them to speech to speech. */
import { z } from 'zod'
import type { Clock } from '../../../../common/clock.ts'
import { bytesOf, SAMPLE_RATE } from '../../../../transcode/pcm.ts'
import {
  type EngineHttpOptions,
  keyFields,
  languagesSchema,
  listedEngine,
  modelField,
  type ServerVoice,
  type SettingsOf,
  serverEntry,
  urlField,
  voicesSchema,
} from '../../definition.ts'
import type { GlossaryEntry, InterpretationRequest } from '../../engine.ts'
import { codesFor, primaryCode } from '../../languages.ts'
import { SocketFault, socketUrl } from '../../wire/engine-socket.ts'
import { HttpSynthesizer, SpokenAnswer, type SpokenVoice } from '../../wire/http-synthesizer.ts'
import type { LiveDialogue, LiveLink } from '../../wire/live-protocol.ts'
import { LiveRecognizer, type LiveSpeech } from '../../wire/live-recognizer.ts'

export const SONIOX_KEY = { variable: 'SONIOX_API_KEY', hosts: /\.soniox\.com$/ }

/** Settings of recognition, with and without translation. */
export const recognitionFields = {
  url: urlField('https://stt-rt.soniox.com'),
  ...keyFields,
  model: modelField.default('stt-rt-v5'),
  pauseMs: z
    .int()
    .min(500)
    .max(3_000)
    .default(700)
    .meta({ about: 'Pause after which an utterance ends at the latest (ms).' }),
}
const transcriptionSettings = serverEntry('soniox', { ...recognitionFields, languages: languagesSchema })
type TranscriptionSettings = SettingsOf<typeof transcriptionSettings>

/** Model of the voices. */
export const VOICE_MODEL = 'tts-rt-v2'

const synthesisSettings = serverEntry('soniox', {
  url: urlField('https://tts-rt.soniox.com'),
  ...keyFields,
  model: modelField.default(VOICE_MODEL),
  voices: voicesSchema,
})

export const sonioxTranscription = listedEngine({
  kind: 'transcription',
  schema: transcriptionSettings,
  key: SONIOX_KEY,
  create: (choice, { clock }) => sonioxRecognizer(choice, clock),
})

export const sonioxSynthesis = listedEngine({
  kind: 'synthesis',
  schema: synthesisSettings,
  key: SONIOX_KEY,
  create: (choice, { clock }) => new SonioxSynthesizer(choice, clock),
})

/** Sample rate of the voices (Hz). */
const VOICE_RATE = 24_000
/** Length of a request: all of its speech arrives within its timeout. */
const MOST_LETTERS = 400

/** Soniox' voices: samples, as they are made, from `POST /tts` (API reference, "Generate speech"). */
export class SonioxSynthesizer extends HttpSynthesizer {
  readonly #model: string

  constructor(
    choice: EngineHttpOptions & { readonly model: string; readonly voices: readonly ServerVoice[] },
    clock: Clock,
  ) {
    super({ name: 'soniox', mostLetters: MOST_LETTERS, atOnce: 15 }, choice, clock)
    this.#model = choice.model
  }

  protected async ask(
    text: string,
    { voice, language }: SpokenVoice,
    signal: AbortSignal,
  ): Promise<SpokenAnswer> {
    const answer = await this.http.open('/tts', {
      json: {
        model: this.#model,
        language: codesFor(language).at(-1),
        voice,
        audio_format: 'pcm_s16le',
        sample_rate: VOICE_RATE,
        text,
      },
      signal,
    })
    return new SpokenAnswer(answer, 'pcm', VOICE_RATE, { anyAudio: true })
  }
}

/** Maximum length of a stream (Soniox, Real-time API, "Limits & quotas"). */
const MOST_SESSION_MS = 300 * 60_000
/** Without audio, the service wants a message every 20 s; its own packages send one every 5 s. */
const KEEP_ALIVE_MS = 5_000

const tokenSchema = z.object({
  text: z.string(),
  is_final: z.boolean().nullish(),
  /** Position in the audio (ms); translations have none. */
  start_ms: z.number().nullish(),
  end_ms: z.number().nullish(),
  language: z.string().nullish(),
  /** Absent without translation; `none`: spoken in the target language. */
  translation_status: z.enum(['none', 'original', 'translation']).nullish(),
})
const resultSchema = z.object({
  tokens: z.array(tokenSchema).nullish(),
  final_audio_proc_ms: z.number().nullish(),
  error_code: z.number().nullish(),
})

/** A piece of text, usually shorter than a word. Final if `is_final`, otherwise valid until the next message. */
export type SonioxToken = z.infer<typeof tokenSchema>

interface SonioxResult {
  /** The final tokens come first. */
  readonly tokens: readonly SonioxToken[]
  /** End of the audio with final results, on this connection (ms). */
  readonly finalMs: number | undefined
}

/** Settings of a recognition session. */
export interface SonioxRequest {
  readonly model: string
  /** Code of the language that is probably spoken. */
  readonly hint: string
  /** Pause after which an utterance ends at the latest (ms). */
  readonly pauseMs: number
  readonly context: SonioxContext | undefined
  /** Code of the language to translate into; absent: no translation. */
  readonly target?: string
}

/** Names and terms of a session. */
interface SonioxContext {
  readonly terms: readonly string[] | undefined
  readonly translation_terms: readonly GlossaryEntry[] | undefined
  readonly text: string | undefined
}

/** Maximum number of terms in a context, whose size is limited to 10 000 letters (guide "Context"). */
const MOST_TERMS = 150

/** Returns the context of a session: terms, translations and topic of the vocabulary; undefined without any. */
export function sonioxContext({
  terms = [],
  glossary = [],
  about,
}: Pick<InterpretationRequest, 'terms' | 'glossary' | 'about'>): SonioxContext | undefined {
  if (terms.length === 0 && glossary.length === 0 && about === undefined) return undefined
  return {
    terms: terms.length === 0 ? undefined : terms.slice(0, MOST_TERMS),
    translation_terms: glossary.length === 0 ? undefined : glossary.slice(0, MOST_TERMS),
    text: about,
  }
}

/** Returns the fault for an error code: as in HTTP, and a 503 means that the session cannot continue here. */
function sonioxFault(code: number): SocketFault {
  const passing = code === 408 || code === 429 || code >= 500
  return new SocketFault(`answered ${code}`, { passing, code })
}

/** True for the token that marks the end of an utterance, or of the audio before a `finalize`. */
export function isSonioxEnd({ text }: SonioxToken): boolean {
  return text === '<end>' || text === '<fin>'
}

/**
 * The part that recognition with and without translation have in common (API reference, STT WebSocket API). The service
 * does not confirm a session: audio may follow its settings at once.
 */
export class SonioxSession {
  readonly #link: LiveLink
  readonly #request: SonioxRequest

  constructor(link: LiveLink, request: SonioxRequest) {
    this.#link = link
    this.#request = request
  }

  begin(): void {
    const { model, hint, pauseMs, context, target } = this.#request
    this.#link.send({
      model,
      audio_format: 'pcm_s16le',
      sample_rate: SAMPLE_RATE,
      num_channels: 1,
      language_hints: [hint],
      enable_language_identification: true,
      enable_endpoint_detection: true,
      max_endpoint_delay_ms: pauseMs,
      context,
      translation: target && { type: 'one_way', target_language: target },
    })
    this.#link.renewIn(MOST_SESSION_MS)
    this.#link.ready()
  }

  /** Reads a message of any type and content; undefined if it has no results. An error ends the connection. */
  read(message: unknown): SonioxResult | undefined {
    const { data } = resultSchema.safeParse(message)
    if (!data) return undefined
    const { tokens, final_audio_proc_ms: finalMs, error_code: code } = data
    if (code) {
      this.#link.fail(sonioxFault(code))
      return undefined
    }
    return { tokens: tokens ?? [], finalMs: finalMs ?? undefined }
  }

  audio(pcm: Int16Array): void {
    this.#link.sendBinary(bytesOf(pcm))
  }

  /** Requests final results for everything sent. */
  finalize(): void {
    this.#link.send({ type: 'finalize' })
  }

  keepAlive(): void {
    this.#link.send({ type: 'keepalive' })
  }

  finish(): void {
    this.#link.sendBinary(new Uint8Array(0))
  }
}

/** The text of an utterance in progress: final tokens, followed by tokens that the next message replaces. */
export class SonioxText {
  #final = ''
  #open = ''
  #startMs: number | undefined
  #finalEndMs: number | undefined
  #endMs: number | undefined
  #language: string | undefined

  /** Trimmed; empty without recognized speech. */
  get text(): string {
    return (this.#final + this.#open).trim()
  }

  /** Only the final tokens. */
  get finalText(): string {
    return this.#final.trim()
  }

  /** Position of the first token (ms of the connection), if known. */
  get startMs(): number | undefined {
    return this.#startMs
  }

  /** End of the last token. */
  get endMs(): number | undefined {
    return this.#endMs
  }

  /** End of the last final token. */
  get finalEndMs(): number | undefined {
    return this.#finalEndMs
  }

  /** Code of the language of the last token that names one. */
  get language(): string | undefined {
    return this.#language
  }

  /** A new message has come: it repeats the tokens that were not final. */
  message(): void {
    this.#open = ''
    this.#endMs = this.#finalEndMs
    if (this.#final === '') this.#startMs = undefined
  }

  add({ text, is_final: final, start_ms: start, end_ms: end, language }: SonioxToken): void {
    this.#startMs ??= start ?? undefined
    this.#endMs = end ?? this.#endMs
    this.#language = language ?? this.#language
    if (!final) {
      this.#open += text
      return
    }
    this.#final += text
    this.#finalEndMs = this.#endMs
  }
}

/** Audio as the protocol requires: as fast as it arrives, a recording or a repetition at most twice as fast. */
export const SONIOX_AUDIO = { rate: SAMPLE_RATE, chunkMs: 60, fastest: 2, keepAliveMs: KEEP_ALIVE_MS }

/** Live transcription by Soniox. It detects the language and the end of utterances. */
export function sonioxRecognizer(choice: TranscriptionSettings, clock: Clock): LiveRecognizer {
  const { url, apiKey, model, pauseMs } = choice
  return new LiveRecognizer('soniox', choice, clock, speech => {
    const request = { model, hint: primaryCode(speech.language), pauseMs, context: sonioxContext(speech) }
    return {
      ...SONIOX_AUDIO,
      address: () => sonioxAddress(url, apiKey),
      dialogue: link => new TranscriptionDialogue(link, new SonioxSession(link, request), speech),
    }
  })
}

/** Returns the address of recognition. A key in the first message is refused from 15 January 2027. */
export function sonioxAddress(url: string, apiKey: string | undefined) {
  return {
    url: socketUrl(url, '/transcribe-websocket'),
    headers: { authorization: apiKey && `Bearer ${apiKey}` },
  }
}

class TranscriptionDialogue implements LiveDialogue {
  readonly #link: LiveLink
  readonly #session: SonioxSession
  readonly #speech: LiveSpeech
  #text = new SonioxText()

  constructor(link: LiveLink, session: SonioxSession, speech: LiveSpeech) {
    this.#link = link
    this.#session = session
    this.#speech = speech
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
    if (this.busy || this.#speech.log.busy)
      this.#speech.log.partial({ ...this.#place(), stable: this.#text.finalText.length })
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
    this.#speech.log.retract()
  }

  #end(): void {
    const place = this.#place()
    const language = this.#speech.heard(this.#text.language)
    this.#text = new SonioxText()
    if (place.text === '' && !this.#speech.log.busy) return
    this.#speech.log.final({ ...place, language })
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
