import { getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max'
import { type Account, accountJson, callerIdsJson } from './account.ts'
import { CALL_STATUSES, readCallback, readOrder, readScript, readTimeLimit } from './call-order.ts'
import type { Form } from './form.ts'
import type { PhoneNetwork } from './network.ts'
import type { PhoneNumber } from './phone-number.ts'
import type { RestCall } from './rest-call.ts'
import { RestError } from './rest-errors.ts'

/** Returns the calls that match a list's query, newest first. Times are compared by day if only a day is given. */
function callsBy(query: Form, calls: readonly RestCall[]): RestCall[] {
  const to = query.given('To')
  const from = query.given('From')
  const status = query.choice('Status', CALL_STATUSES, 20001)
  const parent = query.given('ParentCallSid')
  const started = within(query, 'StartTime')
  const ended = within(query, 'EndTime')
  return calls
    .filter(({ facts }) => {
      if (to !== undefined && facts.to !== to) return false
      if (from !== undefined && facts.from !== from) return false
      if (status !== undefined && facts.status !== status) return false
      // No call here is the child of another.
      return parent === undefined && started(facts.startedAt) && ended(facts.endedAt)
    })
    .reverse()
}

/** `StartTime`, `StartTime<` and `StartTime>`: on that day, not after, not before. */
function within(query: Form, name: string): (ms: number | undefined) => boolean {
  const on = moment(query, name)
  const before = moment(query, `${name}<`)
  const since = moment(query, `${name}>`)
  if (!on && !before && !since) return () => true
  return ms => {
    if (ms === undefined) return false
    if (on && (ms < on.from || ms >= on.until)) return false
    return !(before && ms >= before.until) && !(since && ms < since.from)
  }
}

const DAY_MS = 86_400_000

function moment(query: Form, name: string): { from: number; until: number } | undefined {
  const text = query.given(name)
  if (text === undefined) return undefined
  const from = Date.parse(text)
  if (Number.isNaN(from)) throw new RestError(20001, `${name} ${text}`)
  return { from, until: from + (/^\d{4}-\d\d-\d\d$/.test(text) ? DAY_MS : 1) }
}

/**
 * Changes a call like `POST /Calls/{Sid}.json`, and returns the result: `Status` ends it, `Url` or `Twiml` gives it new
 * instructions. Throws `RestError` 21220 for a call that is over, or not answered yet.
 */
function updateCall(call: RestCall, form: Form): Record<string, unknown> {
  const status = form.choice('Status', ['completed', 'canceled'] as const, 20001)
  const script = readScript(form)
  const seconds = readTimeLimit(form)
  const callback = readCallback(form, 'StatusCallback', 21609)
  if (call.over) throw new RestError(21220)
  const live = script && !status ? call.live() : undefined
  if (callback) call.redirectStatus(callback)
  if (seconds !== undefined) call.limit(seconds)
  // An answered call cannot be canceled.
  if (status === 'completed' || (status && call.status !== 'in-progress')) call.hangUp()
  else if (script && 'url' in script) live?.redirect(script.url, script.method)
  else if (script) live?.update(script.twiml)
  return call.json
}

/**
 * Dialing permission of a country (Twilio: Voice Dialing Permissions, Country); undefined for an unknown country.
 * `permitted` undefined: all.
 */
function countryJson(
  isoCode: string,
  permitted: readonly string[] | undefined,
): Record<string, unknown> | undefined {
  const iso = isoCode.toUpperCase()
  if (!isSupportedCountry(iso)) return undefined
  const url = `https://voice.twilio.com/v1/DialingPermissions/Countries/${iso}`
  return {
    iso_code: iso,
    name: new Intl.DisplayNames('en', { type: 'region' }).of(iso) ?? iso,
    continent: null,
    country_codes: [`+${getCountryCallingCode(iso)}`],
    low_risk_numbers_enabled: permitted === undefined || permitted.includes(iso),
    high_risk_special_numbers_enabled: false,
    high_risk_tollfraud_numbers_enabled: false,
    url,
    links: { highrisk_special_prefixes: `${url}/HighRiskSpecialPrefixes` },
  }
}

const PAGE_SIZE = 50
const MAX_PAGE_SIZE = 1000

/** One page of a list in the format of the 2010 API; `path` with the requested query. */
function pageJson(
  name: string,
  all: readonly Record<string, unknown>[],
  query: Form,
  path: string,
): Record<string, unknown> {
  const size = Math.min(MAX_PAGE_SIZE, query.whole('PageSize', 1, 999_999, 20001) ?? PAGE_SIZE)
  const page = query.whole('Page', 0, 999_999, 20001) ?? 0
  const start = page * size
  const items = all.slice(start, start + size)
  const uri = (number: number) => {
    const asked = new URLSearchParams(path.split('?')[1] ?? '')
    asked.set('PageSize', String(size))
    asked.set('Page', String(number))
    return `${path.split('?')[0]}?${asked}`
  }
  return {
    first_page_uri: uri(0),
    end: Math.max(0, start + items.length - 1),
    previous_page_uri: page > 0 ? uri(page - 1) : null,
    [name]: items,
    uri: uri(page),
    page_size: size,
    start,
    next_page_uri: start + size < all.length ? uri(page + 1) : null,
    page,
  }
}

export interface ApiRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly query: Form
  /** The body. */
  readonly form: Form
}

export interface ApiReply {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>> | undefined
}

export interface ApiOptions {
  readonly account: Account
  readonly network: PhoneNetwork
  /** Milliseconds since 1970. */
  readonly now: () => number
}

type Handler = (request: ApiRequest, options: ApiOptions, id: string) => ApiReply

interface Route {
  /** As in a fault's `only`, without the method. */
  readonly name: string
  readonly path: RegExp
  readonly GET?: Handler
  readonly POST?: Handler
  readonly DELETE?: Handler
}

const ROUTES: readonly Route[] = [
  { name: 'Account', path: /^$/, GET: (_, options) => ok(accountJson(options.account, options.now())) },
  {
    name: 'Calls',
    path: /^\/Calls$/,
    POST: ({ form }, { account, network }) => {
      const order = readOrder(form, account, number => network.number(number) !== undefined)
      return { status: 201, body: network.callOut(order).json }
    },
    GET: ({ query, path }, { network }) =>
      ok(
        pageJson(
          'calls',
          callsBy(query, network.calls).map(each => each.json),
          query,
          path,
        ),
      ),
  },
  {
    name: 'Calls/*',
    path: /^\/Calls\/([\w:-]+)$/,
    GET: (request, options, id) => ok(callOf(request, options, id).json),
    POST: (request, options, id) => ok(updateCall(callOf(request, options, id), request.form)),
    DELETE: (request, { network, ...options }, id) => {
      const call = callOf(request, { network, ...options }, id)
      if (!call.over) throw new RestError(21220)
      network.calls.splice(network.calls.indexOf(call), 1)
      return { status: 204, body: undefined }
    },
  },
  {
    name: 'IncomingPhoneNumbers',
    path: /^\/IncomingPhoneNumbers$/,
    GET: ({ query, path }, { network }) =>
      ok(pageJson('incoming_phone_numbers', numbersBy(query, network), query, path)),
  },
  {
    name: 'IncomingPhoneNumbers/*',
    path: /^\/IncomingPhoneNumbers\/([\w-]+)$/,
    GET: (request, options, id) => ok(numberOf(request, options, id).json),
    POST: (request, options, id) => {
      const number = numberOf(request, options, id)
      number.update(request.form, options.now())
      return ok(number.json)
    },
  },
  {
    name: 'OutgoingCallerIds',
    path: /^\/OutgoingCallerIds$/,
    GET: ({ query, path }, { account, now }) =>
      ok(pageJson('outgoing_caller_ids', callerIdsJson(account, query, now()), query, path)),
  },
]

/** Countries belong to another API of Twilio, on another host, which the simulator also serves. */
const COUNTRY: Route = {
  name: 'Countries/*',
  path: /^\/v1\/DialingPermissions\/Countries\/(\w+)$/,
  GET: (request, { account }, id) => {
    const country = countryJson(id, account.options.countries)
    if (country) return ok(country)
    throw notFound(request)
  },
}

/** Returns the requested route, with the id in the path; undefined if it does not exist. */
export function routeFor(path: string, accountSid: string): { route: Route; id: string } | undefined {
  const pathname = path.split('?')[0] ?? ''
  const inAccount = /^\/2010-04-01\/Accounts\/([\w-]+)(\/.*?)?\.json$/.exec(pathname)
  const [routes, rest] = inAccount?.[1] === accountSid ? [ROUTES, inAccount[2] ?? ''] : [[COUNTRY], pathname]
  for (const route of routes) {
    const match = route.path.exec(rest)
    if (match) return { route, id: match[1] ?? '' }
  }
  return undefined
}

/** Carries out one accepted request. Throws `RestError`. */
export function answer(request: ApiRequest, options: ApiOptions): ApiReply {
  const found = routeFor(request.path, options.account.sid)
  if (!found) throw notFound(request)
  const handler = found.route[request.method as 'GET' | 'POST' | 'DELETE']
  if (!handler) throw new RestError(20004)
  return handler(request, options, found.id)
}

function ok(body: Readonly<Record<string, unknown>>): ApiReply {
  return { status: 200, body }
}

function notFound({ path }: ApiRequest): RestError {
  return new RestError(20404, path.split('?')[0])
}

function callOf(request: ApiRequest, { network }: ApiOptions, sid: string): RestCall {
  const call = network.calls.find(each => each.sid === sid)
  if (call) return call
  throw notFound(request)
}

function numberOf(request: ApiRequest, { network }: ApiOptions, sid: string): PhoneNumber {
  const number = network.numbers.find(each => each.sid === sid)
  if (number) return number
  throw notFound(request)
}

/** Filters by `PhoneNumber`, with `*` for omitted digits, and by `FriendlyName`. */
function numbersBy(query: Form, { numbers }: PhoneNetwork): Record<string, unknown>[] {
  const digits = query.given('PhoneNumber')?.replace(/[^\d*]/g, '')
  const pattern = digits === undefined ? /^/ : new RegExp(`${digits.replaceAll('*', '\\d*')}`)
  const name = query.given('FriendlyName')
  return numbers
    .filter(({ number }) => pattern.test(number))
    .map(({ json }) => json)
    .filter(({ friendly_name }) => name === undefined || friendly_name === name)
}
