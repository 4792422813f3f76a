import { createHash } from 'node:crypto'
import { type Account, formatted } from './account.ts'
import { apiDate } from './api-date.ts'
import type { Form } from './form.ts'

const SUBRESOURCES = ['available_phone_numbers', 'calls', 'incoming_phone_numbers', 'outgoing_caller_ids']

/** The account as returned by the API. `now`: milliseconds since 1970. */
export function accountJson({ sid, authToken, terms }: Account, now: number): Record<string, unknown> {
  const path = `/2010-04-01/Accounts/${sid}`
  const file = (name: string) =>
    name.replace(/(^|_)([a-z])/g, (_, _gap, letter: string) => letter.toUpperCase())
  return {
    sid,
    auth_token: authToken,
    date_created: apiDate(now),
    date_updated: apiDate(now),
    friendly_name: 'A simulated account',
    owner_account_sid: sid,
    status: terms.status ?? 'active',
    subresource_uris: Object.fromEntries(SUBRESOURCES.map(name => [name, `${path}/${file(name)}.json`])),
    type: terms.type ?? 'Full',
    uri: `${path}.json`,
  }
}

/** The caller IDs that the account has verified. */
export function callerIdsJson(account: Account, query: Form, now: number): Record<string, unknown>[] {
  const wanted = query.given('PhoneNumber')
  const verified = account.terms.verified ?? []
  return verified
    .filter(number => wanted === undefined || number === wanted)
    .map(number => {
      const sid = `PN${createHash('md5').update(number).digest('hex')}`
      return {
        sid,
        account_sid: account.sid,
        date_created: apiDate(now),
        date_updated: apiDate(now),
        friendly_name: formatted(number),
        phone_number: number,
        uri: `/2010-04-01/Accounts/${account.sid}/OutgoingCallerIds/${sid}.json`,
      }
    })
}
