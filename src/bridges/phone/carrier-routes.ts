import type { FastifyReply, FastifyRequest } from 'fastify'
import { BoundedMap } from '../../common/bounded-map.ts'
import { isLanguageId } from '../../common/language.ts'
import type { RouteWords } from '../../net/openapi.ts'
import type { CallReception, CallReceptionOptions, ResumeState } from './call-reception.ts'
import type { Call } from './call-registry.ts'
import type { CallInstructions, Carrier, CarrierRequests, FieldWords, Instructions } from './carrier.ts'
import type { EnteringCall } from './fleet-calls.ts'
import {
  type Answers,
  type IncomingCall,
  LANGUAGE_FIELD,
  queryOf,
  type WebhookCall,
} from './incoming-call.ts'
import { withoutMenu } from './menu.ts'
import type { CarrierDialer } from './outbound/carrier-dialer.ts'
import type { OutboundCall } from './outbound/outbound-call.ts'
import {
  ATTEMPT_FIELD,
  BEGAN_FIELD,
  CALLEE_FIELD,
  calleeOf,
  ISSUED_FIELD,
  RESUMES_FIELD,
} from './resumption.ts'

/** Returns the call of a webhook, or undefined if the request has none. */
export function webhookCall(requests: CarrierRequests, request: FastifyRequest): WebhookCall | undefined {
  const read = requests.read(request)
  if (!read) return undefined
  const { fields, ...call } = read
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(queryOf(request))) query[name] ??= value
  const parameters = Object.assign(Object.create(null), query, fields)
  return { ...call, parameters, query, answers: answersIn(query) }
}

function answersIn(query: Readonly<Record<string, string>>): Answers {
  const language = query[LANGUAGE_FIELD]
  return language !== undefined && isLanguageId(language) ? { language } : {}
}

/**
 * Handles the carrier’s requests about outbound calls. The field `dial` in the address, our own id, identifies the call,
 * because requests can arrive before the response with its id.
 */
export class DialWebhooks {
  readonly #dialer: CarrierDialer | undefined
  readonly #reception: CallReception
  readonly #webhooks: Webhooks

  constructor(dialer: CarrierDialer | undefined, reception: CallReception, webhooks: Webhooks) {
    this.#dialer = dialer
    this.#reception = reception
    this.#webhooks = webhooks
  }

  /** The call was answered. Hangs up unwanted calls. */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.#webhooks.answer(request, reply, async incoming => {
      const { callId, query } = incoming
      const dial = this.#dialer?.get(query.dial)
      if (dial) {
        if (!dial.answered(callId)) return this.#webhooks.instructions.hangUp()
        return this.#reception.admitCallee(incoming, request, { invitation: dial.invitation, watch: dial })
      }
      // Placed by a server that has ended.
      const invitation = calleeOf(query[CALLEE_FIELD])
      if (!invitation) return this.#webhooks.instructions.hangUp()
      return this.#reception.admitCallee(incoming, request, { invitation })
    })
  }

  /** Admits a call to a room of this node. The call can be an outbound call of this node. */
  admit(call: EnteringCall): Instructions {
    const { callId, query, admitted } = call
    const dial = admitted.watch ? undefined : this.#dialer?.get(query.get('dial') ?? undefined)
    if (!admitted.callee || !dial) return this.#reception.admitHere(call)
    if (!dial.answered(callId)) return this.#webhooks.instructions.hangUp()
    return this.#reception.admitHere({
      ...call,
      admitted: { ...admitted, invitation: dial.invitation, watch: dial },
    })
  }

  /** The call’s status has changed. */
  status(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const answered = this.#webhooks.status(request, reply)
    this.#about(request, (dial, { callId, status }) => dial.told(callId, status))
    return answered
  }

  /** Result of machine detection. Also hangs up on machines called by a server that has ended. */
  machine(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.#about(request, (dial, { callId, answeredBy }) => dial.detected(callId, answeredBy))
    const call = this.#webhooks.callOf(request)
    if (call?.answeredBy?.type === 'machine' && !this.#dialer?.get(call.query.dial))
      this.#webhooks.over(call.callId, 'local')
    return reply.code(204).send()
  }

  #about(request: FastifyRequest, tell: (dial: OutboundCall, call: WebhookCall) => void): void {
    const call = this.#webhooks.callOf(request)
    const dial = this.#dialer?.get(call?.query.dial)
    if (call && dial) tell(dial, call)
  }
}

/** Names of the webhooks: their paths below the bridge’s. */
export type WebhookName =
  | 'voice'
  | 'resume'
  | 'menu'
  | 'status'
  | 'dial/answer'
  | 'dial/status'
  | 'dial/machine'

/** Descriptions of the webhooks for a host’s OpenAPI document. The carrier signs all of them. */
export function webhookWords(carrier: Carrier): Readonly<Record<WebhookName, RouteWords>> {
  const { name: tag, requests, instructions } = carrier
  const { call, digits, answeredBy } = requests.words ?? { call: {}, digits: {}, answeredBy: {} }
  const [answers] = instructions.hangUp().contentType.split(';')
  const asks = (summary: string, words?: FieldWords): RouteWords => ({
    ...{ tag, summary, form: { ...call, ...words } },
    answers,
  })
  const tells = (summary: string, words?: FieldWords): RouteWords => ({
    ...{ tag, summary, form: { ...call, ...words } },
    status: 204,
  })
  return {
    voice: asks('Instructions for an incoming call.'),
    resume: asks('Instructions for a call whose stream has ended.'),
    menu: asks('Keys pressed by a caller in a menu.', digits),
    status: tells('Final status of a call.'),
    'dial/answer': asks('Instructions for an outbound call that was answered.'),
    'dial/status': tells('Status of an outbound call.'),
    'dial/machine': tells('Result of machine detection.', answeredBy),
  }
}

/** Maximum number of responses that are kept for redelivered requests. */
const MAX_RESPONSES = 1_000
/** Delays before a deferred request is repeated (s). */
const OVERTAKEN_SECONDS = 5
const REPEATED_SECONDS = 1
/** Delay before a new call is retried at a server that is shutting down or its successor. */
const RETRY_SECONDS = '1'

/** Handles a carrier’s webhooks: new calls, lost streams and ended calls. */
export class Webhooks {
  readonly #options: CallReceptionOptions
  readonly #reception: CallReception
  readonly #given = new BoundedMap<string, Promise<Instructions>>(MAX_RESPONSES)

  readonly #requests: CarrierRequests

  constructor(reception: CallReception, requests: CarrierRequests, options: CallReceptionOptions) {
    this.#reception = reception
    this.#requests = requests
    this.#options = options
  }

  get instructions(): CallInstructions {
    return this.#options.instructions
  }

  /** Returns the call of a webhook, or undefined if the request has none. */
  callOf(request: FastifyRequest): WebhookCall | undefined {
    return webhookCall(this.#requests, request)
  }

  /** Handles an incoming call. A redelivered request gets the same response. */
  async voice(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const departure = this.#options.departure()
    const known = (callId: string) => this.#options.calls.get(callId) !== undefined
    if (departure?.elsewhere && !known(this.callOf(request)?.callId ?? ''))
      return reply.code(503).headers({ 'retry-after': RETRY_SECONDS, connection: 'close' }).send()
    return this.answer(request, reply, incoming => this.#reception.admit(incoming, request))
  }

  /** Handles the keys of a menu. A redelivered request counts once. */
  async menu(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (this.#options.calls.leaving) return this.#sendOn(request, reply)
    return this.answer(request, reply, incoming => {
      const key = [incoming.callId, queryOf(request), incoming.digits].join('\n')
      return this.#given.getOrSet(key, () => this.#reception.answer(incoming, request))
    })
  }

  /** Continues a known call unchanged; `fresh` handles any other. */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    fresh: (incoming: WebhookCall) => Promise<Instructions>,
  ): Promise<FastifyReply> {
    const incoming = this.callOf(request)
    if (!incoming) return this.#refuse(request, reply)
    const { calls, history } = this.#options
    const call = calls.get(incoming.callId)
    if (!call) {
      const old = await this.#oldRequest(incoming, request, 0, history.begins(incoming.callId))
      return send(reply, old ?? (await fresh(incoming)))
    }
    if (calls.leaving) return this.#sendOn(request, reply, call)
    const inProgress = incoming.status?.type === 'picked-up'
    return send(reply, this.#continue(call, inProgress, withoutMenu(queryOf(request))))
  }

  /** The stream is gone and the call continues: reconnects it, apologizes, or hangs up. */
  async resume(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { calls, history, limits, log } = this.#options
    const incoming = this.callOf(request)
    if (!incoming) return this.#refuse(request, reply)
    const reception = this.#reception
    const call = calls.get(incoming.callId)
    if (calls.leaving || (!call && this.#options.departure())) return this.#sendOn(request, reply, call)
    const past = pastOf(incoming, this.#options.wallClock())
    if (call) return send(reply, this.#resume(call, new URLSearchParams(queryOf(request)), past.attempt))
    // Placed by a server that has ended, or that this call has left.
    const called = incoming.query.dial !== undefined
    const callee = called ? calleeOf(incoming.query[CALLEE_FIELD]) : undefined
    if (called && !callee) return send(reply, this.instructions.hangUp())
    const resumes = calls.resumesOfForgotten(incoming.callId) ?? past.resumes + 1
    const isNew = history.continues(incoming.callId, past.attempt)
    const old = past.expired
      ? this.#refuseOld(incoming)
      : await this.#oldRequest(incoming, request, resumes, isNew)
    if (old) return send(reply, old)
    if (resumes > limits.maxResumes) {
      log.warn({ callId: incoming.callId, resumes: limits.maxResumes }, 'resumption limit reached')
      return send(reply, reception.apologize())
    }
    // Only once the response is on its way: the server possibly closes next.
    reply.raw.once('close', () => calls.sentOn(incoming.callId))
    const instructions = await (callee
      ? reception.admitCallee(incoming, request, { invitation: callee, ...past, resumes })
      : reception.admit(incoming, request, { ...past, resumes }))
    return send(reply, instructions)
  }

  /**
   * Returns the answer to a request about a call that is not here, if it must not be handled: a hang-up for an old one, or
   * a pause while that is unknown. `isNew` rejects with `FLEET_AWAY`.
   */
  async #oldRequest(
    incoming: WebhookCall,
    request: FastifyRequest,
    resumes: number,
    isNew: Promise<boolean>,
  ): Promise<Instructions | undefined> {
    try {
      return (await isNew) ? undefined : this.#refuseOld(incoming)
    } catch (error) {
      return this.#reception.postpone(error, incoming, request, resumes)
    }
  }

  /** A signature contains no time: this one was captured, or the carrier is very late. */
  #refuseOld({ callId }: { readonly callId: string }): Instructions {
    this.#options.log.warn({ callId }, 'request rejected: its call is over')
    return this.instructions.hangUp()
  }

  /** Answers for a call of another node’s request, if it is known here. */
  known({ callId, resumes, inProgress, query, admitted }: EnteringCall): Instructions | undefined {
    const call = this.#options.calls.get(callId)
    if (!call) return undefined
    return resumes ? this.#resume(call, query, admitted.attempt) : this.#continue(call, inProgress, query)
  }

  /** Handles the call’s status callback. A final status ends the call, regardless of its socket. */
  status(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const incoming = this.callOf(request)
    if (!incoming) return this.#refuse(request, reply)
    const { callId } = incoming
    if (incoming.status?.type === 'final' && !this.over(callId, 'remote')) {
      this.#options.history.ended(callId)
      this.#options.overElsewhere(callId)
    }
    return reply.code(204).send()
  }

  /**
   * While a stream is connected, this issues no token: the carrier requests `resume` when the stream is gone, and
   * signatures can be replayed.
   */
  #continue(call: Call, inProgress: boolean, query: URLSearchParams): Instructions {
    if (call.state.status === 'over' || (call.stopped && !inProgress)) return this.instructions.hangUp()
    if (call.streaming) return this.#reception.defer(call, query, call.attempt, REPEATED_SECONDS)
    if (call.unheard(this.#options.now())) return this.#refuseOld(call)
    call.reopen(this.#options.now())
    return this.#reception.connect(call, query, true)
  }

  #resume(call: Call, query: URLSearchParams, attempt: number | undefined): Instructions {
    const { tokens, limits, now, log } = this.#options
    const reception = this.#reception
    if (call.state.status === 'over')
      return call.state.sorry ? reception.apologize() : this.instructions.hangUp()
    if (attempt !== undefined && attempt < call.attempt) {
      if (call.overtaken(attempt)) return reception.defer(call, query, attempt, OVERTAKEN_SECONDS)
      // Redelivered.
      if (tokens.outstanding(call.callId)) return reception.connect(call, query, true)
    }
    if (call.resumed(now()) <= limits.maxResumes) return reception.connect(call, query)
    if (call.state.status !== 'live') call.end(now())
    log.warn({ callId: call.callId, resumes: limits.maxResumes }, 'resumption limit reached')
    return reception.apologize()
  }

  /** Ends the call permanently; `by` is the side that ended it. Returns false if it is not here. */
  over(callId: string, by: 'remote' | 'local'): boolean {
    const call = this.#options.calls.get(callId)
    if (!call) return false
    const { state } = call
    call.end(this.#options.now())
    if (state.status === 'live') void state.leg.close({ kind: 'hangup', by })
    return true
  }

  /** Redirects: the same request is repeated after a moment, and reaches another server. */
  #sendOn(request: FastifyRequest, reply: FastifyReply, call?: Call): FastifyReply {
    const incoming = this.callOf(request)
    if (!incoming) return this.#refuse(request, reply)
    if (call?.state.status === 'over') return send(reply, this.instructions.hangUp())
    const { calls, publicUrl, departure } = this.#options
    // Only once the response is on its way, because the server closes next.
    reply.raw.once('close', () => calls.sentOn(incoming.callId))
    return send(
      reply.header('connection', 'close'),
      this.instructions.waitAndAsk(
        departure()?.resumeDelaySeconds ?? REPEATED_SECONDS,
        publicUrl().http(request.originalUrl),
      ),
    )
  }

  #refuse(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.#options.log.warn({ route: request.routeOptions.url, status: 400 }, 'request rejected: no call id')
    return reply.code(400).send()
  }
}

function send(reply: FastifyReply, { contentType, body }: Instructions): FastifyReply {
  return reply.type(contentType).send(body)
}

/** A stream that ended this long after it could start has worked. Instructions are no older than a day (s). */
const WORKED_SECONDS = 3
const LONGEST_SECONDS = 86_400

/** Reads the counts from a resume URL; signed with the whole URL. `now`: wall-clock ms. */
function pastOf({ query }: IncomingCall, now: number): ResumeState & { readonly expired: boolean } {
  const seconds = now / 1_000 - (countOf(query[ISSUED_FIELD]) ?? Number.POSITIVE_INFINITY)
  const before = countOf(query[RESUMES_FIELD]) ?? 0
  // Repeated resumptions started with a pause, as `connect` has it.
  const lasted = seconds - Math.max(0, before - 1)
  const worked = lasted >= WORKED_SECONDS && seconds < LONGEST_SECONDS
  const resumes = worked ? 0 : before
  const expired = query[ISSUED_FIELD] !== undefined && seconds >= LONGEST_SECONDS
  return { resumes, expired, attempt: countOf(query[ATTEMPT_FIELD]), beganAt: countOf(query[BEGAN_FIELD]) }
}

function countOf(text: string | undefined): number | undefined {
  const count = Number(text)
  return Number.isInteger(count) && count > 0 ? count : undefined
}
