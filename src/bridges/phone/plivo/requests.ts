import type { FastifyRequest } from 'fastify'
import { firstValues } from '../markup/call-form.ts'
import type { DialInput, FinalStatus } from '../outbound/outbound-call-state.ts'
import type { CarrierRequest, CarrierRequests } from '../ports/carrier-requests.ts'

const CALL_UUID = /^[A-Za-z0-9-]{2,64}$/
const MAX_FIELDS = 500

/** Reads Plivo’s webhooks: answer, action, hangup, ring and machine detection URL (Plivo: XML request, Make a call). */
export const plivoRequests: CarrierRequests = {
  contentType: 'application/x-www-form-urlencoded',
  read,
  words: {
    call: {
      CallUUID: 'The call.',
      From: 'Caller: digits with the country code, or a SIP address.',
      To: 'Destination.',
      CallStatus: 'ringing, in-progress, completed …',
    },
    digits: { Digits: 'The keys.' },
    answeredBy: { Machine: 'true if a machine answered.' },
  },
}

function read({ body }: FastifyRequest): CarrierRequest | undefined {
  const fields = firstValues(Object.entries((body ?? {}) as Record<string, string | string[]>), MAX_FIELDS)
  if (!fields) return undefined
  const { CallUUID = '', From = '', To = '', Direction = '' } = fields
  if (!CALL_UUID.test(CallUUID)) return undefined
  const { Digits = '', CallStatus = '', Machine = '' } = fields
  return {
    callId: CallUUID,
    // Webhooks do not contain the account.
    accountId: '',
    from: numberOf(From),
    to: numberOf(To),
    direction: Direction,
    fields,
    digits: Digits,
    status: inputOf(CallStatus),
    answeredBy: verdictOf(Machine),
  }
}

const DIGITS = /^[1-9]\d{6,14}$/

/** Plivo writes E.164 numbers without their plus. */
function numberOf(text: string): string {
  return DIGITS.test(text) ? `+${text}` : text
}

const FINAL: Readonly<Record<string, FinalStatus>> = {
  completed: 'completed',
  busy: 'busy',
  'no-answer': 'no-answer',
  timeout: 'no-answer',
  failed: 'failed',
  cancel: 'canceled',
  canceled: 'canceled',
}

/** Converts a `CallStatus`; undefined if it is irrelevant. */
export function inputOf(status: string): DialInput | undefined {
  if (status === 'ringing') return { type: 'ringing' }
  if (status === 'in-progress') return { type: 'picked-up' }
  const final = Object.hasOwn(FINAL, status) ? FINAL[status] : undefined
  return final && { type: 'final', status: final }
}

function verdictOf(machine: string): DialInput | undefined {
  switch (machine.toLowerCase()) {
    case 'true':
      return { type: 'machine' }
    case 'false':
      return { type: 'person' }
    default:
      return undefined
  }
}
