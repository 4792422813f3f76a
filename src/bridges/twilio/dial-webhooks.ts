import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Entrance } from '../telephony/call-admission.ts'
import type { Dial } from '../telephony/outbound/dial.ts'
import type { TwilioDialler } from '../telephony/outbound/dialler.ts'
import { incomingCall } from './incoming-call.ts'
import { verdictOf } from './twilio-words.ts'
import { hangUp } from './twiml.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * Handles Twilio’s requests about outbound calls. The field `dial` in the address, our own id, identifies the call,
 * because requests can arrive before the response with its CallSid.
 */
export class DialWebhooks {
  readonly #dialler: TwilioDialler | undefined
  readonly #entrance: Entrance
  readonly #webhooks: Webhooks

  constructor(dialler: TwilioDialler | undefined, entrance: Entrance, webhooks: Webhooks) {
    this.#dialler = dialler
    this.#entrance = entrance
    this.#webhooks = webhooks
  }

  /** The call was answered. Hangs up unwanted calls. */
  answer(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    return this.#webhooks.answer(request, reply, ({ callSid, query }) => {
      const dial = this.#dialler?.get(query.dial)
      if (!dial?.answered(callSid)) return hangUp()
      return this.#entrance.admitGuest(callSid, { invitation: dial.invitation, watch: dial }, request)
    })
  }

  /** The call’s status has changed. */
  status(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const answered = this.#webhooks.status(request, reply)
    this.#about(request, (dial, callSid, { CallStatus = '' }) => dial.told(callSid, CallStatus))
    return answered
  }

  /** Result of machine detection. Also hangs up on machines called by a server that has ended. */
  machine(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.#about(request, (dial, callSid, { AnsweredBy = '' }) => dial.detected(callSid, AnsweredBy))
    const incoming = incomingCall(request)
    if (incoming && !this.#dialler?.get(incoming.query.dial)) {
      const { callSid, parameters } = incoming
      if (verdictOf(parameters.AnsweredBy ?? '')?.type === 'machine') this.#webhooks.over(callSid, 'local')
    }
    return reply.code(204).send()
  }

  #about(
    request: FastifyRequest,
    tell: (dial: Dial, callSid: string, parameters: Readonly<Record<string, string>>) => void,
  ): void {
    const incoming = incomingCall(request)
    const dial = this.#dialler?.get(incoming?.query.dial)
    if (incoming && dial) tell(dial, incoming.callSid, incoming.parameters)
  }
}
