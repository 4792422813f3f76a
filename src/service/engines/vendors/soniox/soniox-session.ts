import { z } from 'zod'
import { bytesOf, SAMPLE_RATE } from '../../../../transcode/pcm.ts'
import type { InterpretationRequest } from '../../engine.ts'
import { joinedTerms } from '../../vocabulary/vocabulary.ts'
import { SocketFault } from '../../wire/engine-socket.ts'
import type { LiveLink } from '../../wire/live-protocol.ts'

/** Maximum length of a stream (Soniox, Real-time API, "Limits & quotas"). */
const MOST_SESSION_MS = 300 * 60_000
/** Without audio, the service wants a message every 20 s; its own packages send one every 5 s. */
export const SONIOX_KEEP_ALIVE_MS = 5_000

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

export interface SonioxResult {
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
  readonly context: SonioxContext
  /** Code of the language to translate into; absent: no translation. */
  readonly target?: string
}

/** Names and terms of a session. */
export interface SonioxContext {
  readonly terms?: readonly string[]
  readonly translation_terms?: readonly { readonly source: string; readonly target: string }[]
  readonly text?: string
}

/** Maximum number of terms in a context, whose size is limited to 10 000 letters (guide "Context"). */
const MOST_TERMS = 150

/** Returns the context of a session: the engine's own terms and those of the vocabulary, its translations and topic. */
export function sonioxContext(
  own: readonly string[],
  { terms = [], glossary = [], about }: Pick<InterpretationRequest, 'terms' | 'glossary' | 'about'>,
): SonioxContext {
  const expected = joinedTerms(own, terms, MOST_TERMS)
  return {
    ...(expected.length === 0 ? {} : { terms: expected }),
    ...(glossary.length === 0 ? {} : { translation_terms: glossary.slice(0, MOST_TERMS) }),
    ...(about === undefined ? {} : { text: about }),
  }
}

/** Returns the fault for an error code: as in HTTP, and a 503 means that the session cannot continue here. */
export function sonioxFault(code: number): SocketFault {
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
      ...(Object.keys(context).length === 0 ? {} : { context }),
      ...(target === undefined ? {} : { translation: { type: 'one_way', target_language: target } }),
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
