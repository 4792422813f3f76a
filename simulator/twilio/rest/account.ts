import { randomBytes } from 'node:crypto'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { newSid } from '../phone/wire.ts'
import { apiDate } from './form.ts'
import { RestError } from './rest-errors.ts'

/** Permissions of the account. */
export interface AccountOptions {
  accountSid?: string
  /** Default a new one. */
  authToken?: string
  /** Secrets of API keys by their sid `SK…`. */
  apiKeys?: Readonly<Record<string, string>>
  /** Default `Full`. `Trial`: only verified numbers can be called (21219). */
  type?: 'Trial' | 'Full'
  /** Default `active`; any other rejects everything (20005). */
  status?: 'active' | 'suspended' | 'closed'
  /** Verified numbers of people: allowed as caller, and on trial as destination. */
  verified?: readonly string[]
  /** Countries that can be called, `US`; others are 21215. Default all. */
  countries?: readonly string[]
  /** Numbers that cannot be called, each with its error code: `{ '+34600000000': 21216 }`. */
  refused?: Readonly<Record<string, 21214 | 21215 | 21216 | 21217>>
  /** Maximum number of concurrent calls; one more is 10004. Default no limit. */
  maxCalls?: number
}

const E164 = /^\+[1-9]\d{6,14}$/

/** An account of the simulator: its credentials and its permissions. The permissions can be changed at any time. */
export class Account {
  readonly sid: string
  readonly authToken: string
  readonly apiKeys: Readonly<Record<string, string>>
  /** Everything changeable, which excludes the credentials. */
  readonly options: Omit<AccountOptions, 'accountSid' | 'authToken' | 'apiKeys'>

  constructor(options: AccountOptions = {}) {
    const { accountSid, authToken, apiKeys = {}, ...rest } = options
    this.sid = accountSid ?? newSid('AC')
    this.authToken = authToken ?? randomBytes(16).toString('hex')
    this.apiKeys = apiKeys
    this.options = rest
  }

  /** Accepts the token or an API key. `authorization`: the header. Throws `RestError` 20003 or 20005. */
  authenticate(authorization: string | undefined): void {
    const [scheme, encoded = ''] = (authorization ?? '').split(' ')
    const [user = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
    const password = rest.join(':')
    const secret = user === this.sid ? this.authToken : this.#keyOf(user)
    if (scheme?.toLowerCase() !== 'basic' || secret === undefined || password !== secret)
      throw new RestError(20003)
    if ((this.options.status ?? 'active') !== 'active') throw new RestError(20005)
  }

  /** Throws the `RestError` that applies if `to` cannot be called. */
  checkCalled(to: string | undefined): string {
    if (to === undefined) throw new RestError(21201)
    const number = E164.test(to) ? parsePhoneNumberFromString(to) : undefined
    if (!number?.isPossible()) throw new RestError(21211, to)
    const { refused = {}, countries, type, verified = [] } = this.options
    const code = Object.hasOwn(refused, to) ? refused[to] : undefined
    if (code) throw new RestError(code, to)
    if (countries && !countries.includes(number.country ?? '')) throw new RestError(21215, to)
    if (type === 'Trial' && !verified.includes(to)) throw new RestError(21219, to)
    return to
  }

  /** Throws the `RestError` that applies if `from` is not allowed as caller; `own`: the account's numbers. */
  checkCaller(from: string | undefined, own: (number: string) => boolean): string {
    if (from === undefined) throw new RestError(21213)
    if (!E164.test(from)) throw new RestError(21212, from)
    if (!own(from) && !this.options.verified?.includes(from)) throw new RestError(21210, from)
    return from
  }

  #keyOf(user: string): string | undefined {
    return Object.hasOwn(this.apiKeys, user) ? this.apiKeys[user] : undefined
  }
}

/** The account as returned by the API. `now`: milliseconds since 1970. */
export function accountJson({ sid, authToken, options }: Account, now: number): Record<string, unknown> {
  return {
    sid,
    auth_token: authToken,
    date_created: apiDate(now),
    date_updated: apiDate(now),
    friendly_name: 'A simulated account',
    owner_account_sid: sid,
    status: options.status ?? 'active',
    type: options.type ?? 'Full',
    uri: `/2010-04-01/Accounts/${sid}.json`,
  }
}
