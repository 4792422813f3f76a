import type { JambonzCall } from '../../../simulator/jambonz/call.ts'
import type { JambonzCallee, JambonzSimulator } from '../../../simulator/jambonz/jambonz-simulator.ts'
import type { CarrierApi } from '../../../src/bridges/phone/carrier.ts'
import { JambonzCallsApi } from '../../../src/bridges/phone/jambonz/index.ts'
import { until } from '../until.ts'
import type { CarrierNetwork, CarrierPhone } from './telephony.ts'
import { upgradeStatus } from './upgrade-status.ts'

/** jambonz, by its simulator. */
export class JambonzNetwork implements CarrierNetwork {
  readonly api: CarrierApi
  readonly #jambonz: JambonzSimulator
  #bridge = ''

  constructor(jambonz: JambonzSimulator) {
    this.#jambonz = jambonz
    const { url: apiUrl, accountSid, apiKey } = jambonz
    const speech = { speechVendor: 'google', speechLanguage: 'en-US', speechVoice: 'en-US-Standard-C' }
    this.api = new JambonzCallsApi({ apiUrl, accountSid, apiKey, ...speech })
  }

  get callee(): JambonzCallee {
    return this.#jambonz.callee
  }

  set callee(callee: JambonzCallee) {
    this.#jambonz.callee = callee
  }

  serve(bridge: string): void {
    this.#bridge = bridge
  }

  async call(from: string, to: string): Promise<CarrierPhone> {
    const hooks = { callHook: `${this.#bridge}/jambonz/voice`, statusHook: `${this.#bridge}/jambonz/status` }
    return phoneOf(this.#jambonz.call(from, to, hooks))
  }

  async answered(): Promise<CarrierPhone> {
    const answered = () => this.#jambonz.calls.find(({ status }) => status === 'in-progress')
    return phoneOf(await until(answered, 5_000, 'an answer'))
  }

  over(): boolean {
    return this.#jambonz.calls.every(({ over }) => over)
  }

  async forge(signature: 'none' | 'wrong'): Promise<{ webhook: number; upgrade: number }> {
    const wrong = signature === 'wrong'
    const seconds = Math.floor(Date.now() / 1_000)
    const { status } = await fetch(`${this.#bridge}/jambonz/voice`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(wrong && { 'jambonz-signature': `t=${seconds},v1=${'0'.repeat(64)}` }),
      },
      body: JSON.stringify({ call_sid: 'forged', call_status: 'trying' }),
    })
    const upgrade = await upgradeStatus(
      `${this.#bridge.replace('http', 'ws')}/jambonz/media`,
      wrong ? { authorization: `Basic ${btoa('dragoman:guessed')}` } : {},
    )
    return { webhook: status, upgrade }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#jambonz.close()
  }
}

function phoneOf(call: JambonzCall): CarrierPhone {
  return {
    say: pcm => call.audio.say(pcm, 16_000),
    press: keys => call.press(keys),
    heard: () => call.audio.heard(),
    said: () => call.said,
    hangUp: () => void call.hangUp(),
    drop: () => call.drop(),
    ended: call.ended,
  }
}
