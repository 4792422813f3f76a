import { type IncomingCall, type Question, RESUMES_FIELD, type Refusal } from '../bridges/twilio/index.ts'
import type { Dialler, DialRequest, OutgoingCall } from '../core/dialler.ts'
import { BridgeError } from '../core/errors.ts'
import type { Invitation } from '../core/invitation.ts'
import type { LanguageId } from '../core/languages.ts'
import type { Overload } from '../guard/overload.ts'
import { FALLBACK_LANGUAGE, sentence, wordsOf } from '../sounds/words.ts'

type Decision = Invitation | Refusal | Question

/** Says to callers that all lines are in use, by Twilio's voice, since ours has enough to do. */
function busy(language: LanguageId): Refusal {
  const spoken = wordsOf(language) ? language : FALLBACK_LANGUAGE
  const text = sentence(wordsOf(spoken)!, 'line-full')
  const [primary = '', region = ''] = spoken.split('-')
  return { refused: 'busy', notice: { text, language: `${primary}-${region.toUpperCase()}` } }
}

/** `invite`, while there is strength for new calls; those that were let in before go on. `language`: of who has none. */
export function whileStrong(
  overload: Pick<Overload, 'turns'>,
  language: LanguageId,
  invite: (call: IncomingCall) => Decision,
): (call: IncomingCall) => Decision {
  return call => {
    const decision = invite(call)
    const goesOn = call.query[RESUMES_FIELD] !== undefined || Object.keys(call.answers).length > 0
    if (goesOn || 'refused' in decision || !overload.turns()) return decision
    return busy(('hears' in decision && decision.hears) || language)
  }
}

/** A dialler that places no call for programs while there is no strength for it. */
export class ModestDialler implements Dialler {
  readonly #dialler: Dialler
  readonly #overload: Pick<Overload, 'turns'>

  /** The dialler stays its owner's. */
  constructor(dialler: Dialler, overload: Pick<Overload, 'turns'>) {
    this.#dialler = dialler
    this.#overload = overload
  }

  dial(request: DialRequest): OutgoingCall {
    if (this.#overload.turns())
      throw new BridgeError('CAPACITY', 'the server is overloaded: no new calls for the moment', {
        retryable: true,
      })
    return this.#dialler.dial(request)
  }
}
