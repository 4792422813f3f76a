import type { RouteWords } from '../../guard/route-schema.ts'

const CALL = {
  CallSid: 'The call.',
  AccountSid: 'The account.',
  From: 'Who calls: E.164, sip: or client:.',
  To: 'Whom they call.',
  CallStatus: 'ringing, in-progress, completed …',
}
const TWIML = 'text/xml'

/** The webhooks, by their path below the bridge's own, for a host's OpenAPI document. All are signed by Twilio. */
export const WEBHOOKS = {
  voice: { summary: 'What to do with a call that comes in.', answers: TWIML, form: CALL },
  resume: { summary: 'How a call goes on whose stream ended.', answers: TWIML, form: CALL },
  menu: {
    summary: 'Keys that a caller pressed in a menu.',
    answers: TWIML,
    form: { ...CALL, Digits: 'The keys.' },
  },
  status: { summary: 'How a call ended.', status: 204, form: CALL },
  'dial/answer': { summary: 'Somebody answered who was called from here.', answers: TWIML, form: CALL },
  'dial/status': { summary: 'How a call goes on that was placed from here.', status: 204, form: CALL },
  'dial/machine': {
    summary: 'Whether a machine answered.',
    status: 204,
    form: { ...CALL, AnsweredBy: 'human, machine_start, unknown …' },
  },
} as const satisfies Record<string, Omit<RouteWords, 'tag'>>
