import type { LanguageId } from '../../../core/languages.ts'
import { LANGUAGE_FIELD } from '../incoming-call.ts'
import type { IncomingCall } from '../options.ts'
import type { Answers, Question } from '../question.ts'
import { gatherKeys, playAndHangUp } from '../twiml.ts'
import type { Prompts } from './prompts.ts'

/** The fields of our addresses that say what was asked, and how often. They are signed, as the whole address is. */
const ASKED_FIELD = 'dragoman-ask'
const TRY_FIELD = 'dragoman-try'
/** How often a question is asked before the caller is let go. */
const MOST_TRIES = 3
/** From the end of the prompt, or from one key to the next, to the end of an answer (s). */
const KEY_SECONDS = 6
/** What may be a room's code; anything else is not even looked up. */
const ROOM_CODE = /^\d{4,12}$/

/** What the menu answers to keys: an answer to go on with, or a document to send. */
export type MenuStep =
  | { readonly kind: 'answered'; readonly answers: Answers; readonly tries: number }
  | { readonly kind: 'asked'; readonly twiml: string }

/**
 * The menus in front of a call, as TwiML (Twilio: `<Gather>`). Nothing is kept between two requests: what was asked and
 * how often is in the address that Twilio asks next, so what is delivered twice is answered alike.
 */
export class Menu {
  readonly #prompts: Prompts
  readonly #url: (query: URLSearchParams) => string

  /** `url` is the address that takes the keys. */
  constructor(prompts: Prompts, url: (query: URLSearchParams) => string) {
    this.#prompts = prompts
    this.#url = url
  }

  /** Asks `question` for the `tries + 1`th time; says goodbye when that is too often. `query` is carried along. */
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

  /** Says `notice` and hangs up. */
  tell(notice: Parameters<Prompts['url']>[0], language: LanguageId): string {
    return playAndHangUp([this.#prompts.url(notice, language)])
  }

  /** Reads the keys pressed at `question`, which is what is to be asked of the caller now. */
  read(question: Question, incoming: IncomingCall, query: URLSearchParams): MenuStep {
    const tries = Number(incoming.query[TRY_FIELD]) || 0
    // Keys for another question than is due now (a menu that has changed since) are no answer to this one.
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

/** The query of `text` without what one menu told the next request. */
export function withoutMenu(text: string): URLSearchParams {
  const query = new URLSearchParams(text)
  query.delete(ASKED_FIELD)
  query.delete(TRY_FIELD)
  return query
}
