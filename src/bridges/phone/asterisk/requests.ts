import type { FastifyRequest } from 'fastify'
import { firstValues, numberOf } from '../markup/call-form.ts'
import type { DialInput } from '../outbound/outbound-call-state.ts'
import type { CarrierRequest, CarrierRequests, RequestVerifier } from '../ports/carrier-requests.ts'
import { hasBasicCredentials } from '../ports/credentials.ts'
import type { AsteriskStream } from './dialplan.ts'

/** User name of the dialplan’s requests. */
export const USER = 'dragoman'

/** An `UNIQUEID` can have the system’s name in front: `office-1764098434.12`. */
const CALL = /^[\w.-]{2,64}$/
const MAX_FIELDS = 50

/** Reads the requests of the dialplan: a form with names that the dialplan chooses. */
export const asteriskRequests: CarrierRequests = {
  contentType: 'application/x-www-form-urlencoded',
  read,
  words: {
    call: {
      call: 'The call: UNIQUEID of its channel.',
      from: 'Caller: CALLERID(num).',
      to: 'Destination: EXTEN.',
      direction: 'inbound or outbound.',
      state: 'CHANNEL(state): Ring or Up; DIALSTATUS, or completed.',
    },
    digits: { digits: 'The keys.' },
    answeredBy: { answeredBy: 'AMDSTATUS: HUMAN, MACHINE, NOTSURE or HANGUP.' },
  },
}

function read({ body }: FastifyRequest): CarrierRequest | undefined {
  const fields = firstValues(Object.entries((body ?? {}) as Record<string, string | string[]>), MAX_FIELDS)
  if (!fields) return undefined
  const { call = '', from = '', to = '', direction = '' } = fields
  if (!CALL.test(call)) return undefined
  const { digits = '', state = '', answeredBy = '' } = fields
  return {
    ...{ callId: call, accountId: '', direction, fields, digits },
    from: numberOf(from),
    to: numberOf(to),
    status: inputOf(state),
    answeredBy: verdictOf(answeredBy),
  }
}

const STATES: Readonly<Record<string, DialInput>> = {
  ringing: { type: 'ringing' },
  up: { type: 'picked-up' },
  completed: { type: 'final', status: 'completed' },
  busy: { type: 'final', status: 'busy' },
  noanswer: { type: 'final', status: 'no-answer' },
  cancel: { type: 'final', status: 'canceled' },
  congestion: { type: 'final', status: 'failed' },
  chanunavail: { type: 'final', status: 'failed' },
}

/** Converts the state of a channel, or a `DIALSTATUS`; undefined if it is irrelevant. */
export function inputOf(state: string): DialInput | undefined {
  const name = state.toLowerCase()
  return Object.hasOwn(STATES, name) ? STATES[name] : undefined
}

/** Converts an `AMDSTATUS`; anything not identified as a machine is a person. */
export function verdictOf(answeredBy: string): DialInput | undefined {
  if (answeredBy === '') return undefined
  return { type: answeredBy === 'MACHINE' ? 'machine' : 'person' }
}

/** Accepts requests with one of the secrets as password; upgrades only for chan_websocket. */
export class AsteriskVerifier implements RequestVerifier {
  readonly #secrets: readonly string[]
  readonly #stream: AsteriskStream

  constructor(secrets: readonly string[], stream: AsteriskStream) {
    this.#secrets = secrets
    this.#stream = stream
  }

  webhook(request: FastifyRequest): boolean {
    let known = false
    for (const secret of this.#secrets) if (hasBasicCredentials(request, USER, secret)) known = true
    return known
  }

  upgrade(request: FastifyRequest): boolean {
    return this.#stream === 'websocket' && this.webhook(request)
  }
}
