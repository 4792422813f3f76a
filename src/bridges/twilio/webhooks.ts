import type { FastifyReply, FastifyRequest } from 'fastify'
import { BoundedMap } from '../../common/bounded-map.ts'
import { isLanguageId } from '../../common/language.ts'
import type { RouteWords } from '../../net/route-schema.ts'
import type { CallAdmission, EntranceOptions, ResumeState } from '../telephony/call-admission.ts'
import type { Instructions } from '../telephony/call-instructions.ts'
import type { Call } from '../telephony/call-registry.ts'
import { type Answers, type IncomingCall, LANGUAGE_FIELD, queryOf } from '../telephony/incoming-call.ts'
import { withoutMenu } from '../telephony/menu.ts'
import type { CarrierDialer } from '../telephony/outbound/carrier-dialer.ts'
import type { OutboundCall } from '../telephony/outbound/outbound-call.ts'
import { GUEST_FIELD, guestOf, RESUMES_FIELD, ROUND_FIELD } from '../telephony/resumption.ts'
import { inputOf, verdictOf } from './calls-api.ts'
import { twiml } from './twiml.ts'

const CALL_SID = /^[A-Za-z0-9_-]{2,64}$/
const MAX_FIELDS = 500

/** Returns the call of a webhook, or undefined if the request has none. */
export function incomingCall(request: FastifyRequest): IncomingCall | undefined {
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
    answers: answersIn(query),
  }
}

function answersIn(query: Readonly<Record<string, string>>): Answers {
  const language = query[LANGUAGE_FIELD]
  return language !== undefined && isLanguageId(language) ? { language } : {}
}

/**
 * Handles Twilio’s requests about outbound calls. The field `dial` in the address, our own id, identifies the call,
 * because requests can arrive before the response with its CallSid.
 */
export class DialWebhooks {
  readonly #dialler: CarrierDialer | undefined
  readonly #entrance: CallAdmission
  readonly #webhooks: Webhooks

  constructor(dialler: CarrierDialer | undefined, entrance: CallAdmission, webhooks: Webhooks) {
    this.#dialler = dialler
    this.#entrance = entrance
    this.#webhooks = webhooks
  }

  /** The call was answered. Hangs up unwanted calls. */
  answer(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    return this.#webhooks.answer(request, reply, ({ callSid, query }) => {
      const dial = this.#dialler?.get(query.dial)
      if (!dial?.answered(callSid)) return twiml.hangUp()
      return this.#entrance.admitGuest(callSid, { invitation: dial.invitation, watch: dial }, request)
    })
  }

  /** The call’s status has changed. */
  status(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const answered = this.#webhooks.status(request, reply)
    this.#about(request, (dial, callSid, { CallStatus = '' }) => dial.told(callSid, inputOf(CallStatus)))
    return answered
  }

  /** Result of machine detection. Also hangs up on machines called by a server that has ended. */
  machine(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.#about(request, (dial, callSid, { AnsweredBy = '' }) =>
      dial.detected(callSid, verdictOf(AnsweredBy)),
    )
    const incoming = incomingCall(request)
    if (incoming && !this.#dialler?.get(incoming.query.dial)) {
      const { callSid, parameters } = incoming
      if (verdictOf(parameters.AnsweredBy ?? '')?.type === 'machine') this.#webhooks.over(callSid, 'local')
    }
    return reply.code(204).send()
  }

  #about(
    request: FastifyRequest,
    tell: (dial: OutboundCall, callSid: string, parameters: Readonly<Record<string, string>>) => void,
  ): void {
    const incoming = incomingCall(request)
    const dial = this.#dialler?.get(incoming?.query.dial)
    if (incoming && dial) tell(dial, incoming.callSid, incoming.parameters)
  }
}

const CALL = {
  CallSid: 'The call.',
  AccountSid: 'The account.',
  From: 'Caller: E.164, sip: or client:.',
  To: 'Destination.',
  CallStatus: 'ringing, in-progress, completed …',
}
const TWIML = 'text/xml'

/**
 * Descriptions of the webhooks for a host’s OpenAPI document, by their path below the bridge’s. Twilio signs all of
 * them.
 */
export const WEBHOOKS = {
  voice: { summary: 'Instructions for an incoming call.', answers: TWIML, form: CALL },
  resume: { summary: 'Instructions for a call whose stream has ended.', answers: TWIML, form: CALL },
  menu: {
    summary: 'Keys pressed by a caller in a menu.',
    answers: TWIML,
    form: { ...CALL, Digits: 'The keys.' },
  },
  status: { summary: 'Final status of a call.', status: 204, form: CALL },
  'dial/answer': {
    summary: 'Instructions for an outbound call that was answered.',
    answers: TWIML,
    form: CALL,
  },
  'dial/status': { summary: 'Status of an outbound call.', status: 204, form: CALL },
  'dial/machine': {
    summary: 'Result of machine detection.',
    status: 204,
    form: { ...CALL, AnsweredBy: 'human, machine_start, unknown …' },
  },
} as const satisfies Record<string, Omit<RouteWords, 'tag'>>

/** Delays before a deferred request is repeated (s). */
const OVERTAKEN_SECONDS = 5
const REPEATED_SECONDS = 1
/** Delay before a new call is retried at a server that is shutting down or its successor. */
const RETRY_SECONDS = '1'

const ENDED = new Set(['completed', 'busy', 'failed', 'no-answer', 'canceled'])

/** Handles Twilio’s webhooks: new calls, lost streams and ended calls. */
export class Webhooks {
  readonly #terms: EntranceOptions
  readonly #entrance: CallAdmission
  readonly #given = new BoundedMap<Instructions>()

  constructor(entrance: CallAdmission, terms: EntranceOptions) {
    this.#entrance = entrance
    this.#terms = terms
  }

  /** Handles an incoming call. A redelivered request gets the same response. */
  voice(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const departure = this.#terms.departure()
    const known = (callSid: string) => this.#terms.calls.get(callSid) !== undefined
    if (departure?.elsewhere && !known(incomingCall(request)?.callSid ?? ''))
      return reply.code(503).headers({ 'retry-after': RETRY_SECONDS, connection: 'close' }).send()
    return this.answer(request, reply, incoming => this.#entrance.letIn(incoming, request))
  }

  /** Handles the keys of a menu. A redelivered request counts once. */
  menu(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    if (this.#terms.calls.leaving) return this.#sendOn(request, reply)
    return this.answer(request, reply, incoming => {
      const key = [incoming.callSid, queryOf(request), incoming.parameters.Digits ?? ''].join('\n')
      return this.#given.once(key, () => this.#entrance.answer(incoming, request))
    })
  }

  /**
   * Continues a known call unchanged; `fresh` handles any other. While a stream is connected, this issues no token:
   * Twilio requests `resume` when the stream is gone, and signatures can be replayed.
   */
  answer(
    request: FastifyRequest,
    reply: FastifyReply,
    fresh: (incoming: IncomingCall) => Instructions,
  ): FastifyReply {
    const incoming = incomingCall(request)
    if (!incoming) return this.#refuse(request, reply)
    const { calls, now } = this.#terms
    const call = calls.get(incoming.callSid)
    if (!call) return send(reply, fresh(incoming))
    if (calls.leaving) return this.#sendOn(request, reply, call)
    const inProgress = incoming.parameters.CallStatus === 'in-progress'
    if (call.state.status === 'over' || (call.stopped && !inProgress)) return send(reply, twiml.hangUp())
    const query = withoutMenu(queryOf(request))
    if (call.streaming) return send(reply, this.#entrance.holdOff(call, query, call.round, REPEATED_SECONDS))
    call.reopen(now())
    return send(reply, this.#entrance.connect(call, query, true))
  }

  /** The stream is gone and the call continues: reconnects it, apologizes, or hangs up. */
  resume(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { calls, tokens, limits, now, log } = this.#terms
    const incoming = incomingCall(request)
    if (!incoming) return this.#refuse(request, reply)
    const entrance = this.#entrance
    const call = calls.get(incoming.callSid)
    if (calls.leaving || (!call && this.#terms.departure())) return this.#sendOn(request, reply, call)
    if (call?.state.status === 'over')
      return send(reply, call.state.sorry ? entrance.apologise() : twiml.hangUp())
    const past = pastOf(incoming)
    // Placed by a server that has ended.
    const stray = !call && incoming.query.dial !== undefined
    const guest = stray ? guestOf(incoming.query[GUEST_FIELD]) : undefined
    if (stray && !guest) return send(reply, twiml.hangUp())
    const query = new URLSearchParams(queryOf(request))
    if (call && past.round !== undefined && past.round < call.round) {
      if (call.overtaken(past.round))
        return send(reply, entrance.holdOff(call, query, past.round, OVERTAKEN_SECONDS))
      // Redelivered.
      if (tokens.outstanding(call.callSid)) return send(reply, entrance.connect(call, query, true))
    }
    const resumes = call?.resumed(now()) ?? past.resumes + 1
    if (resumes > limits.maxResumes) {
      if (call?.state.status !== 'live') call?.end(now())
      log.warn({ callSid: incoming.callSid, resumes: limits.maxResumes }, 'resumption limit reached')
      return send(reply, entrance.apologise())
    }
    if (call) return send(reply, entrance.connect(call, query))
    if (guest)
      return send(
        reply,
        entrance.admitGuest(incoming.callSid, { invitation: guest, ...past, resumes }, request),
      )
    return send(reply, entrance.letIn(incoming, request, { ...past, resumes }))
  }

  /** Handles the call’s status callback. A final status ends the call, regardless of its socket. */
  status(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const incoming = incomingCall(request)
    if (!incoming) return this.#refuse(request, reply)
    if (ENDED.has(incoming.parameters.CallStatus ?? '')) this.over(incoming.callSid, 'remote')
    return reply.code(204).send()
  }

  /** Ends the call permanently; `by` is the side that ended it. */
  over(callSid: string, by: 'remote' | 'local'): void {
    const call = this.#terms.calls.get(callSid)
    if (!call) return
    const { state } = call
    call.end(this.#terms.now())
    if (state.status === 'live') void state.leg.close({ kind: 'hangup', by })
  }

  /** Redirects: the same request is repeated after a moment, and reaches another server. */
  #sendOn(request: FastifyRequest, reply: FastifyReply, call?: Call): FastifyReply {
    const incoming = incomingCall(request)
    if (!incoming) return this.#refuse(request, reply)
    if (call?.state.status === 'over') return send(reply, twiml.hangUp())
    const { calls, publicUrl, departure } = this.#terms
    // Only once the response is on its way, because the server closes next.
    reply.raw.once('close', () => calls.sentOn(incoming.callSid))
    return send(
      reply.header('connection', 'close'),
      twiml.waitAndAsk(departure()?.askSeconds ?? REPEATED_SECONDS, publicUrl().http(request.originalUrl)),
    )
  }

  #refuse(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.#terms.log.warn({ route: request.routeOptions.url, status: 400 }, 'request rejected: no CallSid')
    return reply.code(400).send()
  }
}

function send(reply: FastifyReply, { contentType, body }: Instructions): FastifyReply {
  return reply.type(contentType).send(body)
}

/** Reads the counts from a resume URL; signed with the whole URL. */
function pastOf({ query }: IncomingCall): ResumeState {
  const resumes = countOf(query[RESUMES_FIELD]) ?? 0
  const round = countOf(query[ROUND_FIELD])
  return round === undefined ? { resumes } : { resumes, round }
}

function countOf(text: string | undefined): number | undefined {
  const count = Number(text)
  return Number.isInteger(count) && count > 0 ? count : undefined
}
