import type { FastifyRequest } from 'fastify'
import type { Invitation } from '../../core/invitation.ts'
import { type Log, thrown } from '../../core/log.ts'
import type { Call } from './call.ts'
import type { Calls } from './calls.ts'
import { passOf } from './dial/guest-pass.ts'
import { queryOf } from './incoming-call.ts'
import type { TwilioLimits } from './limits.ts'
import { type Menu, withoutMenu } from './menu/menu.ts'
import {
  DEFAULT_APOLOGY,
  type Departure,
  type IncomingCall,
  type Refusal,
  type TwilioBridgeOptions,
} from './options.ts'
import type { PublicUrl } from './public-url.ts'
import type { Answers, Question } from './question.ts'
import type { StreamTokens } from './stream-tokens.ts'
import type { StreamWatch } from './stream-watch.ts'
import { connectStream, hangUp, reject, sayAndHangUp, waitAndAsk } from './twiml.ts'

/** The field of the resumption's URL that counts resumptions, so that a restarted server counts on. */
export const RESUMES_FIELD = 'dragoman-resumes'
/** The field that says which stream it is that is gone. */
export const ROUND_FIELD = 'dragoman-round'

/** The field that says who somebody is that was called from here, for a server that does not know. */
export const GUEST_FIELD = 'dragoman-guest'

/** How often a call had a stream before, as the resumption's URL says. */
export interface Past {
  readonly resumes: number
  readonly round?: number
}

export interface EntranceTerms {
  readonly calls: Calls
  readonly tokens: StreamTokens
  readonly publicUrl: () => PublicUrl
  /** The path of the routes, below the public address. */
  readonly mount: string
  readonly limits: TwilioLimits
  readonly log: Log
  readonly now: () => number
  /** Absent: nothing can be asked. */
  readonly menu: Menu | undefined
  /** Set while this server is about to end. */
  readonly departure: () => Departure | undefined
}

/** Somebody who was called from here, and has picked up; or by a server that is gone. */
export interface Guest {
  readonly invitation: Invitation
  readonly watch?: StreamWatch
  /** Resumptions before this server knew of them. */
  readonly resumes?: number
  readonly round?: number
}

/** The door: decides on calls that are not known yet, and writes the TwiML of all that are let in. */
export class Entrance {
  readonly #terms: EntranceTerms
  readonly #options: TwilioBridgeOptions

  constructor(options: TwilioBridgeOptions, terms: EntranceTerms) {
    this.#options = options
    this.#terms = terms
  }

  /** Lets a new call in, asks it something, or turns it away. `past`: of one that a server before this one knew. */
  letIn(incoming: IncomingCall, request: FastifyRequest, past: Past = { resumes: 0 }): string {
    const answer = this.#invite(incoming)
    return this.#carryOut(answer, incoming, withoutMenu(queryOf(request)), { ...past, tries: 0 })
  }

  /** Takes the keys of a caller who was asked something. */
  answer(incoming: IncomingCall, request: FastifyRequest): string {
    const query = withoutMenu(queryOf(request))
    const due = this.#invite(incoming)
    const { menu } = this.#terms
    if (!menu || !due || !('ask' in due))
      return this.#carryOut(due, incoming, query, { resumes: 0, tries: 0 })
    const step = menu.read(due, incoming, query)
    if (step.kind === 'asked') return step.twiml
    const answers: Answers = { ...incoming.answers, ...step.answers }
    return this.#carryOut(this.#invite({ ...incoming, answers }), incoming, query, {
      resumes: 0,
      tries: step.tries,
    })
  }

  /** Lets in somebody who was called from here. */
  admitGuest(callSid: string, guest: Guest, request: FastifyRequest): string {
    const call = this.#terms.calls.add(callSid, { ...guest, guest: true })
    return call ? this.connect(call, new URLSearchParams(queryOf(request))) : hangUp()
  }

  /** Opens the media socket of a call that was let in; what was asked `again` gets the same answer. */
  connect(call: Call, query: URLSearchParams, again = false): string {
    const { mount, publicUrl, tokens } = this.#terms
    const token =
      (again ? tokens.outstanding(call.callSid) : undefined) ?? tokens.issue(call.callSid, call.nextRound())
    return connectStream({
      streamUrl: publicUrl().ws(`${mount}/media`),
      parameters: { token },
      resumeUrl: this.#resumeUrl(call, query, call.round),
      // The first resumption is at once; then something is wrong for longer.
      pauseSeconds: Math.max(0, call.resumes - 1),
    })
  }

  /** No stream for whoever asks while another is there: they ask again after `seconds`, as those whose `round` it was. */
  holdOff(call: Call, query: URLSearchParams, round: number, seconds: number): string {
    const { calls, log } = this.#terms
    calls.heldOff++
    log.warn({ callSid: call.callSid, round }, 'told to wait: the call has a stream')
    return waitAndAsk(seconds, this.#resumeUrl(call, query, round))
  }

  #resumeUrl(call: Call, query: URLSearchParams, round: number): string {
    const { mount, publicUrl } = this.#terms
    const carried = new URLSearchParams(query)
    carried.set(RESUMES_FIELD, String(call.resumes))
    carried.set(ROUND_FIELD, String(round))
    if (call.guest) carried.set(GUEST_FIELD, passOf(call.invitation))
    return publicUrl().http(`${mount}/resume?${carried}`)
  }

  apologise(): string {
    return sayAndHangUp(this.#options.apology ?? DEFAULT_APOLOGY)
  }

  /** Nothing if the decision failed; the caller is told sorry rather than left to an error of Twilio's. */
  #invite(incoming: IncomingCall): Invitation | Refusal | Question | undefined {
    try {
      return this.#options.invite(incoming)
    } catch (error) {
      this.#terms.log.error({ callSid: incoming.callSid, ...thrown(error) }, 'invite threw')
      return undefined
    }
  }

  #carryOut(
    answer: Invitation | Refusal | Question | undefined,
    { callSid }: IncomingCall,
    query: URLSearchParams,
    { resumes, round, tries }: Past & { tries: number },
  ): string {
    const { calls, menu, log } = this.#terms
    if (!answer) return this.apologise()
    if ('ask' in answer) {
      if (menu) return menu.ask(answer, query, tries)
      log.error({ callSid, ask: answer.ask }, 'no announcer, so nothing can be asked')
      return this.apologise()
    }
    // A call that was answered before cannot be rejected any more.
    const turnAway = (reason: 'busy' | 'rejected') => (resumes > 0 ? this.apologise() : reject(reason))
    if ('refused' in answer) return this.#tell(answer) ?? turnAway(answer.refused)
    const call = calls.add(callSid, {
      invitation: answer,
      resumes,
      ...(round === undefined ? {} : { round }),
    })
    if (call) return this.connect(call, query)
    log.warn({ callSid }, 'too many calls')
    return turnAway('busy')
  }

  #tell({ notice }: Refusal): string | undefined {
    if (!notice) return undefined
    if ('text' in notice) return sayAndHangUp(notice)
    return this.#terms.menu?.tell(notice.notice, notice.language)
  }
}
