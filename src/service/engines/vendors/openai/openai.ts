import { z } from 'zod'
import type { Clock } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import { SAMPLE_RATE } from '../../../../transcode/pcm.ts'
import { encodeWav } from '../../../../transcode/wav.ts'
import {
  languagesSchema,
  listedEngine,
  modelField,
  pauseField,
  type ServerVoice,
  type SettingsOf,
  serverEntry,
  serverFields,
  speedField,
  voicesSchema,
} from '../../definition.ts'
import type { HearingOptions, SpeechStream, SpeechToText, TranscriptSink } from '../../engine.ts'
import { primaryCode } from '../../languages.ts'
import { EngineHttp, type HttpAnswer, HttpFault } from '../../wire/http-client.ts'
import { HttpSynthesizer, SpokenAnswer } from '../../wire/http-synthesizer.ts'
import { eventData } from '../../wire/server-sent-events.ts'
import { UtteranceStream } from '../../wire/utterance-stream.ts'
import { type Dialect, OPENAI_KEY, OPENAI_QUESTION, RequestDialect } from './dialect.ts'

const transcriptionSettings = serverEntry('openai', {
  ...serverFields,
  model: modelField,
  languages: languagesSchema,
  // `verbose_json` includes the confidence of the model, by which noise is filtered out; some models support only `json`.
  format: z
    .enum(['verbose_json', 'json'])
    .default('verbose_json')
    .meta({ about: 'Requested response format.' }),
  streaming: z.boolean().default(false).meta({ about: 'Request partial texts.' }),
  pauseMs: pauseField(100, 3_000, 400),
})
type TranscriptionSettings = SettingsOf<typeof transcriptionSettings>

const synthesisSettings = serverEntry('openai', {
  ...serverFields,
  model: modelField,
  voices: voicesSchema,
  format: z.enum(['pcm', 'wav', 'mp3']).default('pcm').meta({ about: 'Requested response format.' }),
  speed: speedField(0.25, 4),
})
type SynthesisSettings = SettingsOf<typeof synthesisSettings>

export const openAiTranscription = listedEngine({
  kind: 'transcription',
  schema: transcriptionSettings,
  key: OPENAI_KEY,
  question: OPENAI_QUESTION,
  create: (choice, { clock }) => new OpenAiTranscriber(choice, clock),
})

export const openAiSynthesis = listedEngine({
  kind: 'synthesis',
  schema: synthesisSettings,
  key: OPENAI_KEY,
  question: OPENAI_QUESTION,
  create: (choice, { clock }) => new OpenAiSynthesizer(choice, clock),
})

/** Maximum length of `input` in one request. */
const MOST_LETTERS = 4_096
/** Sample rate of headerless samples (Hz). */
const PCM_RATE = 24_000

/** Speech synthesis at `POST /v1/audio/speech`. */
export class OpenAiSynthesizer extends HttpSynthesizer {
  readonly #options: SynthesisSettings

  constructor(options: SynthesisSettings, clock: Clock) {
    super({ name: 'openai-speech', prefix: 'openai', mostLetters: MOST_LETTERS }, options, clock)
    this.#options = options
  }

  protected async ask(input: string, { voice }: ServerVoice, signal: AbortSignal): Promise<SpokenAnswer> {
    const { model, format, speed } = this.#options
    const answer = await this.http.open('/v1/audio/speech', {
      // Some models reject `speed`, even when it is the default.
      json: { model, input, voice, response_format: format, speed: speed === 1 ? undefined : speed },
      signal,
    })
    return new SpokenAnswer(answer, format, PCM_RATE)
  }
}

/** A segment is noise if the model reports no speech and a low confidence (the rule of Whisper's own decoder). */
const NO_SPEECH = 0.6
const UNSURE_LOGPROB = -1
/** Compression ratio above which a text is a repetition. */
const REPEATING = 2.4

const segmentSchema = z.object({
  text: z.string(),
  no_speech_prob: z.number().nullish(),
  avg_logprob: z.number().nullish(),
  compression_ratio: z.number().nullish(),
})
const replySchema = z.object({ text: z.string(), segments: z.array(segmentSchema).nullish() })

/** Returns the text of a `json` or `verbose_json` response, without noise segments. Throws an `HttpFault`. */
export function transcriptOf(reply: unknown): string {
  const parsed = replySchema.safeParse(reply)
  if (!parsed.success) throw new HttpFault('returned JSON without a text')
  const { text, segments } = parsed.data
  return tidy(
    segments
      ? segments
          .filter(isSpeech)
          .map(segment => segment.text)
          .join(' ')
      : text,
  )
}

function isSpeech(segment: z.infer<typeof segmentSchema>): boolean {
  const { no_speech_prob: none, avg_logprob: sure, compression_ratio: ratio } = segment
  if ((none ?? 0) > NO_SPEECH && (sure ?? Number.NEGATIVE_INFINITY) < UNSURE_LOGPROB) return false
  return (ratio ?? 0) <= REPEATING
}

const eventSchema = z.union([
  z.object({ type: z.literal('transcript.text.delta'), delta: z.string() }),
  z.object({ type: z.literal('transcript.text.done'), text: z.string() }),
  z.object({ choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }) })) }),
  segmentSchema,
])

/**
 * The text of a streamed response as it grows, in any of the formats that servers use: deltas and a last event with the
 * whole text; one text per segment and no last event; or chat deltas. Ignores other events.
 */
class GrowingTranscript {
  #text = ''
  #done = false
  #events = 0

  get text(): string {
    return tidy(this.#text)
  }

  /**
   * Processes the data of one event; returns true if the text has possibly changed. Throws an `HttpFault` for invalid
   * events.
   */
  take(data: string): boolean {
    if (data === '[DONE]' || this.#done) return false
    const event = eventSchema.safeParse(parsed(data))
    if (!event.success) return false
    this.#events++
    if ('delta' in event.data) this.#text += event.data.delta
    else if ('choices' in event.data) this.#text += event.data.choices[0]?.delta.content ?? ''
    else if ('type' in event.data) {
      this.#text = event.data.text
      this.#done = true
    } else if (isSpeech(event.data)) this.#text += ` ${event.data.text}`
    return true
  }

  /** Ends the response and returns the text. Throws an `HttpFault` if there was no event. */
  end(): string {
    if (this.#events === 0) throw new HttpFault('returned a stream without a text')
    return this.text
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    throw new HttpFault('streamed data that is not JSON')
  }
}

function tidy(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
}

/** The models that succeed Whisper at OpenAI reject `verbose_json`, and may reject `temperature` and `language`. */
const PARTS = {
  format: { parameters: ['response_format'], forms: 2 },
  temperature: { parameters: ['temperature'], forms: 2 },
  language: { parameters: ['language', 'languages'], forms: 2, onlyIfNamed: true },
}
/** These accept lists of languages and keywords instead of one language (cookbook, "Migrate from Whisper"). */
const MODELS_WITH_LISTS = /^gpt-transcribe/
/** Whisper reads the last 224 tokens of a prompt (guide "Speech to text"). */
const PROMPT_LETTERS = 600

/** Maximum size of a streamed response (bytes). */
const MOST_BYTES = 4 << 20

/** Speech recognition at `POST /v1/audio/transcriptions`: whole utterances, split by level. */
export class OpenAiTranscriber implements SpeechToText {
  readonly name = 'openai-transcription'
  readonly takesTerms = true
  readonly languages: readonly LanguageId[]
  readonly #options: TranscriptionSettings
  readonly #http: EngineHttp
  readonly #clock: Clock
  readonly #dialect = new RequestDialect(PARTS)

  constructor(options: TranscriptionSettings, clock: Clock) {
    this.languages = options.languages
    this.#options = options
    this.#clock = clock
    this.#http = new EngineHttp('transcription', this.name, options, clock)
  }

  /** Rejects with an `EngineError` during the cooldown after failures, so that another engine can take over. */
  async open(language: LanguageId, sink: TranscriptSink, hints: HearingOptions = {}): Promise<SpeechStream> {
    if (!this.languages.includes(language))
      throw new RangeError(`${this.name} understands ${this.languages.join(', ')}, asked for ${language}`)
    if (this.#http.resting) throw this.#http.error('has failed several times and is skipped temporarily')
    return new UtteranceStream(
      sink,
      (pcm, partial, signal) => this.#transcribe({ language, hints, pcm, partial, signal }),
      this.#options,
      this.#clock,
    )
  }

  async close(): Promise<void> {
    this.#http.close()
  }

  async #transcribe({
    language,
    hints,
    pcm,
    partial,
    signal,
  }: {
    readonly language: LanguageId
    readonly hints: HearingOptions
    readonly pcm: Int16Array
    readonly partial: (text: string) => void
    readonly signal: AbortSignal
  }): Promise<string> {
    const optional = this.#dialect.parameters
    return this.#dialect.send(dialect => {
      const body = this.#form(language, hints, pcm, dialect)
      return this.#http.read('/v1/audio/transcriptions', { body, signal, optional }, async answer => {
        if (answer.type !== 'text/event-stream') return transcriptOf(await answer.json(MOST_BYTES))
        return streamed(answer, partial)
      })
    })
  }

  #form(
    language: LanguageId,
    { terms = [], about }: HearingOptions,
    pcm: Int16Array,
    dialect: Dialect<keyof typeof PARTS>,
  ): FormData {
    const { model, format, streaming } = this.#options
    const lists = MODELS_WITH_LISTS.test(model)
    const form = new FormData()
    const wav = encodeWav(pcm, SAMPLE_RATE)
    form.set('file', new Blob([wav as Uint8Array<ArrayBuffer>], { type: 'audio/wav' }), 'utterance.wav')
    form.set('model', model)
    if (dialect.language === 0) form.set(lists ? 'languages[]' : 'language', primaryCode(language))
    form.set('response_format', dialect.format === 0 ? format : 'json')
    if (dialect.temperature === 0) form.set('temperature', '0')
    if (streaming) form.set('stream', 'true')
    if (lists) for (const term of terms) form.append('keywords[]', term)
    const hint = lists ? about : promptWith(about, terms)
    if (hint !== undefined) form.set('prompt', hint)
    return form
  }
}

/** Adds terms to a prompt, as far as a model of Whisper reads it. Undefined if there is nothing to say. */
function promptWith(prompt: string | undefined, terms: readonly string[]): string | undefined {
  let hint = prompt ?? ''
  for (const [index, term] of terms.entries()) {
    const next = index === 0 ? `${hint} ${term}`.trim() : `${hint}, ${term}`
    if (next.length > PROMPT_LETTERS) break
    hint = next
  }
  return hint === '' ? undefined : hint
}

async function streamed(answer: HttpAnswer, partial: (text: string) => void): Promise<string> {
  const transcript = new GrowingTranscript()
  for await (const data of eventData(answer.bytes(MOST_BYTES)))
    if (transcript.take(data)) partial(transcript.text)
  return transcript.end()
}
