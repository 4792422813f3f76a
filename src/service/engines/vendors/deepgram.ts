import { z } from 'zod'
import type { Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import { bytesOf, SAMPLE_RATE } from '../../../transcode/pcm.ts'
import {
  keyFields,
  languagesSchema,
  listedEngine,
  modelField,
  pauseField,
  type SettingsOf,
  serverEntry,
  urlField,
} from '../definition.ts'
import { primaryCode } from '../languages.ts'
import { type SocketAddress, SocketFault, socketUrl } from '../wire/engine-socket.ts'
import type { LiveDialogue, LiveLink, LiveProtocol } from '../wire/live-protocol.ts'
import { LiveRecognizer, type LiveSpeech } from '../wire/live-recognizer.ts'

/** Pause after which Nova ends an utterance that noise keeps open: at least 1 s (API reference, `utterance_end_ms`). */
const UTTERANCE_END_MS = 1_000
/** The service closes a connection after 10 s without audio or `KeepAlive`, which it asks for every 3 to 5 s. */
const KEEP_ALIVE_MS = 4_000
/** Maximum number of terms of a request (guide "Keyterm prompting"). */
const MOST_TERMS = 100

const settings = serverEntry('deepgram', {
  url: urlField('https://api.deepgram.com'),
  ...keyFields,
  model: modelField.default('nova-3'),
  languages: languagesSchema,
  pauseMs: pauseField(100, 5_000, 300),
})
type Settings = SettingsOf<typeof settings>

export const deepgram = listedEngine({
  kind: 'transcription',
  schema: settings,
  key: { variable: 'DEEPGRAM_API_KEY', hosts: /^api\.deepgram\.com$/ },
  create: (choice, { clock }) => deepgramRecognizer(choice, clock),
})

/** Live transcription by Deepgram: Nova at `/v1/listen`, and Flux, which predicts the end of a turn, at `/v2/listen`. */
export function deepgramRecognizer(choice: Settings, clock: Clock): LiveRecognizer {
  return new LiveRecognizer('deepgram', choice, clock, speech =>
    choice.model.startsWith('flux') ? fluxProtocol(choice, speech) : novaProtocol(choice, speech),
  )
}

function novaProtocol({ pauseMs, ...choice }: Settings, speech: LiveSpeech): LiveProtocol {
  const query = {
    ...{ language: primaryCode(speech.language), channels: '1', interim_results: 'true' },
    ...{ smart_format: 'true', vad_events: 'false' },
    ...{ endpointing: String(pauseMs), utterance_end_ms: String(UTTERANCE_END_MS) },
  }
  return {
    rate: SAMPLE_RATE,
    chunkMs: 60,
    keepAliveMs: KEEP_ALIVE_MS,
    address: () => addressOf('/v1/listen', choice, query, speech.terms),
    dialogue: link => new NovaDialogue(link, speech),
  }
}

function fluxProtocol(choice: Settings, speech: LiveSpeech): LiveProtocol {
  const query = { language_hint: primaryCode(speech.language) }
  return {
    rate: SAMPLE_RATE,
    chunkMs: 80,
    // Its messages have no `KeepAlive`.
    continuous: true,
    address: () => addressOf('/v2/listen', choice, query, speech.terms),
    dialogue: link => new FluxDialogue(link, speech),
  }
}

function addressOf(
  path: string,
  { url, apiKey, model }: Pick<Settings, 'url' | 'apiKey' | 'model'>,
  query: Readonly<Record<string, string>>,
  terms: readonly string[],
): SocketAddress {
  const audio = { encoding: 'linear16', sample_rate: String(SAMPLE_RATE) }
  const search = new URLSearchParams({ model, ...audio, ...query })
  for (const term of terms.slice(0, MOST_TERMS)) search.append('keyterm', term)
  return {
    url: socketUrl(url, `${path}?${search}`),
    headers: { authorization: apiKey && `Token ${apiKey}` },
  }
}

const alternativeSchema = z.object({
  transcript: z.string(),
  words: z.array(z.object({ confidence: z.number() })).nullish(),
  languages: z.array(z.string()).nullish(),
})
const resultsSchema = z.object({
  type: z.literal('Results'),
  start: z.number(),
  duration: z.number(),
  is_final: z.boolean().nullish(),
  speech_final: z.boolean().nullish(),
  from_finalize: z.boolean().nullish(),
  channel: z.object({ alternatives: z.array(alternativeSchema) }),
})
const errorSchema = z.object({ type: z.literal('Error'), code: z.string().nullish() })

/** Codes of `Error` after which another connection may succeed. */
const PASSING = /^(NET-|INTERNAL|SERVER|TIMEOUT|RATE)/

/** Ends the connection for a message that reports an error. Returns false for any other message. */
function failedWith(message: unknown, link: LiveLink): boolean {
  const { data } = errorSchema.safeParse(message)
  if (!data) return false
  const code = /^[A-Z0-9_-]{1,40}$/.test(data.code ?? '') ? data.code! : 'an error'
  link.fail(new SocketFault(`answered ${code}`, { passing: PASSING.test(code) }))
  return true
}

/** Nova: an utterance is made of pieces with `is_final`, up to the one with `speech_final`, or `UtteranceEnd`. */
class NovaDialogue implements LiveDialogue {
  readonly #link: LiveLink
  readonly #speech: LiveSpeech
  /** The final pieces of the utterance in progress. */
  #pieces: string[] = []
  /** Confidence of their words. */
  #confidence: number[] = []
  #startMs: number | undefined
  #endMs = 0
  #language: LanguageId | undefined

  constructor(link: LiveLink, speech: LiveSpeech) {
    this.#link = link
    this.#speech = speech
  }

  get busy(): boolean {
    return this.#startMs !== undefined
  }

  /** Everything is in the address. */
  begin(): void {
    this.#link.ready()
  }

  message(message: unknown): void {
    if (failedWith(message, this.#link)) return
    if ((message as { type?: unknown } | null)?.type === 'UtteranceEnd') this.#end()
    const { data } = resultsSchema.safeParse(message)
    if (data) this.#results(data)
  }

  audio(pcm: Int16Array): void {
    this.#link.sendBinary(bytesOf(pcm))
  }

  pause(): void {
    this.#link.send({ type: 'Finalize' })
  }

  keepAlive(): void {
    this.#link.send({ type: 'KeepAlive' })
  }

  finish(): void {
    this.#link.send({ type: 'CloseStream' })
  }

  ended(): void {
    this.#pieces = []
    this.#confidence = []
    this.#startMs = undefined
    this.#speech.log.retract()
  }

  #results(results: z.infer<typeof resultsSchema>): void {
    const { start, duration, is_final: final, speech_final: last, from_finalize: asked, channel } = results
    const [{ transcript = '', words, languages } = { transcript: '' }] = channel.alternatives
    const text = transcript.trim()
    const endMs = this.#link.streamMs((start + duration) * 1_000)
    if (text !== '') {
      this.#startMs ??= this.#link.streamMs(start * 1_000)
      this.#language = this.#speech.heard(languages?.[0]) ?? this.#language
      this.#endMs = endMs
      if (final) {
        this.#pieces.push(text)
        this.#confidence.push(...(words ?? []).map(({ confidence }) => confidence))
      }
      const whole = final ? this.#pieces : [...this.#pieces, text]
      const stable = this.#pieces.join(' ').length
      this.#speech.log.partial({ text: whole.join(' '), startMs: this.#startMs, endMs, stable })
    }
    if (final && (last || asked)) this.#end()
    // Silence that was looked through need not be repeated.
    else if (final && !this.busy) this.#link.answered(endMs)
  }

  #end(): void {
    if (this.#startMs === undefined) return
    const [startMs, endMs] = [this.#startMs, this.#endMs]
    const [text, confidence, language] = [this.#pieces.join(' '), this.#confidence, this.#language]
    this.#speech.log.final({ text, startMs, endMs, language, confidence })
    this.#pieces = []
    this.#confidence = []
    this.#startMs = undefined
    this.#language = undefined
    this.#link.answered(endMs)
  }
}

const turnSchema = z.object({
  type: z.literal('TurnInfo'),
  event: z.string(),
  turn_index: z.number(),
  transcript: z.string(),
  audio_window_start: z.number().nullish(),
  audio_window_end: z.number().nullish(),
  languages: z.array(z.string()).nullish(),
})

/** Flux: each message has the whole text of the present turn. */
class FluxDialogue implements LiveDialogue {
  readonly #link: LiveLink
  readonly #speech: LiveSpeech

  constructor(link: LiveLink, speech: LiveSpeech) {
    this.#link = link
    this.#speech = speech
  }

  get busy(): boolean {
    return this.#speech.log.busy
  }

  begin(): void {
    this.#link.ready()
  }

  message(message: unknown): void {
    if (failedWith(message, this.#link)) return
    const { data } = turnSchema.safeParse(message)
    if (!data) return
    const { event, transcript, audio_window_start: start, audio_window_end: end, languages } = data
    const endMs = this.#link.streamMs(end == null ? this.#link.sentMs : end * 1_000)
    const startMs = start == null ? this.#link.speechFromMs : this.#link.streamMs(start * 1_000)
    const text = transcript.trim()
    if (event !== 'EndOfTurn') {
      this.#speech.log.partial({ text, startMs, endMs })
      return
    }
    this.#speech.log.final({ text, startMs, endMs, language: this.#speech.heard(languages?.[0]) })
    this.#link.answered(endMs)
  }

  audio(pcm: Int16Array): void {
    this.#link.sendBinary(bytesOf(pcm))
  }

  finish(): void {
    this.#link.send({ type: 'CloseStream' })
  }

  ended(): void {
    this.#speech.log.retract()
  }
}
