import { formatted } from './account.ts'
import { apiDate } from './api-date.ts'
import type { CallStatus } from './call-state.ts'

/** State of a call; times are milliseconds since 1970. */
export interface CallFacts {
  readonly sid: string
  readonly accountSid: string
  readonly to: string
  readonly from: string
  readonly direction: 'inbound' | 'outbound-api'
  readonly phoneNumberSid: string | undefined
  readonly status: CallStatus
  readonly createdAt: number
  readonly updatedAt: number
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly answeredBy: string | undefined
}

const SUBRESOURCES = [
  'notifications',
  'recordings',
  'payments',
  'events',
  'siprec',
  'streams',
  'transcriptions',
  'user_defined_message_subscriptions',
  'user_defined_messages',
]

/** The call as returned by the API, with every field of the resource. */
export function callJson(call: CallFacts): Record<string, unknown> {
  const path = `/2010-04-01/Accounts/${call.accountSid}/Calls/${call.sid}`
  const date = (ms: number | undefined) => (ms === undefined ? null : apiDate(ms))
  return {
    sid: call.sid,
    date_created: apiDate(call.createdAt),
    date_updated: apiDate(call.updatedAt),
    parent_call_sid: null,
    account_sid: call.accountSid,
    to: call.to,
    to_formatted: formatted(call.to),
    from: call.from,
    from_formatted: formatted(call.from),
    phone_number_sid: call.phoneNumberSid ?? null,
    status: call.status,
    start_time: date(call.startedAt),
    end_time: date(call.endedAt),
    duration: durationOf(call),
    price: null,
    price_unit: 'USD',
    direction: call.direction,
    answered_by: call.answeredBy ?? null,
    annotation: null,
    api_version: '2010-04-01',
    forwarded_from: null,
    group_sid: null,
    caller_name: null,
    queue_time: '0',
    trunk_sid: null,
    uri: `${path}.json`,
    subresource_uris: Object.fromEntries(SUBRESOURCES.map(name => [name, `${path}/${pascal(name)}.json`])),
  }
}

/** Duration of the conversation in whole seconds, in the API's format; null until the call is over. */
export function durationOf({ startedAt, endedAt }: Pick<CallFacts, 'startedAt' | 'endedAt'>): string | null {
  if (endedAt === undefined) return null
  return String(startedAt === undefined ? 0 : Math.round((endedAt - startedAt) / 1000))
}

function pascal(name: string): string {
  return name.replace(/(^|_)([a-z])/g, (_, _gap, letter: string) => letter.toUpperCase())
}
