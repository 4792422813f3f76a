import type { FastifyRequest } from 'fastify'
import { type Clock, inTime } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { errorFields, type Logger, withoutNumbers } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { Invitation } from '../../core/model/invitation.ts'
import type { AdmittedCall, Call, CallRegistry } from './call-registry.ts'
import type { CallInstructions, Instructions } from './carrier.ts'
import type { EnteringCall } from './fleet-calls.ts'
import type { CallHistory } from './history/call-history.ts'
import {
  type Answers,
  checkedCallDecision,
  DEFAULT_APOLOGY,
  type Decision,
  type DrainState,
  type IncomingCall,
  queryOf,
  type Rejection,
  type Spoken,
  type WebhookCall,
} from './incoming-call.ts'
import type { StreamLimits } from './limits.ts'
import { type Menu, withoutMenu } from './menu.ts'
import type { PublicUrl } from './public-url.ts'
import {
  ATTEMPT_FIELD,
  BEGAN_FIELD,
  CALLEE_FIELD,
  HELD_FIELD,
  ISSUED_FIELD,
  passOf,
  RESUMES_FIELD,
} from './resumption.ts'
import type { StreamTokens } from './stream-tokens.ts'

/** Earlier streams of a call, according to the resume URL. */
export interface ResumeState {
  readonly resumes: number
  readonly attempt?: number
  /** Time of the first admission (s since 1970). */
  readonly beganAt?: number | undefined
}

export interface CallReceptionOptions {
  /** Writes the carrier’s call markup. */
  readonly instructions: CallInstructions
  /** Decides on each new call. */
  readonly invite: (call: IncomingCall) => Decision | Promise<Decision>
  /** Admits a call where its room is: here, or at another node. */
  readonly enter: (call: EnteringCall) => Promise<Instructions>
  /** Returns the invitation of a call that continues, with the changes of the participant. Absent: changes are not kept. */
  readonly changed?: ((callId: string, invitation: Invitation) => Promise<Invitation>) | undefined
  /** Tells other nodes that a call, unknown here, has ended. */
  readonly overElsewhere: (callId: string) => void
  /** Spoken when a call cannot be translated. */
  readonly apology?: Spoken | undefined
  readonly calls: CallRegistry
  readonly history: CallHistory
  readonly tokens: StreamTokens
  readonly publicUrl: () => PublicUrl
  /** The address at which only requests about the calls of this server arrive. */
  readonly nodeUrl: () => PublicUrl
  /** Path of the routes, below the public address. */
  readonly mount: string
  /** Path of the streams below `mount`. */
  readonly streamPath: string
  readonly limits: StreamLimits
  readonly log: Logger
  readonly clock: Clock
  readonly now: () => number
  readonly wallClock: WallClock
  /** Absent: menus are not available. */
  readonly menu: Menu | undefined
  /** Set while this server is shutting down. */
  readonly departure: () => DrainState | undefined
}

/** Time for a decision on a call: carriers wait for 15 s (ms). */
const INVITE_MS = 10_000
/** Times that a call waits for the home of its room, up to 8 s each, before it is rejected. */
const MOST_HELD = 3
/** Pause between two of these (s). */
const HELD_SECONDS = 1

/** Decides on new calls and writes the instructions of all admitted ones. */
export class CallReception {
  /** Calls that had to wait for the home of their room. */
  held = 0
  readonly #options: CallReceptionOptions

  constructor(options: CallReceptionOptions) {
    this.#options = options
  }

  /** Admits a new call, prompts the caller, or rejects it. `past`: state of a call known to an earlier server. */
  async admit(
    incoming: WebhookCall,
    request: FastifyRequest,
    past: ResumeState = { resumes: 0 },
  ): Promise<Instructions> {
    const answer = await this.#invite(incoming)
    return this.#carryOut(answer, incoming, request, { ...past, tries: 0 })
  }

  /** Handles the keys of a caller who was prompted. */
  async answer(incoming: WebhookCall, request: FastifyRequest): Promise<Instructions> {
    const due = await this.#invite(incoming)
    const { menu } = this.#options
    if (!menu || !due || !('ask' in due))
      return this.#carryOut(due, incoming, request, { resumes: 0, tries: 0 })
    const query = withoutMenu(queryOf(request))
    const step = menu.read(due, incoming, query)
    if (step.kind === 'asked') return step.instructions
    const answers: Answers = { ...incoming.answers, ...step.answers }
    const decision = await this.#invite({ ...incoming, answers })
    return this.#carryOut(decision, incoming, request, { resumes: 0, tries: step.tries }, query)
  }

  /** Admits a called participant. */
  admitCallee(incoming: WebhookCall, request: FastifyRequest, admitted: AdmittedCall): Promise<Instructions> {
    return this.#enter(incoming, request, { ...admitted, callee: true })
  }

  /** Admits a call to a room that is here. */
  admitHere({ callId, admitted, query }: EnteringCall): Instructions {
    const { calls, log, instructions } = this.#options
    const call = calls.add(callId, this.#timed(admitted))
    if (call) return this.connect(call, query)
    log.warn({ callId }, 'call limit reached')
    return admitted.callee ? instructions.hangUp() : this.#turnAway('busy', admitted.resumes)
  }

  /** Notes when the call started: a resumed call has used a part of its time. */
  #timed(admitted: AdmittedCall): AdmittedCall {
    const now = this.#options.wallClock() / 1_000
    const { invitation, beganAt } = admitted
    if (beganAt === undefined) return { ...admitted, beganAt: Math.floor(now) }
    return { ...admitted, invitation: { ...invitation, elapsedMs: Math.max(0, (now - beganAt) * 1_000) } }
  }

  /** Opens the media socket of an admitted call; with `again`, a repeated request gets the same response. */
  connect(call: Call, query: URLSearchParams, again = false): Instructions {
    const { mount, streamPath, nodeUrl, tokens, instructions } = this.#options
    const token = (again ? tokens.outstanding(call.callId) : undefined) ?? this.#nextToken(call)
    return instructions.connectStream({
      callId: call.callId,
      streamUrl: nodeUrl().ws(`${mount}/${streamPath}`),
      parameters: { token },
      resumeUrl: this.#resumeUrl(call, query, call.attempt),
      // The first resumption is immediate; repeated ones indicate a lasting problem.
      pauseSeconds: Math.max(0, call.resumes - 1),
    })
  }

  #nextToken(call: Call): string {
    const { tokens, history } = this.#options
    const attempt = call.nextAttempt()
    history.instructed(call.callId, attempt)
    return tokens.issue(call.callId, attempt)
  }

  /** Defers a request while the call has another stream: it is repeated after `seconds`, with its `attempt`. */
  defer(call: Call, query: URLSearchParams, attempt: number, seconds: number): Instructions {
    const { calls, log, instructions } = this.#options
    calls.deferred++
    log.warn({ callId: call.callId, attempt }, 'request deferred: stream active')
    return instructions.waitAndAsk(seconds, this.#resumeUrl(call, query, attempt))
  }

  #resumeUrl(call: Call, query: URLSearchParams, attempt: number): string {
    const { mount, nodeUrl, wallClock } = this.#options
    const carried = new URLSearchParams(query)
    carried.set(RESUMES_FIELD, String(call.resumes))
    carried.set(ATTEMPT_FIELD, String(attempt))
    carried.set(ISSUED_FIELD, String(Math.floor(wallClock() / 1_000)))
    if (call.beganAt !== undefined) carried.set(BEGAN_FIELD, String(call.beganAt))
    if (call.callee) carried.set(CALLEE_FIELD, passOf(call.invitation))
    return nodeUrl().http(`${mount}/resume?${carried}`)
  }

  apologize(): Instructions {
    const { instructions, apology = DEFAULT_APOLOGY } = this.#options
    return instructions.sayAndHangUp(apology)
  }

  /**
   * Returns undefined if there is no valid decision in time, so that the caller hears an apology instead of the carrier’s
   * error message.
   */
  async #invite(incoming: IncomingCall): Promise<Decision | undefined> {
    const { invite, clock, log } = this.#options
    try {
      return checkedCallDecision(await inTime(clock, INVITE_MS, 'invite', invite(incoming)))
    } catch (error) {
      const { callId, from, to } = incoming
      log.error({ callId, ...withoutNumbers(errorFields(error), [from, to]) }, 'invite failed')
      return undefined
    }
  }

  async #carryOut(
    answer: Decision | undefined,
    incoming: WebhookCall,
    request: FastifyRequest,
    { resumes, attempt, beganAt, tries }: ResumeState & { tries: number },
    query = withoutMenu(queryOf(request)),
  ): Promise<Instructions> {
    const { menu, log } = this.#options
    if (!answer) return this.apologize()
    if ('ask' in answer) {
      if (menu) return menu.ask(answer, query, tries)
      log.error({ callId: incoming.callId, ask: answer.ask }, 'no announcer, question skipped')
      return this.apologize()
    }
    if ('refused' in answer) return this.#tell(answer) ?? this.#turnAway(answer.refused, resumes)
    return this.#enter(incoming, request, { invitation: answer, resumes, attempt, beganAt }, query)
  }

  /** Admits a call where its room is. If that cannot be determined now, the call waits and asks again. */
  async #enter(
    incoming: WebhookCall,
    request: FastifyRequest,
    admitted: AdmittedCall,
    query = withoutMenu(queryOf(request)),
  ): Promise<Instructions> {
    const { callId, to, status } = incoming
    const { enter, changed } = this.#options
    const held = Number(query.get(HELD_FIELD)) || 0
    query.delete(HELD_FIELD)
    const [inProgress, resumes] = [status?.type === 'picked-up', (admitted.resumes ?? 0) > 0]
    try {
      const invitation = resumes && changed ? await changed(callId, admitted.invitation) : admitted.invitation
      const call = { callId, admitted: { ...admitted, invitation }, query, inProgress, resumes }
      return await enter({ ...call, number: to })
    } catch (error) {
      return this.#wait(error, incoming, request, query, { held, resumes: admitted.resumes })
    }
  }

  /**
   * Answers a request that cannot be handled now because of `error`: it is repeated while the fleet is unavailable. Throws any
   * other error than a `BridgeError`.
   */
  postpone(error: unknown, incoming: WebhookCall, request: FastifyRequest, resumes: number): Instructions {
    const query = withoutMenu(queryOf(request))
    const held = Number(query.get(HELD_FIELD)) || 0
    return this.#wait(error, incoming, request, query, { held, resumes })
  }

  #wait(
    error: unknown,
    { callId }: WebhookCall,
    request: FastifyRequest,
    query: URLSearchParams,
    { held, resumes }: { readonly held: number; readonly resumes: number | undefined },
  ): Instructions {
    const { instructions, log } = this.#options
    if (!(error instanceof BridgeError)) throw error
    log.warn({ callId, code: error.code, held }, 'room cannot be entered now')
    if (error.code !== 'FLEET_AWAY' || held >= MOST_HELD) return this.#turnAway('busy', resumes)
    this.held++
    query.set(HELD_FIELD, String(held + 1))
    return instructions.waitAndAsk(HELD_SECONDS, this.#againUrl(request, query))
  }

  /** The same request again, at any server; the caller presses the keys of a menu again. */
  #againUrl(request: FastifyRequest, query: URLSearchParams): string {
    const [path = ''] = request.originalUrl.split('?')
    return this.#options.publicUrl().http(`${path.replace(/\/menu$/, '/voice')}?${query}`)
  }

  /** A call that was answered earlier can no longer be rejected. */
  #turnAway(reason: 'busy' | 'rejected', resumes = 0): Instructions {
    return resumes > 0 ? this.apologize() : this.#options.instructions.reject(reason)
  }

  #tell({ notice }: Rejection): Instructions | undefined {
    if (!notice) return undefined
    const { instructions, menu } = this.#options
    if ('text' in notice) return instructions.sayAndHangUp(notice)
    return menu?.tell(notice.notice, notice.language)
  }
}
