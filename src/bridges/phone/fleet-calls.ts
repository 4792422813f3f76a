import { z } from 'zod'
import { BridgeError } from '../../common/errors.ts'
import { MOVED, type RoomPlacement } from '../../core/calls/room-homes.ts'
import type { Exchange } from '../../core/model/fleet.ts'
import type { Invitation } from '../../core/model/invitation.ts'
import type { AdmittedCall } from './call-registry.ts'
import type { Instructions } from './carrier.ts'
import { invitationFields } from './resumption.ts'

/** Time in which the home of a room answers for a call (ms). Short, because the home has possibly ended. */
const ANSWER_MS = 400

/** The part of a carrier’s bridge in a fleet. The caller keeps ownership of all objects. */
export interface CarrierFleet {
  /** Name of this node. */
  readonly node: string
  readonly homes: RoomPlacement & {
    /** Returns whether this node is home to `room`, or has become it. Rejects with `FLEET_AWAY`. */
    holds(room: string): Promise<boolean>
    onLost(listener: (rooms: ReadonlySet<string>) => void): Disposable
  }
  readonly exchange: Exchange
  /** Returns the invitation of a call that continues, with what the participant has changed at another node. */
  readonly changed?: (callId: string, invitation: Invitation) => Promise<Invitation>
  /**
   * Public address of this node, `publicUrl` followed by a path that the server removes: streams and requests about
   * calls that are here arrive there. Undefined: the listening address.
   */
  readonly nodeUrl: string | undefined
}

const count = z.int().min(0).max(1_000_000)
const { room: _room, echo: _echo, called: _called, ...calleeFields } = invitationFields

const dialSchema = z.object({
  to: z.string().max(64),
  callee: z.object(calleeFields).partial(),
  ringSeconds: z.number().optional(),
  unanswered: z.enum(['hang-up', 'stay']).optional(),
  resumed: z.literal(true).optional(),
})

/** A call that another node received and that enters a room here. */
const requestSchema = z.object({
  callId: z.string().min(1).max(128),
  /** The carrier asks how to continue after a stream; otherwise, the call is new or its request was repeated. */
  resumes: z.boolean(),
  /** The call is in progress according to the carrier. */
  inProgress: z.boolean(),
  query: z.string().max(8_192),
  /** The number called, whose limits apply. */
  number: z.string().max(128).optional(),
  admitted: z.object({
    invitation: z
      .object({ ...invitationFields, dial: dialSchema })
      .partial()
      .required({ room: true }),
    callee: z.boolean().optional(),
    resumes: count.optional(),
    attempt: count.optional(),
    beganAt: z.number().positive().optional(),
  }),
})

const answerSchema = z.union([
  z.object({ moved: z.literal(true) }),
  z.object({ contentType: z.string().max(128), body: z.string().max(65_536) }),
])

/** A call for which a carrier’s request arrived, at any node. */
export interface EnteringCall {
  readonly callId: string
  readonly resumes: boolean
  readonly inProgress: boolean
  readonly query: URLSearchParams
  readonly number?: string | undefined
  readonly admitted: AdmittedCall
}

/** The home’s side: answers for a call that entered a room at this node. */
export interface CallHost {
  /** Answers for a call that is known here; undefined for any other. */
  known(call: EnteringCall): Instructions | undefined
  /** Admits a call here. */
  admit(call: EnteringCall): Instructions
  /** A call has ended, according to the carrier. */
  over(callId: string): void
}

/**
 * Passes calls between the nodes of a fleet: the carrier’s request for a call arrives at any node, and the home of the
 * call’s room answers it. Without a fleet, every call stays here.
 */
export class FleetCalls implements Disposable {
  readonly #name: string
  readonly #fleet: CarrierFleet | undefined
  readonly #stack = new DisposableStack()
  #host: CallHost | undefined

  /** `carrier` is the name of the carrier; `fleet` is undefined for a standalone server. */
  constructor(carrier: string, fleet: CarrierFleet | undefined) {
    this.#name = carrier
    this.#fleet = fleet
  }

  /** Admits calls with `host` from now on, those of other nodes included. Call it once. */
  start(host: CallHost): void {
    this.#host = host
    if (!this.#fleet) return
    const { exchange } = this.#fleet
    this.#stack.use(exchange.answer(`call.${this.#name}`, requestSchema, request => this.#answer(request)))
    const over = z.object({ callId: z.string().max(128) })
    this.#stack.use(exchange.hear(`over.${this.#name}`, over, ({ callId }) => host.over(callId)))
  }

  /** Answers for `call`, which is unknown here, at the home of its room. Rejects with `FLEET_AWAY`. */
  async enter(call: EnteringCall): Promise<Instructions> {
    const { room } = call.admitted.invitation
    if (!this.#fleet) return this.#here(call)
    const { homes, exchange } = this.#fleet
    return homes.enter({
      room,
      // A room of one’s own, which only people called from it enter.
      closed: room === `call ${call.callId}`,
      here: () => this.#here(call),
      there: node => this.#ask(exchange, node, call),
    })
  }

  /** Tells the node that has the call that it has ended. */
  over(callId: string): void {
    this.#fleet?.exchange.tell(`over.${this.#name}`, { callId })
  }

  [Symbol.dispose](): void {
    this.#stack.dispose()
  }

  /** Another request for the same call can have been answered meanwhile. */
  #here(call: EnteringCall): Instructions {
    if (!this.#host)
      throw new BridgeError('STATE', 'calls cannot be admitted before the bridge is registered')
    return this.#host.known(call) ?? this.#host.admit(call)
  }

  async #ask(
    exchange: Exchange,
    node: string,
    { callId, resumes, inProgress, query, number, admitted: { invitation, callee, ...past } }: EnteringCall,
  ): Promise<Instructions | typeof MOVED> {
    const request: z.input<typeof requestSchema> = {
      ...{ callId, resumes, inProgress, number },
      query: query.toString(),
      admitted: { invitation, callee, resumes: past.resumes, attempt: past.attempt, beganAt: past.beganAt },
    }
    const answer = await exchange.ask(node, `call.${this.#name}`, request, ANSWER_MS)
    const known = answerSchema.parse(answer)
    return 'moved' in known ? MOVED : known
  }

  async #answer(request: z.output<typeof requestSchema>): Promise<z.input<typeof answerSchema>> {
    const call: EnteringCall = {
      ...request,
      query: new URLSearchParams(request.query),
      admitted: { ...request.admitted, invitation: request.admitted.invitation as Invitation },
    }
    const known = this.#host?.known(call)
    if (known) return known
    if (!(await this.#fleet?.homes.holds(call.admitted.invitation.room))) return { moved: true }
    return this.#here(call)
  }
}
