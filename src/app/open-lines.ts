import { type IncomingCall, type Question, RESUMES_FIELD, type Refusal } from '../bridges/twilio/index.ts'
import type { Dialler, DialRequest, OutgoingCall } from '../core/dialler.ts'
import { BridgeError } from '../core/errors.ts'
import type { Invitation } from '../core/invitation.ts'
import type { LanguageId } from '../core/languages.ts'
import { FALLBACK_LANGUAGE, sentence, wordsOf } from '../sounds/words.ts'

/** Says whether somebody new must be turned away, and counts them. */
export interface Doorman {
  turns(): string | undefined
}

export type Decision = Invitation | Refusal | Question

/** Says to callers that all lines are in use, by Twilio's voice, since ours has enough to do. */
export function busy(language: LanguageId): Refusal {
  const spoken = wordsOf(language) ? language : FALLBACK_LANGUAGE
  const text = sentence(wordsOf(spoken)!, 'line-full')
  const [primary = '', region = ''] = spoken.split('-')
  return { refused: 'busy', notice: { text, language: `${primary}-${region.toUpperCase()}` } }
}

/** `invite`, while there is strength for new calls and this server stays; those that were let in before go on. `language`: of who has none. */
export function whileStrong(
  doorman: Doorman,
  language: LanguageId,
  invite: (call: IncomingCall) => Decision,
): (call: IncomingCall) => Decision {
  return call => {
    const decision = invite(call)
    const goesOn = call.query[RESUMES_FIELD] !== undefined || Object.keys(call.answers).length > 0
    if (goesOn || 'refused' in decision || !doorman.turns()) return decision
    return busy(('hears' in decision && decision.hears) || language)
  }
}

/** A dialler that places no call for programs while there is no strength for it. */
export class ModestDialler implements Dialler {
  readonly #dialler: Dialler
  readonly #doorman: Doorman

  /** The dialler stays its owner's. */
  constructor(dialler: Dialler, doorman: Doorman) {
    this.#dialler = dialler
    this.#doorman = doorman
  }

  dial(request: DialRequest): OutgoingCall {
    const why = this.#doorman.turns()
    if (why)
      throw new BridgeError('CAPACITY', `no new calls for the moment: ${why}`, {
        retryable: true,
      })
    return this.#dialler.dial(request)
  }
}
