import type { FastifyRequest } from 'fastify'
import type { CarrierRequest, CarrierRequests } from '../carrier.ts'
import type { DialInput, FinalStatus } from '../outbound/outbound-call-state.ts'

const CALL_SID = /^[A-Za-z0-9_-]{2,64}$/
/** Telnyx, for example: `v3:…`. */
const LONG_CALL_SID = /^[A-Za-z0-9_:.-]{2,128}$/
const MAX_FIELDS = 500

/**
 * Reads webhooks with the form fields of Twilio (Twilio: TwiML, request parameters), which SignalWire and Telnyx (TeXML)
 * share.
 */
export const callForm: CarrierRequests = {
  contentType: 'application/x-www-form-urlencoded',
  read: ({ body }) => read(Object.entries((body ?? {}) as Record<string, string | string[]>), CALL_SID),
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

/** The same for carriers whose signature covers the bytes of the form, which therefore arrives as text. */
export const rawCallForm: CarrierRequests = {
  ...callForm,
  raw: true,
  read: ({ body }: FastifyRequest) =>
    typeof body === 'string' ? read([...new URLSearchParams(body)], LONG_CALL_SID) : undefined,
}

/** A decoded form: its fields, each with one or several values. */
type Form = readonly (readonly [string, string | readonly string[]])[]

/** Returns the first value of each field of `form`; undefined if there are more than `most`. */
export function firstValues(form: Form, most: number): Readonly<Record<string, string>> | undefined {
  if (form.length > most) return undefined
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of form) fields[name] ??= typeof value === 'string' ? value : (value[0] ?? '')
  return fields
}

function read(form: Form, callSid: RegExp): CarrierRequest | undefined {
  const fields = firstValues(form, MAX_FIELDS)
  if (!fields) return undefined
  const { CallSid = '', AccountSid = '', From = '', To = '', Direction = '' } = fields
  if (!callSid.test(CallSid)) return undefined
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

const LONG_NUMBER = /^[1-9]\d{9,14}$/

/** Returns a number in E.164, if its plus was omitted as by SIP trunks: ten digits or more; anything else unchanged. */
export function numberOf(text: string): string {
  return LONG_NUMBER.test(text) ? `+${text}` : text
}

const FINAL: readonly string[] = [
  'completed',
  'busy',
  'no-answer',
  'failed',
  'canceled',
] satisfies FinalStatus[]

/** Converts a `CallStatus` (Twilio: Call resource); undefined if it is irrelevant. */
export function inputOf(status: string): DialInput | undefined {
  if (FINAL.includes(status)) return { type: 'final', status: status as FinalStatus }
  if (status === 'ringing') return { type: 'ringing' }
  // The callback event `answered` has this status.
  if (status === 'in-progress') return { type: 'picked-up' }
  return undefined
}

/**
 * Converts an `AnsweredBy` (Twilio: Answering Machine Detection); anything not identified as a machine is a person.
 */
export function verdictOf(answeredBy: string): DialInput | undefined {
  if (answeredBy === 'human' || answeredBy === 'unknown') return { type: 'person' }
  if (answeredBy === 'fax' || answeredBy.startsWith('machine_')) return { type: 'machine' }
  return undefined
}
