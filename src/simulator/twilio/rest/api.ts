import type { Account } from './account.ts'
import { accountJson, callerIdsJson } from './account-json.ts'
import { callsBy } from './call-filter.ts'
import { readOrder } from './call-order.ts'
import { updateCall } from './call-update.ts'
import { countryJson } from './country.ts'
import type { Form } from './form.ts'
import type { PhoneNetwork } from './network.ts'
import { pageJson } from './page.ts'
import type { PhoneNumber } from './phone-number.ts'
import type { RestCall } from './rest-call.ts'
import { RestError } from './rest-error.ts'

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

export interface ApiTerms {
  readonly account: Account
  readonly network: PhoneNetwork
  /** Milliseconds since 1970. */
  readonly now: () => number
}

type Handler = (request: ApiRequest, terms: ApiTerms, id: string) => ApiReply

interface Route {
  /** As in a fault's `only`, without the method. */
  readonly name: string
  readonly path: RegExp
  readonly GET?: Handler
  readonly POST?: Handler
  readonly DELETE?: Handler
}

const ROUTES: readonly Route[] = [
  { name: 'Account', path: /^$/, GET: (_, terms) => ok(accountJson(terms.account, terms.now())) },
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
    path: /^\/Calls\/(\w+)$/,
    GET: (request, terms, id) => ok(callOf(request, terms, id).json),
    POST: (request, terms, id) => ok(updateCall(callOf(request, terms, id), request.form)),
    DELETE: (request, { network, ...terms }, id) => {
      const call = callOf(request, { network, ...terms }, id)
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
    path: /^\/IncomingPhoneNumbers\/(\w+)$/,
    GET: (request, terms, id) => ok(numberOf(request, terms, id).json),
    POST: (request, terms, id) => {
      const number = numberOf(request, terms, id)
      number.update(request.form, terms.now())
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
    const country = countryJson(id, account.terms.countries)
    if (country) return ok(country)
    throw notFound(request)
  },
}

/** Returns the requested route, with the id in the path; undefined if it does not exist. */
export function routeFor(path: string, accountSid: string): { route: Route; id: string } | undefined {
  const pathname = path.split('?')[0] ?? ''
  const inAccount = /^\/2010-04-01\/Accounts\/(\w+)(\/.*?)?\.json$/.exec(pathname)
  const [routes, rest] = inAccount?.[1] === accountSid ? [ROUTES, inAccount[2] ?? ''] : [[COUNTRY], pathname]
  for (const route of routes) {
    const match = route.path.exec(rest)
    if (match) return { route, id: match[1] ?? '' }
  }
  return undefined
}

/** Carries out one accepted request. Throws `RestError`. */
export function answer(request: ApiRequest, terms: ApiTerms): ApiReply {
  const found = routeFor(request.path, terms.account.sid)
  if (!found) throw notFound(request)
  const handler = found.route[request.method as 'GET' | 'POST' | 'DELETE']
  if (!handler) throw new RestError(20004)
  return handler(request, terms, found.id)
}

function ok(body: Readonly<Record<string, unknown>>): ApiReply {
  return { status: 200, body }
}

function notFound({ path }: ApiRequest): RestError {
  return new RestError(20404, path.split('?')[0])
}

function callOf(request: ApiRequest, { network }: ApiTerms, sid: string): RestCall {
  const call = network.calls.find(each => each.sid === sid)
  if (call) return call
  throw notFound(request)
}

function numberOf(request: ApiRequest, { network }: ApiTerms, sid: string): PhoneNumber {
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
