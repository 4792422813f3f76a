import type { FastifyRequest } from 'fastify'
import { numberOf } from '../markup/call-form.ts'
import type { DialInput, FinalStatus } from '../outbound/outbound-call-state.ts'
import type { CarrierRequest, CarrierRequests } from '../ports/carrier-requests.ts'

const CALL_SID = /^[A-Za-z0-9_-]{2,64}$/
const MAX_FIELDS = 500

/** Reads jambonz’s webhooks: JSON with names in snake case (jambonz: session:new, verb hooks, call status, AMD). */
export const jambonzRequests: CarrierRequests = {
  contentType: 'application/json',
  read,
  words: {
    call: {
      call_sid: 'The call.',
      account_sid: 'The account.',
      from: 'Caller: a number or a SIP user.',
      to: 'Destination.',
      call_status: 'trying, ringing, in-progress, completed …',
    },
    digits: { digits: 'The keys.' },
    answeredBy: { type: 'amd_human_detected, amd_machine_detected …' },
  },
}

function read({ body }: FastifyRequest): CarrierRequest | undefined {
  const fields = typeof body === 'string' ? fieldsIn(body) : undefined
  const { call_sid: callId = '', account_sid: accountId = '', from = '', to = '' } = fields ?? {}
  if (!fields || !CALL_SID.test(callId)) return undefined
  const { direction = '', digits = '', call_status: status = '', type = '' } = fields
  return {
    ...{ callId, accountId, direction, fields, digits },
    from: numberOf(from),
    to: numberOf(to),
    status: inputOf(status),
    answeredBy: verdictOf(type),
  }
}

/** Returns the texts and numbers of a JSON object; undefined if `body` is not one, or has too many fields. */
function fieldsIn(body: string): Readonly<Record<string, string>> | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined
  const entries = Object.entries(parsed)
  if (entries.length > MAX_FIELDS) return undefined
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of entries)
    if (typeof value === 'string' || typeof value === 'number') fields[name] = String(value)
  return fields
}

const FINAL: Readonly<Record<string, FinalStatus>> = {
  completed: 'completed',
  busy: 'busy',
  'no-answer': 'no-answer',
  failed: 'failed',
}

/** Converts a `call_status`; undefined if it is irrelevant. */
export function inputOf(status: string): DialInput | undefined {
  if (status === 'ringing' || status === 'early-media') return { type: 'ringing' }
  if (status === 'in-progress') return { type: 'picked-up' }
  const final = Object.hasOwn(FINAL, status) ? FINAL[status] : undefined
  return final && { type: 'final', status: final }
}

/** Results that exclude a machine: without speech or a decision, a person is assumed. */
const PERSON = ['amd_human_detected', 'amd_no_speech_detected', 'amd_decision_timeout']

/** Converts the `type` of an AMD event; undefined for events after the decision. */
export function verdictOf(type: string): DialInput | undefined {
  if (type === 'amd_machine_detected') return { type: 'machine' }
  return PERSON.includes(type) ? { type: 'person' } : undefined
}
