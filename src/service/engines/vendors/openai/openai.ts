import { z } from 'zod'
import type { Clock } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import { SAMPLE_RATE } from '../../../../transcode/pcm.ts'
import { encodeWav } from '../../../../transcode/wav.ts'
import {
  EngineError,
  type HearingOptions,
  type SpeechStream,
  type SpeechToText,
  type TranscriptSink,
} from '../../engine.ts'
import type { ServerVoice } from '../../fields.ts'
import { primaryCode } from '../../languages.ts'
import { EngineHttp, type HttpAnswer, HttpFault } from '../../wire/http-client.ts'
import { HttpSynthesizer, SpokenAnswer } from '../../wire/http-synthesizer.ts'
import { UtteranceStream } from '../../wire/utterance-stream.ts'
import type { OpenAiSynthesizerOptions, OpenAiTranscriberOptions } from '../remote-settings.ts'

/** Yields the `data` of server-sent events (WHATWG HTML, "Server-sent events") from bytes in arbitrary pieces. */
export async function* eventData(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  for await (const piece of bytes) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
      if (line !== '' || data.length === 0) continue
      yield data.join('\n')
      data = []
    }
  }
  // A last event without the empty line after it: some servers just close the stream.
  if (rest.startsWith('data:')) data.push(rest.slice(5).replace(/^ /, ''))
  if (data.length > 0) yield data.join('\n')
}

/** Maximum length of `input` in one request. */
const MOST_LETTERS = 4_096

/** Speech synthesis at `POST /v1/audio/speech`. */
export class OpenAiSynthesizer extends HttpSynthesizer {
  readonly #options: OpenAiSynthesizerOptions

  constructor(options: OpenAiSynthesizerOptions, clock: Clock) {
    super({ name: 'openai-speech', prefix: 'openai', mostLetters: MOST_LETTERS }, options, clock)
    this.#options = options
  }

  protected async ask(input: string, { voice }: ServerVoice, signal: AbortSignal): Promise<SpokenAnswer> {
    const { model, format, speed, pcmRate } = this.#options
    const answer = await this.http.open('/v1/audio/speech', {
      // Some models reject `speed`, even when it is the default.
      json: { model, input, voice, response_format: format, ...(speed === 1 ? {} : { speed }) },
      signal,
    })
    return new SpokenAnswer(answer, format, pcmRate)
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
  readonly #options: OpenAiTranscriberOptions
  readonly #http: EngineHttp
  readonly #clock: Clock
  readonly #dialect = new RequestDialect(PARTS)

  constructor(options: OpenAiTranscriberOptions, clock: Clock) {
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
    const { model, format, streaming, prompt = about } = this.#options
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
    const hint = lists ? prompt : promptWith(prompt, terms)
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

/** A part of a request that servers of the same protocol accept in different forms. */
export interface DialectPart {
  /** Parameters whose rejection means that this part has to change. */
  readonly parameters: readonly string[]
  /** Number of forms, the preferred first. */
  readonly forms: number
  /** Changes only when the server names the parameter, because the other forms lose something. */
  readonly onlyIfNamed?: boolean
}

/** Form of each part of a request, by the name of the part. */
type Dialect<P extends string> = Readonly<Record<P, number>>

/** Statuses with which servers reject a parameter: OpenAI returns 400, servers based on FastAPI 422. */
const REJECTED: readonly (number | undefined)[] = [400, 422]

/**
 * Finds the form of a request that a server accepts. A request rejected for a parameter is sent again with the next
 * form of that part; a rejection that names no parameter advances every part that allows it. The accepted form is
 * remembered for the server, so this costs one extra request per server, not one per call.
 */
export class RequestDialect<P extends string> {
  readonly #options: Readonly<Record<P, DialectPart>>
  #accepted: Dialect<P>

  constructor(fields: Readonly<Record<P, DialectPart>>) {
    this.#options = fields
    this.#accepted = Object.fromEntries(Object.keys(fields).map(name => [name, 0])) as Dialect<P>
  }

  /** All parameters whose rejection is handled. */
  get parameters(): readonly string[] {
    return Object.values<DialectPart>(this.#options).flatMap(({ parameters }) => parameters)
  }

  /** Sends a request in the form accepted so far, then in further forms. Rejects like `send` when no form remains. */
  async send<T>(send: (dialect: Dialect<P>) => Promise<T>): Promise<T> {
    let dialect = this.#accepted
    for (;;) {
      try {
        const result = await send(dialect)
        this.#accepted = dialect
        return result
      } catch (error) {
        const next = this.#next(dialect, error)
        if (!next) throw error
        dialect = next
      }
    }
  }

  #next(dialect: Dialect<P>, error: unknown): Dialect<P> | undefined {
    const fault = error instanceof EngineError ? error.cause : error
    if (!(fault instanceof HttpFault) || !REJECTED.includes(fault.status)) return undefined
    const parts = Object.entries<DialectPart>(this.#options) as [P, DialectPart][]
    const { parameter } = fault
    const moving = parts
      .filter(([, part]) =>
        parameter === undefined ? !part.onlyIfNamed : part.parameters.includes(parameter),
      )
      .filter(([name, { forms }]) => dialect[name] + 1 < forms)
    if (moving.length === 0) return undefined
    return { ...dialect, ...Object.fromEntries(moving.map(([name]) => [name, dialect[name] + 1])) }
  }
}
