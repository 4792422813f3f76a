import type { Clock } from '../../../src/common/clock.ts'
import type { Logger } from '../../../src/common/log.ts'
import type { WallClock } from '../../../src/common/wall-clock.ts'
import type { SimulatedCall } from '../phone/call.ts'
import type { CallOptions } from '../phone/call-options.ts'
import { PhoneLine } from '../phone/line.ts'
import type { PhoneProfile } from '../phone/profile.ts'
import type { Account } from './account.ts'
import { carryOut, putThrough } from './call-flow.ts'
import type { CallOrder } from './call-order.ts'
import { type CallbackFaults, Callbacks } from './callbacks.ts'
import { type NumberSettings, PhoneNumber, Subscriber, type SubscriberOptions } from './phone-number.ts'
import { type CallListener, type CallParties, RestCall } from './rest-call.ts'
import { RestError } from './rest-errors.ts'

/** The numbers of the account, the actual addresses of public hosts, and the behavior of phones. */
export interface NetworkOptions {
  /** Numbers of the account, each with its settings. Default +15005550001, without settings. */
  numbers?: Readonly<Record<string, NumberSettings>>
  /** Public hosts and their actual addresses: `{ 'bridge.example.com': 'http://127.0.0.1:8080' }`. */
  resolve?: Readonly<Record<string, string>>
  /** As with phones: follows `ws://` stream URLs. Default false. */
  allowInsecureStream?: boolean
  /** Additional ringing time; Twilio allows up to 5 s more than requested (ms). Default 0. */
  timeoutMarginMs?: number
  /** Options of every phone, unless the subscriber's own options override them. */
  phone?: Partial<CallOptions>
}

export interface NetworkTarget {
  readonly account: Account
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly log: Logger
  readonly callbackFaults: CallbackFaults
  readonly profile: PhoneProfile
}

/** The simulated phone network: the account's numbers and calls, and the people who can be called. */
export class PhoneNetwork {
  /** Every call in either direction, oldest first. */
  readonly calls: RestCall[] = []
  readonly numbers: PhoneNumber[]
  readonly #options: NetworkOptions
  readonly #target: NetworkTarget
  readonly #line: PhoneLine
  readonly #resolve: Record<string, string>
  readonly #subscribers = new Map<string, Subscriber>()
  readonly #callbacks: Callbacks[] = []

  constructor(options: NetworkOptions, target: NetworkTarget) {
    const { numbers = { '+15005550001': {} }, resolve = {} } = options
    this.#options = options
    this.#target = target
    this.#line = new PhoneLine(target.clock)
    this.#resolve = { ...resolve }
    this.numbers = Object.entries(numbers).map(
      ([number, settings]) =>
        new PhoneNumber(
          number,
          { sid: target.profile.newSid('PN'), accountSid: target.account.sid },
          target.wallClock(),
          settings,
        ),
    )
  }

  /** Sends requests for the public host of `publicUrl` to `local` from now on. */
  route(publicUrl: string, local: string): void {
    this.#resolve[new URL(publicUrl).host] = local
  }

  number(number: string): PhoneNumber | undefined {
    return this.numbers.find(each => each.number === number)
  }

  /** Calls that are not over. */
  get active(): readonly RestCall[] {
    return this.calls.filter(call => !call.over)
  }

  /** Creates the subscriber with `number`, or changes their behavior. */
  subscriber(number: string, options: SubscriberOptions): Subscriber {
    const known = this.#subscribers.get(number)
    if (known) {
      known.options = options
      return known
    }
    const made = new Subscriber(number, options, (from, to, more) => this.#callIn(from, to, more))
    this.#subscribers.set(number, made)
    return made
  }

  /** Places a call of the account. Throws `RestError` 10004 if it has too many calls. */
  callOut(order: CallOrder): RestCall {
    const { maxCalls = Number.POSITIVE_INFINITY } = this.#target.account.options
    if (this.active.length >= maxCalls) throw new RestError(10004)
    const { clock } = this.#target
    const { timeoutMarginMs = 0 } = this.#options
    const callbacks = this.#newCallbacks()
    const call = this.#add(
      {
        accountSid: this.#target.account.sid,
        to: order.to,
        from: order.from,
        direction: 'outbound-api',
        phoneNumberSid: this.number(order.from)?.sid,
      },
      { status: order.status, events: order.events },
      callbacks,
    )
    carryOut(call, order, this.#subscribers.get(order.to), {
      ...{ clock, callbacks, timeoutMarginMs },
      phone: { ...this.#phone(), webhook: 'http://nothing.invalid/' },
    })
    return call
  }

  /** Ends every call and stops delivering events. */
  async close(): Promise<void> {
    for (const callbacks of this.#callbacks) callbacks.close()
    for (const call of this.calls) call.hangUp()
    await Promise.all(this.calls.map(call => call.phone?.ended))
  }

  async #callIn(from: Subscriber, to: string, options: Partial<CallOptions>): Promise<SimulatedCall> {
    const number = this.number(to)
    if (!number)
      throw new RangeError(`the account has the numbers ${this.numbers.map(n => n.number)}, not ${to}`)
    const call = this.#add(
      {
        accountSid: this.#target.account.sid,
        to,
        from: from.number,
        direction: 'inbound',
        phoneNumberSid: number.sid,
      },
      { status: number.statusCallback, events: ['completed'] },
      this.#newCallbacks(),
    )
    const phone = { ...this.#phone(), from: from.number, to, clock: this.#target.clock, ...options }
    return putThrough(call, number, phone, placed => from.took(placed))
  }

  #add(parties: CallParties, listener: CallListener, callbacks: Callbacks): RestCall {
    const { clock, wallClock, profile } = this.#target
    const sid = profile.newSid('CA')
    const call = new RestCall(parties, listener, { sid, clock, wallClock, callbacks })
    this.calls.push(call)
    return call
  }

  #newCallbacks(): Callbacks {
    const { clock, account, profile, callbackFaults: faults } = this.#target
    const route = { publicUrl: undefined, resolve: this.#resolve, proxied: false }
    const callbacks = new Callbacks({ clock, authToken: account.authToken, profile, faults, route })
    this.#callbacks.push(callbacks)
    return callbacks
  }

  #phone(): Partial<CallOptions> {
    const { account, profile, log } = this.#target
    const { allowInsecureStream = false, phone } = this.#options
    return {
      accountSid: account.sid,
      authToken: account.authToken,
      profile,
      resolve: this.#resolve,
      line: this.#line,
      ...{ allowInsecureStream, log },
      ...phone,
    }
  }
}
