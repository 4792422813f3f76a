import { readFileSync } from 'node:fs'
import { AsteriskSimulator } from '../../../simulator/asterisk/asterisk-simulator.ts'
import type { Channel } from '../../../simulator/asterisk/channel.ts'
import { AsteriskCallsApi } from '../../../src/bridges/phone/asterisk/index.ts'
import type { CarrierApi } from '../../../src/bridges/phone/carrier.ts'
import { until } from '../until.ts'
import type { Callee, CarrierNetwork, CarrierPhone } from './telephony.ts'
import { upgradeStatus } from './upgrade-status.ts'

/** The dialplan of the documentation. */
export const EXTENSIONS = readFileSync(
  new URL('../../../examples/asterisk/extensions.conf', import.meta.url),
  'utf8',
)

/** The connection of the documentation. */
const CLIENT = new Map(
  readFileSync(new URL('../../../examples/asterisk/websocket_client.conf', import.meta.url), 'utf8')
    .split('\n')
    .flatMap(line => {
      const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[name, value] as const]
    }),
)

export const SECRET = 'a secret of the dialplan'

/** Asterisk, by its simulator, with the dialplan of the documentation. */
export class AsteriskNetwork implements CarrierNetwork {
  readonly api: CarrierApi
  readonly simulator: AsteriskSimulator
  /** Port of the bridge’s AudioSocket server. */
  audioPort = 0
  #bridge = ''
  readonly #client: { uri: string }

  private constructor(simulator: AsteriskSimulator, client: { uri: string }) {
    this.simulator = simulator
    this.#client = client
    const { url: apiUrl, user, password } = simulator
    this.api = new AsteriskCallsApi({ apiUrl, user, password })
  }

  static async open(rate: number): Promise<AsteriskNetwork> {
    const globals = {
      DRAGOMAN_LOGIN: `dragoman:${SECRET}`,
      DRAGOMAN_CODEC: rate === 16_000 ? 'slin16' : 'slin',
    }
    const client = { uri: '', username: CLIENT.get('username') ?? '', password: SECRET }
    const simulator = await AsteriskSimulator.listen({
      ...{ dialplan: EXTENSIONS, globals, rate, webSocketClients: { dragoman: client } },
    })
    return new AsteriskNetwork(simulator, client)
  }

  get callee(): Callee {
    return this.simulator.callee
  }

  set callee(callee: Callee) {
    this.simulator.callee = callee
  }

  serve(bridge: string): void {
    this.#bridge = bridge
    this.#client.uri = (CLIENT.get('uri') ?? '').replace(/^wss:\/\/[^/]+/, bridge.replace('http', 'ws'))
    this.simulator.dialplan.globals.set('DRAGOMAN_URL', `${bridge}/asterisk`)
    this.simulator.dialplan.globals.set('DRAGOMAN_AUDIO', `127.0.0.1:${this.audioPort}`)
  }

  async call(from: string, to: string): Promise<CarrierPhone> {
    return phoneOf(this.simulator.call(from, to))
  }

  async answered(): Promise<CarrierPhone> {
    return phoneOf(await until(() => this.simulator.channels[0], 5_000, 'an answer'))
  }

  over(): boolean {
    return this.simulator.channels.every(({ over }) => over)
  }

  async forge(signature: 'none' | 'wrong'): Promise<{ webhook: number; upgrade: number }> {
    const headers: Record<string, string> =
      signature === 'none' ? {} : { authorization: `Basic ${btoa('dragoman:guessed')}` }
    const body = new URLSearchParams({ call: '1.1', state: 'Ring' })
    const { status } = await fetch(`${this.#bridge}/asterisk/voice`, { method: 'POST', headers, body })
    const upgrade = await upgradeStatus(`${this.#bridge.replace('http', 'ws')}/asterisk/media`, headers)
    return { webhook: status, upgrade }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.simulator.close()
  }
}

function phoneOf(channel: Channel): CarrierPhone {
  return {
    say: pcm => channel.audio.say(pcm, 16_000),
    press: keys => channel.press(keys),
    heard: () => channel.audio.heard(),
    said: () => channel.said,
    hangUp: () => channel.hangUp(),
    drop: () => channel.drop(),
    ended: channel.ended,
  }
}
