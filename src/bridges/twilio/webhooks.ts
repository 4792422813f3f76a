import type { FastifyReply, FastifyRequest } from 'fastify'
import { AnswersGiven } from './answers-given.ts'
import type { Call } from './call.ts'
import { guestOf } from './dial/guest-pass.ts'
import {
  type Entrance,
  type EntranceTerms,
  GUEST_FIELD,
  type Past,
  RESUMES_FIELD,
  ROUND_FIELD,
} from './entrance.ts'
import { incomingCall, queryOf } from './incoming-call.ts'
import { withoutMenu } from './menu/menu.ts'
import type { IncomingCall } from './options.ts'
import { hangUp, waitAndAsk } from './twiml.ts'

/** Who is told to wait for a stream that is there already asks again after this long (s). */
const OVERTAKEN_SECONDS = 5
const REPEATED_SECONDS = 1
/** When a new call may be offered again to a server that ends, or the one after it. */
const RETRY_SECONDS = '1'

const ENDED = new Set(['completed', 'busy', 'failed', 'no-answer', 'canceled'])

/** Answers Twilio's webhooks: what to do with a call, what to do when its stream broke, and that it is over. */
export class Webhooks {
  readonly #terms: EntranceTerms
  readonly #entrance: Entrance
  readonly #given = new AnswersGiven()

  constructor(entrance: Entrance, terms: EntranceTerms) {
    this.#entrance = entrance
    this.#terms = terms
  }

  /** A call comes in. Delivered twice, it gets the same answer. */
  voice(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const departure = this.#terms.departure()
    const known = (callSid: string) => this.#terms.calls.get(callSid) !== undefined
    if (departure?.elsewhere && !known(incomingCall(request)?.callSid ?? ''))
      return reply.code(503).headers({ 'retry-after': RETRY_SECONDS, connection: 'close' }).send()
    return this.answer(request, reply, incoming => this.#entrance.letIn(incoming, request))
  }

  /** A caller has pressed keys at a menu, or none. Delivered twice, it counts once. */
  menu(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    if (this.#terms.calls.leaving) return this.#sendOn(request, reply)
    return this.answer(request, reply, incoming => {
      const key = [incoming.callSid, queryOf(request), incoming.parameters.Digits ?? ''].join('\n')
      return this.#given.once(key, () => this.#entrance.answer(incoming, request))
    })
  }

  /**
   * A call that is known already goes on as it was; any other is for `fresh`. While a stream is there nobody gets a
   * token by asking this again: Twilio asks to `resume` when it is gone, and signatures can be replayed.
   */
  answer(
    request: FastifyRequest,
    reply: FastifyReply,
    fresh: (incoming: IncomingCall) => string,
  ): FastifyReply {
    const incoming = incomingCall(request)
    if (!incoming) return this.#refuse(request, reply)
    const { calls, now } = this.#terms
    const call = calls.get(incoming.callSid)
    if (!call) return twiml(reply, fresh(incoming))
    if (calls.leaving) return this.#sendOn(request, reply, call)
    const inProgress = incoming.parameters.CallStatus === 'in-progress'
    if (call.state.status === 'over' || (call.stopped && !inProgress)) return twiml(reply, hangUp())
    const query = withoutMenu(queryOf(request))
    if (call.streaming) return twiml(reply, this.#entrance.holdOff(call, query, call.round, REPEATED_SECONDS))
    call.reopen(now())
    return twiml(reply, this.#entrance.connect(call, query, true))
  }

  /** The stream is gone and the call lives: connect it again, say sorry, or hang up. */
  resume(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { calls, tokens, limits, now, log } = this.#terms
    const incoming = incomingCall(request)
    if (!incoming) return this.#refuse(request, reply)
    const entrance = this.#entrance
    const call = calls.get(incoming.callSid)
    if (calls.leaving || (!call && this.#terms.departure())) return this.#sendOn(request, reply, call)
    if (call?.state.status === 'over') return twiml(reply, call.state.sorry ? entrance.apologise() : hangUp())
    const past = pastOf(incoming)
    // Placed by a server that is gone.
    const stray = !call && incoming.query.dial !== undefined
    const guest = stray ? guestOf(incoming.query[GUEST_FIELD]) : undefined
    if (stray && !guest) return twiml(reply, hangUp())
    const query = new URLSearchParams(queryOf(request))
    if (call && past.round !== undefined && past.round < call.round) {
      if (call.overtaken(past.round))
        return twiml(reply, entrance.holdOff(call, query, past.round, OVERTAKEN_SECONDS))
      // Delivered twice.
      if (tokens.outstanding(call.callSid)) return twiml(reply, entrance.connect(call, query, true))
    }
    const resumes = call?.resumed(now()) ?? past.resumes + 1
    if (resumes > limits.maxResumes) {
      if (call?.state.status !== 'live') call?.end(now())
      log.warn({ callSid: incoming.callSid, resumes: limits.maxResumes }, 'call given up after resumptions')
      return twiml(reply, entrance.apologise())
    }
    if (call) return twiml(reply, entrance.connect(call, query))
    if (guest)
      return twiml(
        reply,
        entrance.admitGuest(incoming.callSid, { invitation: guest, ...past, resumes }, request),
      )
    return twiml(reply, entrance.letIn(incoming, request, { ...past, resumes }))
  }

  /** The call's status callback: its end is final, whatever becomes of the socket. */
  status(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const incoming = incomingCall(request)
    if (!incoming) return this.#refuse(request, reply)
    if (ENDED.has(incoming.parameters.CallStatus ?? '')) this.over(incoming.callSid, 'remote')
    return reply.code(204).send()
  }

  /** The call is over for good, by whoever ended it. */
  over(callSid: string, by: 'remote' | 'local'): void {
    const call = this.#terms.calls.get(callSid)
    if (!call) return
    const { state } = call
    call.end(this.#terms.now())
    if (state.status === 'live') void state.leg.close({ kind: 'hangup', by })
  }

  /** Whoever asks here asks the same again in a moment, and then another server. */
  #sendOn(request: FastifyRequest, reply: FastifyReply, call?: Call): FastifyReply {
    const incoming = incomingCall(request)
    if (!incoming) return this.#refuse(request, reply)
    if (call?.state.status === 'over') return twiml(reply, hangUp())
    const { calls, publicUrl, departure } = this.#terms
    // Not before it is on its way: whoever hands over closes the server next.
    reply.raw.once('close', () => calls.sentOn(incoming.callSid))
    return twiml(
      reply.header('connection', 'close'),
      waitAndAsk(departure()?.askSeconds ?? REPEATED_SECONDS, publicUrl().http(request.originalUrl)),
    )
  }

  #refuse(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.#terms.log.warn({ route: request.routeOptions.url, status: 400 }, 'request refused: no CallSid')
    return reply.code(400).send()
  }
}

function twiml(reply: FastifyReply, document: string): FastifyReply {
  return reply.type('text/xml; charset=utf-8').send(document)
}

/** The counts in a resumption's URL; signed, as the whole URL is. */
function pastOf({ query }: IncomingCall): Past {
  const resumes = countOf(query[RESUMES_FIELD]) ?? 0
  const round = countOf(query[ROUND_FIELD])
  return round === undefined ? { resumes } : { resumes, round }
}

function countOf(text: string | undefined): number | undefined {
  const count = Number(text)
  return Number.isInteger(count) && count > 0 ? count : undefined
}
