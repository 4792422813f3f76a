import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Invitation } from '../../core/invitation.ts'
import type { Log } from '../../core/log.ts'
import type { Call } from './call.ts'
import type { Calls } from './calls.ts'
import type { TwilioLimits } from './limits.ts'
import { DEFAULT_APOLOGY, type IncomingCall, type Refusal, type TwilioBridgeOptions } from './options.ts'
import type { PublicUrl } from './public-url.ts'
import type { StreamTokens } from './stream-tokens.ts'
import { connectStream, hangUp, reject, sayAndHangUp } from './twiml.ts'

/** The field of the resumption's URL that counts resumptions, so that a restarted server counts on. */
const RESUMES = 'dragoman-resumes'
const CALL_SID = /^[A-Za-z0-9_-]{2,64}$/
const MAX_FIELDS = 500
const ENDED = new Set(['completed', 'busy', 'failed', 'no-answer', 'canceled'])

export interface WebhookTerms {
  readonly calls: Calls
  readonly tokens: StreamTokens
  readonly publicUrl: () => PublicUrl
  readonly path: string
  readonly limits: TwilioLimits
  readonly log: Log
  readonly now: () => number
}

/** Answers Twilio's webhooks: what to do with a call, what to do when its stream broke, and that it is over. */
export class Webhooks {
  readonly #terms: WebhookTerms
  readonly #options: TwilioBridgeOptions

  constructor(options: TwilioBridgeOptions, terms: WebhookTerms) {
    this.#options = options
    this.#terms = terms
  }

  /** A call comes in. Delivered twice, it gets the same answer. */
  voice(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const incoming = incomingCall(request)
    if (!incoming) return this.#refuse(request, reply)
    const call = this.#terms.calls.get(incoming.callSid)
    if (!call) return twiml(reply, this.#letIn(incoming, request, 0))
    const inProgress = incoming.parameters.CallStatus === 'in-progress'
    if (call.state.status === 'over' || (call.state.status === 'stopped' && !inProgress))
      return twiml(reply, hangUp())
    call.reopen(this.#terms.now())
    return twiml(reply, this.#connect(call, request, this.#terms.tokens.outstanding(call.callSid)))
  }

  /** The stream is gone and the call lives: connect it again, say sorry, or hang up. */
  resume(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { calls, limits, now, log } = this.#terms
    const incoming = incomingCall(request)
    if (!incoming) return this.#refuse(request, reply)
    const call = calls.get(incoming.callSid)
    if (call?.state.status === 'over') return twiml(reply, call.state.sorry ? this.#apologise() : hangUp())
    const resumes = call?.resumed(now()) ?? resumesOf(incoming) + 1
    if (resumes > limits.maxResumes) {
      if (call?.state.status !== 'live') call?.end(now())
      log.warn({ callSid: incoming.callSid, resumes: limits.maxResumes }, 'call given up after resumptions')
      return twiml(reply, this.#apologise())
    }
    return twiml(reply, call ? this.#connect(call, request) : this.#letIn(incoming, request, resumes))
  }

  /** The call's status callback: its end is final, whatever becomes of the socket. */
  status(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const incoming = incomingCall(request)
    if (!incoming) return this.#refuse(request, reply)
    const call = this.#terms.calls.get(incoming.callSid)
    if (call && ENDED.has(incoming.parameters.CallStatus ?? '')) {
      const { state } = call
      call.end(this.#terms.now())
      if (state.status === 'live') void state.leg.close({ kind: 'hangup', by: 'remote' })
    }
    return reply.code(204).send()
  }

  #refuse(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.#terms.log.warn({ route: request.routeOptions.url, status: 400 }, 'request refused: no CallSid')
    return reply.code(400).send()
  }

  #letIn(incoming: IncomingCall, request: FastifyRequest, resumes: number): string {
    const answer = this.#invite(incoming)
    if (!answer) return this.#apologise()
    // A call that was answered before cannot be rejected any more.
    const turnAway = (reason: 'busy' | 'rejected') => (resumes > 0 ? this.#apologise() : reject(reason))
    if ('refused' in answer) return answer.notice ? sayAndHangUp(answer.notice) : turnAway(answer.refused)
    const call = this.#terms.calls.add(incoming.callSid, answer, resumes)
    if (call) return this.#connect(call, request)
    this.#terms.log.warn({ callSid: incoming.callSid }, 'too many calls')
    return turnAway('busy')
  }

  /** Nothing if the decision failed; the caller is told sorry rather than left to an error of Twilio's. */
  #invite(incoming: IncomingCall): Invitation | Refusal | undefined {
    try {
      return this.#options.invite(incoming)
    } catch (error) {
      this.#terms.log.error({ callSid: incoming.callSid, err: error }, 'invite threw')
      return undefined
    }
  }

  #connect(call: Call, request: FastifyRequest, token = this.#terms.tokens.issue(call.callSid)): string {
    const { path, publicUrl } = this.#terms
    const query = new URLSearchParams(queryOf(request))
    query.set(RESUMES, String(call.resumes))
    return connectStream({
      streamUrl: publicUrl().ws(`${path}/media`),
      parameters: { token },
      resumeUrl: publicUrl().http(`${path}/resume?${query}`),
      // The first resumption is at once; then something is wrong for longer.
      pauseSeconds: Math.max(0, call.resumes - 1),
    })
  }

  #apologise(): string {
    return sayAndHangUp(this.#options.apology ?? DEFAULT_APOLOGY)
  }
}

function twiml(reply: FastifyReply, document: string): FastifyReply {
  return reply.type('text/xml; charset=utf-8').send(document)
}

function incomingCall(request: FastifyRequest): IncomingCall | undefined {
  const form = (request.body ?? {}) as Record<string, string | string[]>
  const parameters: Record<string, string> = Object.create(null)
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(queryOf(request))) query[name] ??= value
  Object.assign(parameters, query)
  const fields = Object.entries(form)
  if (fields.length > MAX_FIELDS) return undefined
  for (const [name, value] of fields) parameters[name] = typeof value === 'string' ? value : (value[0] ?? '')
  const callSid = parameters.CallSid ?? ''
  if (!CALL_SID.test(callSid)) return undefined
  return {
    callSid,
    accountSid: parameters.AccountSid ?? '',
    from: parameters.From ?? '',
    to: parameters.To ?? '',
    direction: parameters.Direction ?? '',
    parameters,
    query,
  }
}

function queryOf(request: FastifyRequest): string {
  const at = request.originalUrl.indexOf('?')
  return at < 0 ? '' : request.originalUrl.slice(at + 1)
}

/** The count in a resumption's URL; signed, as the whole URL is. */
function resumesOf(incoming: IncomingCall): number {
  const count = Number(incoming.parameters[RESUMES])
  return Number.isInteger(count) && count > 0 ? count : 0
}
