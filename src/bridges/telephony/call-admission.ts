import type { FastifyRequest } from 'fastify'
import { errorFields, type Logger } from '../../common/log.ts'
import type { Invitation } from '../../core/model/invitation.ts'
import type { Call, CallRegistry } from './call-registry.ts'
import {
  type Answers,
  type CallerPrompt,
  DEFAULT_APOLOGY,
  type DrainState,
  type IncomingCall,
  queryOf,
  type Rejection,
  type Spoken,
  type WebhookCall,
} from './incoming-call.ts'
import type { StreamLimits } from './limits.ts'
import { type Menu, withoutMenu } from './menu.ts'
import type { CallInstructions, Instructions } from './ports/call-instructions.ts'
import type { PublicUrl } from './public-url.ts'
import { ATTEMPT_FIELD, CALLEE_FIELD, type Callee, passOf, RESUMES_FIELD } from './resumption.ts'
import type { StreamTokens } from './stream-tokens.ts'

/** Earlier streams of a call, according to the resume URL. */
export interface ResumeState {
  readonly resumes: number
  readonly attempt?: number
}

export interface CallAdmissionOptions {
  /** Writes the carrier’s call markup. */
  readonly instructions: CallInstructions
  /** Decides on each new call. */
  readonly invite: (call: IncomingCall) => Invitation | Rejection | CallerPrompt
  /** Spoken when a call cannot be translated. */
  readonly apology?: Spoken | undefined
  readonly calls: CallRegistry
  readonly tokens: StreamTokens
  readonly publicUrl: () => PublicUrl
  /** Path of the routes, below the public address. */
  readonly mount: string
  readonly limits: StreamLimits
  readonly log: Logger
  readonly now: () => number
  /** Absent: menus are not available. */
  readonly menu: Menu | undefined
  /** Set while this server is shutting down. */
  readonly departure: () => DrainState | undefined
}

/** Decides on new calls and writes the instructions of all admitted ones. */
export class CallAdmission {
  readonly #options: CallAdmissionOptions

  constructor(options: CallAdmissionOptions) {
    this.#options = options
  }

  /** Admits a new call, prompts the caller, or rejects it. `past`: state of a call known to an earlier server. */
  admit(incoming: IncomingCall, request: FastifyRequest, past: ResumeState = { resumes: 0 }): Instructions {
    const answer = this.#invite(incoming)
    return this.#carryOut(answer, incoming, withoutMenu(queryOf(request)), { ...past, tries: 0 })
  }

  /** Handles the keys of a caller who was prompted. */
  answer(incoming: WebhookCall, request: FastifyRequest): Instructions {
    const query = withoutMenu(queryOf(request))
    const due = this.#invite(incoming)
    const { menu } = this.#options
    if (!menu || !due || !('ask' in due))
      return this.#carryOut(due, incoming, query, { resumes: 0, tries: 0 })
    const step = menu.read(due, incoming, query)
    if (step.kind === 'asked') return step.instructions
    const answers: Answers = { ...incoming.answers, ...step.answers }
    return this.#carryOut(this.#invite({ ...incoming, answers }), incoming, query, {
      resumes: 0,
      tries: step.tries,
    })
  }

  /** Admits a called participant. */
  admitCallee(callId: string, callee: Callee, request: FastifyRequest): Instructions {
    const call = this.#options.calls.add(callId, { ...callee, callee: true })
    return call
      ? this.connect(call, new URLSearchParams(queryOf(request)))
      : this.#options.instructions.hangUp()
  }

  /** Opens the media socket of an admitted call; with `again`, a repeated request gets the same response. */
  connect(call: Call, query: URLSearchParams, again = false): Instructions {
    const { mount, publicUrl, tokens, instructions } = this.#options
    const token =
      (again ? tokens.outstanding(call.callId) : undefined) ?? tokens.issue(call.callId, call.nextAttempt())
    return instructions.connectStream({
      streamUrl: publicUrl().ws(`${mount}/media`),
      parameters: { token },
      resumeUrl: this.#resumeUrl(call, query, call.attempt),
      // The first resumption is immediate; repeated ones indicate a lasting problem.
      pauseSeconds: Math.max(0, call.resumes - 1),
    })
  }

  /** Defers a request while the call has another stream: it is repeated after `seconds`, with its `attempt`. */
  defer(call: Call, query: URLSearchParams, attempt: number, seconds: number): Instructions {
    const { calls, log, instructions } = this.#options
    calls.deferred++
    log.warn({ callId: call.callId, attempt }, 'request deferred: stream active')
    return instructions.waitAndAsk(seconds, this.#resumeUrl(call, query, attempt))
  }

  #resumeUrl(call: Call, query: URLSearchParams, attempt: number): string {
    const { mount, publicUrl } = this.#options
    const carried = new URLSearchParams(query)
    carried.set(RESUMES_FIELD, String(call.resumes))
    carried.set(ATTEMPT_FIELD, String(attempt))
    if (call.callee) carried.set(CALLEE_FIELD, passOf(call.invitation))
    return publicUrl().http(`${mount}/resume?${carried}`)
  }

  apologize(): Instructions {
    const { instructions, apology = DEFAULT_APOLOGY } = this.#options
    return instructions.sayAndHangUp(apology)
  }

  /**
   * Returns undefined if the decision failed, so that the caller hears an apology instead of the carrier’s error message.
   */
  #invite(incoming: IncomingCall): Invitation | Rejection | CallerPrompt | undefined {
    try {
      return this.#options.invite(incoming)
    } catch (error) {
      this.#options.log.error({ callId: incoming.callId, ...errorFields(error) }, 'invite failed')
      return undefined
    }
  }

  #carryOut(
    answer: Invitation | Rejection | CallerPrompt | undefined,
    { callId }: IncomingCall,
    query: URLSearchParams,
    { resumes, attempt, tries }: ResumeState & { tries: number },
  ): Instructions {
    const { calls, menu, log, instructions } = this.#options
    if (!answer) return this.apologize()
    if ('ask' in answer) {
      if (menu) return menu.ask(answer, query, tries)
      log.error({ callId, ask: answer.ask }, 'no announcer, question skipped')
      return this.apologize()
    }
    // A call that was answered earlier can no longer be rejected.
    const turnAway = (reason: 'busy' | 'rejected') =>
      resumes > 0 ? this.apologize() : instructions.reject(reason)
    if ('refused' in answer) return this.#tell(answer) ?? turnAway(answer.refused)
    const call = calls.add(callId, {
      invitation: answer,
      resumes,
      attempt,
    })
    if (call) return this.connect(call, query)
    log.warn({ callId }, 'call limit reached')
    return turnAway('busy')
  }

  #tell({ notice }: Rejection): Instructions | undefined {
    if (!notice) return undefined
    const { instructions, menu } = this.#options
    if ('text' in notice) return instructions.sayAndHangUp(notice)
    return menu?.tell(notice.notice, notice.language)
  }
}
