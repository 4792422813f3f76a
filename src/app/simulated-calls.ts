import type { AddressInfo } from 'node:net'
import type { SimulatedCall as Phone } from '../../simulator/twilio/phone/call.ts'
import type { CallOptions } from '../../simulator/twilio/phone/call-options.ts'
import type { Voice } from '../../simulator/twilio/phone/voice.ts'
import { type Clock, setTimer, Ticker } from '../common/clock.ts'
import type { Logger } from '../common/log.ts'
import type { WallClock } from '../common/wall-clock.ts'
import type { OverloadCheck } from '../core/calls/dialer-policies.ts'
import { reachableUrl } from '../net/client-address.ts'
import { ControlError } from '../web/control/errors.ts'
import type { DashboardSettings } from '../web/control/settings.ts'
import type { SimulatedCalls } from '../web/dashboard/dashboard.ts'
import type { SimulatedCallView, SimulatedOrder } from '../web/dashboard/state.ts'
import { Recordings } from './bundled-recordings.ts'

/** Pause between two sentences, so that listeners hear the translation of the first (ms). */
const PAUSE_MS = 4_000

/** A phone of the call, with its recordings. */
export interface Talker {
  readonly phone: Phone
  readonly voices: readonly Voice[]
}

/** A call of one or two simulated phones that take turns until it is hung up. Owns the phones. */
export class SimulatedCall {
  readonly view: SimulatedCallView
  /** Settles once all phones have hung up. */
  readonly ended: Promise<void>
  readonly #talkers: readonly Talker[]
  readonly #clock: Clock

  constructor(view: SimulatedCallView, talkers: readonly Talker[], clock: Clock) {
    this.view = view
    this.#talkers = talkers
    this.#clock = clock
    this.ended = Promise.all(talkers.map(({ phone }) => phone.ended)).then(() => {})
  }

  /** Lets the phones talk. Call it once. */
  start(): void {
    void this.#talk()
  }

  /** Returns the index of the phone with this call, or −1. */
  phoneOf(callSid: string): number {
    return this.#talkers.findIndex(({ phone }) => phone.callSid === callSid)
  }

  /** Forgets what the phones have heard: nobody asks for it. */
  forget(now: number): void {
    for (const { phone } of this.#talkers) phone.forget(now)
  }

  /** Hangs up; settles when all phones have hung up. Idempotent. */
  async hangUp(): Promise<void> {
    await Promise.all(this.#talkers.map(({ phone }) => phone.hangUp()))
  }

  /** Lets the phones take turns until none has anything left to say. */
  async #talk(): Promise<void> {
    for (let turn = 0, spoke = true; spoke; turn++) {
      spoke = false
      for (const { phone, voices } of this.#talkers) {
        const voice = voices[turn % voices.length]
        if (!voice || !phone.live) continue
        spoke = true
        await phone.say(voice)
        await this.#pause()
      }
    }
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimer(this.#clock, PAUSE_MS, resolve)
    await Promise.race([promise, this.ended])
    timer[Symbol.dispose]()
  }
}

/** Interval at which calls are checked (ms). */
const CHECK_MS = 500
/** Time after which a simulated call is hung up (ms). */
const LASTS_MS = 600_000

export interface SimulatedCallsOptions {
  readonly settings: DashboardSettings
  /** Returns the listening address, once it is known. */
  readonly address: () => AddressInfo | string | null
  /** Public address, if set: calls are signed for it. */
  readonly publicUrl: string | undefined
  /** Signs the calls; undefined if requests are not signed. */
  readonly token: string | undefined
  readonly overloadCheck: OverloadCheck
  /** While draining, simulated calls are hung up. */
  readonly drain: { readonly draining: boolean }
  readonly clock: Clock
  readonly wall: WallClock
  readonly log: Logger
}

/** Simulated phones that call this server over loopback, like Twilio does. The creator disposes it. */
export class LoopbackCalls implements SimulatedCalls, AsyncDisposable {
  readonly #options: SimulatedCallsOptions
  readonly #recordings = new Recordings()
  readonly #calls = new Map<string, SimulatedCall>()
  #placing = 0
  #numbers = 0
  #ticker: Ticker | undefined
  #closed = false

  constructor(options: SimulatedCallsOptions) {
    this.#options = options
  }

  get calls(): readonly SimulatedCallView[] {
    return Array.from(this.#calls.values(), ({ view }) => view)
  }

  async recordings() {
    return this.#options.settings.simulatedCalls === 0 ? [] : await this.#recordings.list()
  }

  async place(order: SimulatedOrder): Promise<SimulatedCallView> {
    const { settings, overloadCheck, clock, wall, log } = this.#options
    const most = settings.simulatedCalls
    if (this.#closed || most === 0)
      throw new ControlError('not_now', 'simulated calls are disabled on this server')
    if (this.#calls.size + this.#placing >= most)
      throw new ControlError('capacity', `limit of ${most} simulated calls reached`)
    const why = overloadCheck.rejection()
    if (why) throw new ControlError('capacity', `no new calls at present: ${why}`)
    this.#placing++
    try {
      const id = `simulated-${++this.#numbers}`
      const talkers = await this.#dial(order, id)
      const about = { id, room: id, placedAt: wall(), endsAt: wall() + LASTS_MS }
      const call = new SimulatedCall(about, talkers, clock)
      call.start()
      this.#calls.set(id, call)
      this.#ticker ??= new Ticker(clock, CHECK_MS, now => this.#tick(now))
      const over = setTimer(clock, LASTS_MS, () => void call.hangUp())
      void call.ended.then(() => {
        over[Symbol.dispose]()
        this.#forget(id)
      })
      log.info({ call: id, phones: talkers.length }, 'simulated call placed')
      return call.view
    } finally {
      this.#placing--
    }
  }

  async end(id: string): Promise<boolean> {
    const call = this.#calls.get(id)
    await call?.hangUp()
    return call !== undefined
  }

  /** Returns the simulated call, and the number of its phone, to which the peer’s `call` belongs. */
  phoneOf(call: string | undefined): { readonly call: string; readonly phone: number } | null {
    if (call === undefined) return null
    for (const each of this.#calls.values()) {
      const phone = each.phoneOf(call)
      if (phone >= 0) return { call: each.view.id, phone }
    }
    return null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    await Promise.all(Array.from(this.#calls.values(), call => call.hangUp()))
    this.#ticker?.[Symbol.dispose]()
  }

  /** Calls with all phones. If one fails, all are hung up. */
  async #dial(order: SimulatedOrder, room: string): Promise<readonly Talker[]> {
    // Loaded only when needed.
    const { placeCall } = await import('../../simulator/twilio/phone/call.ts')
    const voices = await Promise.all(
      order.phones.map(({ speaks, recording }) =>
        speaks === null ? [] : this.#recordings.voices(recording),
      ),
    )
    const phones = await Promise.all(order.phones.map(each => placeCall(this.#callOptions(each, room))))
    const trouble = phones.find(phone => !phone.live)?.report().errors[0]
    if (phones.every(phone => phone.live) && !this.#closed)
      return phones.map((phone, index) => ({ phone, voices: voices[index]! }))
    await Promise.all(phones.map(phone => phone.hangUp()))
    throw new ControlError(
      'not_now',
      `the call failed: ${trouble ? `${trouble.code} ${trouble.text}` : 'it was rejected'}`,
    )
  }

  #callOptions({ speaks, hears }: SimulatedOrder['phones'][number], room: string): CallOptions {
    const { publicUrl, token, clock, log } = this.#options
    const query = new URLSearchParams({ speaks: speaks ?? 'none', hears, room })
    return {
      webhook: `${this.#loopback()}/twilio/voice?${query}`,
      allowInsecureStream: true,
      clock,
      log,
      authToken: token,
      publicUrl,
    }
  }

  #loopback(): string {
    const address = this.#options.address()
    if (address === null || typeof address === 'string')
      throw new ControlError('not_now', 'the server does not listen on a port')
    return reachableUrl(address.address, address.port)
  }

  #tick(now: number): void {
    for (const call of this.#calls.values()) {
      call.forget(now)
      if (this.#options.drain.draining) void call.hangUp()
    }
  }

  #forget(id: string): void {
    this.#calls.delete(id)
    if (this.#calls.size > 0) return
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
  }
}
