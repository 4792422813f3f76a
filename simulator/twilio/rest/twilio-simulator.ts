import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Twilio } from 'twilio'
import { type Clock, setTimer, systemClock } from '../../../src/common/clock.ts'
import { type Logger, noopLogger } from '../../../src/common/log.ts'
import { assertInstalled } from '../../../src/common/optional-package.ts'
import { systemWallClock, type WallClock } from '../../../src/common/wall-clock.ts'
import { readBody } from '../../rest-faults.ts'
import { newSid } from '../phone/wire.ts'
import { Account, type AccountOptions } from './account.ts'
import { type ApiReply, answer, routeFor } from './api.ts'
import type { CallbackFaults } from './callbacks.ts'
import { Form } from './form.ts'
import { type NetworkOptions, PhoneNetwork } from './network.ts'
import type { PhoneNumber, Subscriber, SubscriberOptions } from './phone-number.ts'
import type { RestCall } from './rest-call.ts'
import { RestError, type RestFault, RestFaults } from './rest-errors.ts'
import { type RestProfile, type RestTarget, twilioRest } from './rest-profile.ts'

/**
 * Returns Twilio's own client, unmodified, whose requests go to a simulator instead of twilio.com, with the account's
 * token or an API key. Only the host is replaced: requests and responses are those of the real client.
 */
export async function twilioClientFor(
  simulator: Pick<TwilioSimulator, 'url' | 'accountSid' | 'authToken'>,
  key?: { readonly sid: string; readonly secret: string },
): Promise<Twilio> {
  assertInstalled('twilio')
  const { default: twilio } = await import('twilio')
  const httpClient = new twilio.RequestClient()
  const send = httpClient.request.bind(httpClient)
  httpClient.request = options => {
    const { pathname, search } = new URL(options.uri)
    return send({ ...options, uri: simulator.url + pathname + search })
  }
  const { accountSid, authToken } = simulator
  return twilio(key?.sid ?? accountSid, key?.secret ?? authToken, { accountSid, httpClient })
}

/** Options of the simulator: its account and its numbers. */
export interface TwilioSimulatorOptions extends AccountOptions, NetworkOptions {
  /** Port on loopback. Default 0: a free one. */
  port?: number
  /** An API that follows Twilio’s. Default: Twilio itself. */
  profile?: RestProfile
  clock?: Clock
  wallClock?: WallClock
  log?: Logger
}

/** One request, and its response. */
export interface SeenRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly fields: Readonly<Record<string, string | string[]>>
  /** HTTP; undefined if the connection was cut. */
  readonly status: number | undefined
  /** Error code of an error response. */
  readonly code: number | undefined
}

const MAX_BODY_BYTES = 65_536

/**
 * Twilio's REST API (2010-04-01) on loopback, as far as calls need it, with a simulated phone network: called people
 * answer on simulated phones, whose media streams go to the bridge. The caller of `listen` closes it.
 */
export class TwilioSimulator implements AsyncDisposable {
  /** The account; its permissions can be changed at any time. */
  readonly account: Account
  /** Faults of the API. */
  readonly faults = new RestFaults()
  /** Faults of callback delivery. */
  readonly callbackFaults: CallbackFaults = {}
  /** Every request, accepted or rejected, in order. */
  readonly requests: SeenRequest[] = []
  readonly #network: PhoneNetwork
  readonly #profile: RestProfile
  readonly #clock: Clock
  readonly #wallClock: WallClock
  readonly #http: Server
  #closing: Promise<void> | undefined

  private constructor(options: TwilioSimulatorOptions) {
    const { clock = systemClock, wallClock = systemWallClock, log = noopLogger } = options
    const { profile = twilioRest } = options
    this.#profile = profile
    this.account = new Account({ accountSid: profile.phone.newSid('AC'), ...options })
    this.#clock = clock
    this.#wallClock = wallClock
    const { account, callbackFaults } = this
    this.#network = new PhoneNetwork(options, {
      ...{ account, clock, wallClock, log, callbackFaults },
      profile: profile.phone,
    })
    this.#http = createServer((request, response) => void this.#serve(request, response))
  }

  /** Listens on loopback. Rejects if the port is in use. */
  static async listen(options: TwilioSimulatorOptions = {}): Promise<TwilioSimulator> {
    const simulator = new TwilioSimulator(options)
    await new Promise<void>((settle, fail) => {
      simulator.#http.once('error', fail)
      simulator.#http.listen(options.port ?? 0, '127.0.0.1', settle)
    })
    return simulator
  }

  /** `http://127.0.0.1:<port>`, to use instead of `https://api.twilio.com`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  get accountSid(): string {
    return this.account.sid
  }

  /** Signs every request to the bridge. */
  get authToken(): string {
    return this.account.authToken
  }

  /** Every call in either direction, oldest first. */
  get calls(): readonly RestCall[] {
    return this.#network.calls
  }

  /** The account's numbers. */
  get numbers(): readonly PhoneNumber[] {
    return this.#network.numbers
  }

  /** Creates the subscriber with the phone number `number` (E.164); called again, changes their behavior. */
  subscriber(number: string, options: SubscriberOptions = {}): Subscriber {
    return this.#network.subscriber(number, options)
  }

  /** Sends requests for the public host of `publicUrl` to `local` from now on: `route('https://bridge.example.com', address)`. */
  route(publicUrl: string, local: string): void {
    this.#network.route(publicUrl, local)
  }

  /** Number of requests that were answered with this error. */
  count(code: number): number {
    return this.requests.filter(request => request.code === code).length
  }

  /** Ends every call. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    await this.#network.close()
    this.#http.closeAllConnections()
    await new Promise(settle => this.#http.close(settle))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = { method: request.method ?? 'GET', path: request.url ?? '/' }
    const { method, path } = this.#profile.target(asked)
    const bytes = await readBody(request, MAX_BODY_BYTES)
    if (bytes === undefined || bytes === 'too long') return void response.destroy()
    const body = bytes.toString('utf8')
    const fields = this.#fields(request, body)
    const note = (status?: number, code?: number) =>
      void this.requests.push({ method, path, fields, status, code })
    const fault = this.faults.take(`${method} ${routeFor(path, this.account.sid)?.route.name ?? ''}`)
    await this.#late(fault)
    if (fault.hang) return note()
    if (fault.cut === 'before') {
      note()
      return void response.destroy()
    }
    if (fault.reply) {
      const { status, body, type = 'text/html' } = fault.reply
      note(status)
      return void response.writeHead(status, { 'content-type': type }).end(body)
    }
    const reply = this.#answer(request, asked, body, fault)
    if (fault.cut === 'after') {
      note()
      return void response.destroy()
    }
    const code = reply.status >= 400 ? Number(reply.body?.code) : undefined
    note(reply.status, code)
    send(response, reply)
  }

  /** The fields for the request log; none of a body that the API does not accept. */
  #fields(request: IncomingMessage, body: string): SeenRequest['fields'] {
    try {
      return this.#profile.body(body, request.headers['content-type'] ?? '').toObject()
    } catch {
      return {}
    }
  }

  #answer(request: IncomingMessage, asked: RestTarget, body: string, fault: RestFault): ApiReply {
    const { account } = this
    const { method, path } = this.#profile.target(asked)
    const query = new Form(path.split('?')[1] ?? '')
    try {
      this.#profile.authenticate(request.headers.authorization, account)
      if (fault.code) throw new RestError(fault.code)
      const options = { account, network: this.#network, now: this.#wallClock }
      const fields = this.#profile.body(body, request.headers['content-type'] ?? '')
      const form = this.#profile.form(method, path, fields)
      return this.#profile.reply(answer({ method, path, query, form }, options), asked)
    } catch (error) {
      const known = error instanceof RestError ? error : new RestError(20500)
      return this.#profile.reply({ status: known.status, body: known.body }, asked)
    }
  }

  async #late({ delayMs }: RestFault): Promise<void> {
    if (delayMs) await new Promise<void>(settle => void setTimer(this.#clock, delayMs, settle))
  }
}

function send(response: ServerResponse, { status, body }: ApiReply): void {
  const headers = {
    'content-type': 'application/json;charset=utf-8',
    'twilio-request-id': newSid('RQ'),
    ...(status === 401 && { 'www-authenticate': 'Basic realm="Twilio API"' }),
  }
  response.writeHead(status, headers).end(body === undefined ? undefined : JSON.stringify(body))
}
