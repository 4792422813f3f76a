import { BridgeError } from '../../common/errors.ts'
import type { LanguageId } from '../../common/language.ts'
import type { Dialler, DialRequest, OutgoingCall } from '../../core/model/dialer.ts'
import type { Invitation } from '../../core/model/invitation.ts'
import { FALLBACK_LANGUAGE, sentence, wordsOf } from '../../messages/notices/notices.ts'
import { type IncomingCall, type Question, RESUMES_FIELD, type Refusal } from '../twilio/index.ts'

/** Decides whether a new call must be rejected, and counts rejections. */
export interface Doorman {
  turns(): string | undefined
}

export type Decision = Invitation | Refusal | Question

/** Tells callers that all lines are in use, with Twilio’s voice to save load. */
export function busy(language: LanguageId): Refusal {
  const spoken = wordsOf(language) ? language : FALLBACK_LANGUAGE
  const text = sentence(wordsOf(spoken)!, 'line-full')
  const [primary = '', region = ''] = spoken.split('-')
  return { refused: 'busy', notice: { text, language: `${primary}-${region.toUpperCase()}` } }
}

/**
 * Wraps `invite` to reject new calls during overload and draining; admitted calls continue. `language` is the default.
 */
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

/** A dialer that rejects API calls during overload. */
export class ModestDialler implements Dialler {
  readonly #dialler: Dialler
  readonly #doorman: Doorman

  /** The caller keeps ownership of the dialer. */
  constructor(dialler: Dialler, doorman: Doorman) {
    this.#dialler = dialler
    this.#doorman = doorman
  }

  dial(request: DialRequest): OutgoingCall {
    const why = this.#doorman.turns()
    if (why)
      throw new BridgeError('CAPACITY', `no new calls at present: ${why}`, {
        retryable: true,
      })
    return this.#dialler.dial(request)
  }
}
