import type { FastifyRequest } from 'fastify'
import type { CarrierRequest, CarrierRequests } from '../telephony/ports/carrier-requests.ts'
import { inputOf, verdictOf } from './calls-api.ts'

const CALL_SID = /^[A-Za-z0-9_-]{2,64}$/
const MAX_FIELDS = 500

/** Reads Twilio’s webhooks (Twilio: TwiML, request parameters). */
export const twilioRequests: CarrierRequests = {
  contentType: 'application/x-www-form-urlencoded',
  read,
  words: {
    call: {
      CallSid: 'The call.',
      AccountSid: 'The account.',
      From: 'Caller: E.164, sip: or client:.',
      To: 'Destination.',
      CallStatus: 'ringing, in-progress, completed …',
    },
    digits: { Digits: 'The keys.' },
    answeredBy: { AnsweredBy: 'human, machine_start, unknown …' },
  },
}

function read({ body }: FastifyRequest): CarrierRequest | undefined {
  const form = Object.entries((body ?? {}) as Record<string, string | string[]>)
  if (form.length > MAX_FIELDS) return undefined
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of form) fields[name] = typeof value === 'string' ? value : (value[0] ?? '')
  const { CallSid = '', AccountSid = '', From = '', To = '', Direction = '' } = fields
  if (!CALL_SID.test(CallSid)) return undefined
  const { Digits = '', CallStatus = '', AnsweredBy = '' } = fields
  return {
    callId: CallSid,
    accountId: AccountSid,
    from: From,
    to: To,
    direction: Direction,
    fields,
    digits: Digits,
    status: inputOf(CallStatus),
    answeredBy: verdictOf(AnsweredBy),
  }
}
