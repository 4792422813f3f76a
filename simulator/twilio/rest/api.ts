import { isSupportedCountry } from 'libphonenumber-js/max'
import { type Account, accountJson } from './account.ts'
import { readOrder, readScript } from './call-order.ts'
import type { Form } from './form.ts'
import type { PhoneNetwork } from './network.ts'
import type { PhoneNumber } from './phone-number.ts'
import type { RestCall } from './rest-call.ts'
import { RestError } from './rest-errors.ts'

/**
 * Changes a call like `POST /Calls/{Sid}.json`, and returns the result: `Status` ends it, `Url` or `Twiml` gives it new
 * instructions. Throws `RestError` 21220 for a call that is over, or not answered yet.
 */
function updateCall(call: RestCall, form: Form): Record<string, unknown> {
  const status = form.choice('Status', ['completed', 'canceled'] as const, 20001)
  const script = readScript(form)
  if (call.over) throw new RestError(21220)
  const live = script && !status ? call.live() : undefined
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
  return {
    iso_code: iso,
    low_risk_numbers_enabled: permitted === undefined || permitted.includes(iso),
    high_risk_special_numbers_enabled: false,
    high_risk_tollfraud_numbers_enabled: false,
    url: `https://voice.twilio.com/v1/DialingPermissions/Countries/${iso}`,
  }
}

/** A list in the format of the 2010 API, in one page. */
function pageJson(name: string, items: readonly Record<string, unknown>[]): Record<string, unknown> {
  return { [name]: items, page: 0, page_size: items.length, next_page_uri: null, previous_page_uri: null }
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
  },
  {
    name: 'Calls/*',
    path: /^\/Calls\/([\w:-]+)$/,
    GET: (request, options, id) => ok(callOf(request, options, id).json),
    POST: (request, options, id) => ok(updateCall(callOf(request, options, id), request.form)),
  },
  {
    name: 'IncomingPhoneNumbers',
    path: /^\/IncomingPhoneNumbers$/,
    GET: ({ query }, { network }) => ok(pageJson('incoming_phone_numbers', numbersBy(query, network))),
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
  const handler = found.route[request.method as 'GET' | 'POST']
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

function numbersBy(query: Form, { numbers }: PhoneNetwork): Record<string, unknown>[] {
  const wanted = query.given('PhoneNumber')
  return numbers.filter(({ number }) => wanted === undefined || number === wanted).map(({ json }) => json)
}
