import type { LanguageId } from '../../common/language.ts'
import { LANGUAGE_FIELD } from '../twilio/incoming-call.ts'
import type { IncomingCall } from '../twilio/options.ts'
import { gatherKeys, playAndHangUp } from '../twilio/twiml.ts'
import type { Prompts } from './prompts.ts'
import type { Answers, Question } from './question.ts'

/** Fields of our URLs with the question and the number of attempts. They are signed with the whole URL. */
const ASKED_FIELD = 'dragoman-ask'
const TRY_FIELD = 'dragoman-try'
/** Maximum attempts before the call is ended. */
const MOST_TRIES = 3
/** Maximum pause before and between keys (s). */
const KEY_SECONDS = 6
/** Format of room codes; anything else is not looked up. */
const ROOM_CODE = /^\d{4,12}$/

/** Result of a key press: an answer to continue with, or a document to send. */
export type MenuStep =
  | { readonly kind: 'answered'; readonly answers: Answers; readonly tries: number }
  | { readonly kind: 'asked'; readonly twiml: string }

/**
 * Menus before a call, as TwiML (Twilio: `<Gather>`). Stateless: the question and the number of attempts are in the
 * next URL, so a redelivered webhook gets the same response.
 */
export class Menu {
  readonly #prompts: Prompts
  readonly #url: (query: URLSearchParams) => string

  /** `url` returns the address that receives the keys. */
  constructor(prompts: Prompts, url: (query: URLSearchParams) => string) {
    this.#prompts = prompts
    this.#url = url
  }

  /** Asks `question` for attempt `tries + 1`, or says goodbye after the last attempt. `query` is preserved. */
  ask(question: Question, query: URLSearchParams, tries = 0): string {
    if (tries >= MOST_TRIES) return this.#goodbye(question)
    const next = new URLSearchParams(query)
    next.set(ASKED_FIELD, question.ask)
    next.set(TRY_FIELD, String(tries + 1))
    const keys = question.ask === 'language' ? 1 : undefined
    return gatherKeys({
      playUrls: this.#questionUrls(question),
      actionUrl: this.#url(next),
      pauseSeconds: KEY_SECONDS,
      ...(keys === undefined ? {} : { keys }),
    })
  }

  /** Plays `notice` and hangs up. */
  tell(notice: Parameters<Prompts['url']>[0], language: LanguageId): string {
    return playAndHangUp([this.#prompts.url(notice, language)])
  }

  /** Reads the keys pressed for `question`, the question that is currently due. */
  read(question: Question, incoming: IncomingCall, query: URLSearchParams): MenuStep {
    const tries = Number(incoming.query[TRY_FIELD]) || 0
    // Ignores keys for a question other than the current one, in case the menu has changed.
    const digits = incoming.query[ASKED_FIELD] === question.ask ? (incoming.parameters.Digits ?? '') : ''
    if (question.ask === 'room-code') {
      if (ROOM_CODE.test(digits)) return { kind: 'answered', answers: { roomCode: digits }, tries }
      return { kind: 'asked', twiml: this.ask({ ...question, wrong: digits !== '' }, query, tries) }
    }
    const language = /^[1-9]$/.test(digits) ? question.languages[Number(digits) - 1] : undefined
    if (language === undefined) return { kind: 'asked', twiml: this.ask(question, query, tries) }
    query.set(LANGUAGE_FIELD, language)
    return { kind: 'answered', answers: { language }, tries: 0 }
  }

  #questionUrls(question: Question): string[] {
    if (question.ask === 'language')
      return question.languages.map((language, at) =>
        this.#prompts.url('choose-language', language, { key: String(at + 1) }),
      )
    const { language, wrong = false } = question
    const ask = this.#prompts.url('enter-room-code', language)
    return wrong ? [this.#prompts.url('wrong-room-code', language), ask] : [ask]
  }

  #goodbye(question: Question): string {
    if (question.ask === 'language')
      return playAndHangUp(
        question.languages.slice(0, 1).map(language => this.#prompts.url('goodbye', language)),
      )
    const { language, wrong = false } = question
    const goodbye = this.#prompts.url('goodbye', language)
    return playAndHangUp(wrong ? [this.#prompts.url('wrong-room-code', language), goodbye] : [goodbye])
  }
}

/** Returns the query of `text` without the fields of the menu. */
export function withoutMenu(text: string): URLSearchParams {
  const query = new URLSearchParams(text)
  query.delete(ASKED_FIELD)
  query.delete(TRY_FIELD)
  return query
}
