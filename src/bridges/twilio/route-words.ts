import type { RouteWords } from '../../net/route-schema.ts'

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
