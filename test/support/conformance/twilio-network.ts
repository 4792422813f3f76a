import {
  type PhoneProfile,
  placeCall,
  type SimulatedCall,
  type Subscriber,
  type SubscriberOptions,
  type TwilioSimulator,
} from '../../../simulator/index.ts'
import type { CarrierApi } from '../../../src/bridges/phone/carrier.ts'
import type { Callee, CarrierNetwork, CarrierPhone } from './telephony.ts'
import { upgradeStatus } from './upgrade-status.ts'

const CALLEE = '+34600111222'

export interface TwilioNetworkOptions {
  readonly simulator: TwilioSimulator
  readonly api: CarrierApi
  readonly profile: PhoneProfile
  /** Headers of a webhook and an upgrade with a wrong signature. */
  readonly forged: Readonly<Record<string, string>>
  /** Options of every phone. */
  readonly quirks?: SubscriberOptions['phone']
}

/** Twilio, or a carrier like it, by its simulator: the same phones as in all other tests. */
export class TwilioNetwork implements CarrierNetwork {
  readonly api: CarrierApi
  readonly #options: TwilioNetworkOptions
  readonly #callee: Subscriber
  #bridge = ''

  constructor(options: TwilioNetworkOptions) {
    this.#options = options
    this.api = options.api
    this.#callee = options.simulator.subscriber(CALLEE)
    this.callee = 'answers'
  }

  set callee(callee: Callee) {
    const options: Record<Callee, SubscriberOptions> = {
      answers: {},
      rings: { answerAfterMs: 60_000 },
      'is-busy': { behavior: 'busy' },
      'is-a-machine': { behavior: 'voicemail' },
    }
    const phone = { allowInsecureStream: true, ...this.#options.quirks }
    this.#callee.options = { phone, ...options[callee] }
  }

  serve(bridge: string): void {
    this.#bridge = bridge
  }

  async call(from: string, to: string): Promise<CarrierPhone> {
    const { simulator, profile, quirks } = this.#options
    const { authToken } = simulator
    const webhook = `${this.#bridge}/${profile.name}/voice`
    return phoneOf(
      await placeCall({ ...{ webhook, authToken, profile, from, to }, allowInsecureStream: true, ...quirks }),
    )
  }

  async answered(): Promise<CarrierPhone> {
    return phoneOf(await this.#callee.call(1))
  }

  over(): boolean {
    return this.#options.simulator.calls.every(({ over }) => over)
  }

  async forge(signature: 'none' | 'wrong'): Promise<{ webhook: number; upgrade: number }> {
    const { profile, forged } = this.#options
    const headers: Record<string, string> = signature === 'none' ? {} : { ...forged }
    const body = new URLSearchParams({ CallSid: 'CA1', CallStatus: 'ringing' })
    const { status } = await fetch(`${this.#bridge}/${profile.name}/voice`, { method: 'POST', headers, body })
    const upgrade = await upgradeStatus(
      `${this.#bridge.replace('http', 'ws')}/${profile.name}/media`,
      headers,
    )
    return { webhook: status, upgrade }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#options.simulator.close()
  }
}

function phoneOf(call: SimulatedCall): CarrierPhone {
  return {
    say: pcm => void call.say(pcm, 16_000),
    press: keys => call.press(keys),
    heard: () => call.heard(),
    said: () => call.report().said,
    hangUp: () => void call.hangUp(),
    drop: () => call.drop(),
    ended: call.ended.then(({ kind, reason }) =>
      kind === 'rejected' ? (reason === 'busy' ? 'busy' : 'rejected') : 'hung-up',
    ),
  }
}
