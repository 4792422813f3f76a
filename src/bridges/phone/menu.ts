import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLanguageId, type LanguageId } from '../../common/language.ts'
import { sameSecret } from '../../common/secrets.ts'
import { type Announcer, NOTICES, type NoticeName } from '../../core/model/announcer.ts'
import { markAuthenticated } from '../../net/request-guard.ts'
import { concat, SAMPLE_RATE } from '../../transcode/pcm.ts'
import { createResampler } from '../../transcode/resample/resampler.ts'
import { encodeWav } from '../../transcode/wav.ts'
import type { CallInstructions, Instructions } from './carrier.ts'
import {
  type Answers,
  type CallerPrompt,
  LANGUAGE_FIELD,
  queryOf,
  type WebhookCall,
} from './incoming-call.ts'

/** Fields of our URLs with the question and the number of attempts. They are signed with the whole URL. */
const ASKED_FIELD = 'dragoman-ask'
const TRY_FIELD = 'dragoman-try'
/** Maximum attempts before the call is ended. */
const MOST_TRIES = 3
/** Maximum pause before and between keys (s). */
const KEY_SECONDS = 6
/** Format of room codes; anything else is not looked up. */
const ROOM_CODE = /^\d{4,12}$/

/** Result of a key press: an answer to continue with, or instructions to send. */
export type MenuStep =
  | { readonly kind: 'answered'; readonly answers: Answers; readonly tries: number }
  | { readonly kind: 'asked'; readonly instructions: Instructions }

/**
 * Menus before a call. Stateless: the question and the number of attempts are in the
 * next URL, so a redelivered webhook gets the same response.
 */
export class Menu {
  readonly #instructions: CallInstructions
  readonly #prompts: Prompts
  readonly #url: (query: URLSearchParams) => string

  /** `url` returns the address that receives the keys. */
  constructor(instructions: CallInstructions, prompts: Prompts, url: (query: URLSearchParams) => string) {
    this.#instructions = instructions
    this.#prompts = prompts
    this.#url = url
  }

  /** Asks `question` for attempt `tries + 1`, or says goodbye after the last attempt. `query` is preserved. */
  ask(question: CallerPrompt, query: URLSearchParams, tries = 0): Instructions {
    if (tries >= MOST_TRIES) return this.#goodbye(question)
    const next = new URLSearchParams(query)
    next.set(ASKED_FIELD, question.ask)
    next.set(TRY_FIELD, String(tries + 1))
    const keys = question.ask === 'language' ? 1 : undefined
    return this.#instructions.gatherKeys({
      playUrls: this.#questionUrls(question),
      actionUrl: this.#url(next),
      pauseSeconds: KEY_SECONDS,
      keys,
    })
  }

  /** Plays `notice` and hangs up. */
  tell(notice: Parameters<Prompts['url']>[0], language: LanguageId): Instructions {
    return this.#instructions.playAndHangUp([this.#prompts.url(notice, language)])
  }

  /** Reads the keys pressed for `question`, the question that is currently due. */
  read(question: CallerPrompt, incoming: WebhookCall, query: URLSearchParams): MenuStep {
    const tries = Number(incoming.query[TRY_FIELD]) || 0
    // Ignores keys for a question other than the current one, in case the menu has changed.
    const digits = incoming.query[ASKED_FIELD] === question.ask ? incoming.digits : ''
    if (question.ask === 'room-code') {
      if (ROOM_CODE.test(digits)) return { kind: 'answered', answers: { roomCode: digits }, tries }
      return { kind: 'asked', instructions: this.ask({ ...question, wrong: digits !== '' }, query, tries) }
    }
    const language = /^[1-9]$/.test(digits) ? question.languages[Number(digits) - 1] : undefined
    if (language === undefined) return { kind: 'asked', instructions: this.ask(question, query, tries) }
    query.set(LANGUAGE_FIELD, language)
    return { kind: 'answered', answers: { language }, tries: 0 }
  }

  #questionUrls(question: CallerPrompt): string[] {
    if (question.ask === 'language')
      return question.languages.map((language, at) =>
        this.#prompts.url('choose-language', language, { key: String(at + 1) }),
      )
    const { language, wrong = false } = question
    const ask = this.#prompts.url('enter-room-code', language)
    return wrong ? [this.#prompts.url('wrong-room-code', language), ask] : [ask]
  }

  #goodbye(question: CallerPrompt): Instructions {
    if (question.ask === 'language')
      return this.#instructions.playAndHangUp(
        question.languages.slice(0, 1).map(language => this.#prompts.url('goodbye', language)),
      )
    const { language, wrong = false } = question
    const goodbye = this.#prompts.url('goodbye', language)
    return this.#instructions.playAndHangUp(
      wrong ? [this.#prompts.url('wrong-room-code', language), goodbye] : [goodbye],
    )
  }
}

/** Returns the query of `text` without the fields of the menu. */
export function withoutMenu(text: string): URLSearchParams {
  const query = new URLSearchParams(text)
  query.delete(ASKED_FIELD)
  query.delete(TRY_FIELD)
  return query
}

const LINE_RATE = 8_000
/** Cache lifetime of a prompt at the carrier (s). Tones played instead of a voice are not cached. */
const KEEP_SECONDS = 86_400

export interface PromptOptions {
  readonly announcer: Announcer
  /** Secrets that sign the addresses: the first signs, all are accepted. */
  readonly keys: readonly string[]
  /** Returns the public address of a path of the bridge’s sounds. */
  readonly url: (path: string) => string
}

/**
 * Serves menu prompts as sounds that the carrier fetches. They come from the announcer, so that menus use the
 * same voice and recordings as calls. An address contains all parameters and is signed, so any instance with the same
 * keys can serve it, and clients can only fetch prompts that we offered.
 */
export class Prompts {
  readonly #options: PromptOptions

  constructor(options: PromptOptions) {
    this.#options = options
  }

  /** Returns the address of a notice and starts preparing it. */
  url(notice: NoticeName, language: LanguageId, values: Readonly<Record<string, string>> = {}): string {
    const { announcer, keys, url } = this.#options
    void announcer.notice(notice, language, values)
    const query = new URLSearchParams(values).toString()
    const path = `${sign(keys[0] ?? '', notice, language, query)}/${notice}/${language}.wav`
    return url(query === '' ? path : `${path}?${query}`)
  }

  /** Handles a request for `:signature/:notice/:language.wav`. */
  async serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { signature, notice, language } = request.params as Record<string, string>
    const query = queryOf(request)
    const known = NOTICES.find(name => name === notice)
    if (!known || !language || !isLanguageId(language)) return reply.code(404).send()
    const signed = this.#options.keys.filter(key =>
      sameSecret(signature ?? '', sign(key, known, language, query)),
    )
    if (signed.length === 0) return reply.code(404).send()
    markAuthenticated(request.raw)
    const values = Object.fromEntries(new URLSearchParams(query))
    const { name, pcm } = await this.#options.announcer.notice(known, language, values)
    const keep = name.startsWith('notice ') ? `public, max-age=${KEEP_SECONDS}` : 'no-store'
    return reply.type('audio/wav').header('cache-control', keep).send(lineWav(pcm))
  }
}

function sign(key: string, notice: string, language: string, query: string): string {
  return createHmac('sha256', key).update(`prompt\n${notice}\n${language}\n${query}`).digest('base64url')
}

/** Converts `pcm` of 16 kHz to a WAV file at the phone’s sample rate, which the carrier plays anyway. */
function lineWav(pcm: Int16Array): Buffer {
  const resampler = createResampler(SAMPLE_RATE, LINE_RATE)
  const line = concat([resampler.process(pcm).slice(), resampler.flush()])
  return Buffer.from(encodeWav(line, LINE_RATE))
}
