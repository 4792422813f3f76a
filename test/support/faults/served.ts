import { expect } from 'vitest'
import { countFrames, framesIn, numberedFrames } from '../../../simulator/network/numbered-frames.ts'
import { echoes } from '../../../simulator/service/scripted-answers.ts'
import { ScriptedService } from '../../../simulator/service/scripted-service.ts'
import { placeCall, type SimulatedCall } from '../../../simulator/twilio/phone/call.ts'
import { type Command, Shell } from '../shell.ts'
import { until } from '../until.ts'
import { Switch } from './switch.ts'

const PUBLIC_URL = 'https://bridge.example.com'
const AUTH_TOKEN = 'a token for this test'
const LINE_RATE = 8_000
const ENGLISH = { speaks: 'en-us', hears: 'en-us', original: 'off' }
const SPANISH = { speaks: 'es-es', hears: 'es-es', original: 'off' }
/** Timeout on a busy machine for what normally takes a moment (ms). */
export const PATIENCE_MS = 30_000

/** One `dragoman serve` in a separate process. */
export interface Instance {
  readonly command: Command
  readonly address: string
  readonly port: number
}

/** The public address: a load balancer in front of any number of bridges, and a service for all of them. */
export class Deployment implements AsyncDisposable {
  readonly #shell: Shell
  readonly #service: ScriptedService
  readonly #switch: Switch
  readonly #calls: SimulatedCall[] = []

  private constructor(shell: Shell, service: ScriptedService, balancer: Switch) {
    this.#shell = shell
    this.#service = service
    this.#switch = balancer
  }

  static async open(): Promise<Deployment> {
    return new Deployment(
      await Shell.open(),
      await ScriptedService.listen({ answer: echoes() }),
      await Switch.listen(),
    )
  }

  /** Starts a bridge; `settings` are variables of its environment. */
  async start(settings: Readonly<Record<string, string>> = {}, port = 0): Promise<Instance> {
    const command = this.#shell.startWith(
      {
        DRAGOMAN_HOST: '127.0.0.1',
        DRAGOMAN_PUBLIC_URL: PUBLIC_URL,
        DRAGOMAN_TWILIO_AUTH_TOKEN: AUTH_TOKEN,
        DRAGOMAN_SERVICE_URL: this.#service.url,
        DRAGOMAN_SERVICE_API_KEY: this.#service.apiKey,
        DRAGOMAN_SERVICE_MODE: 'block',
        DRAGOMAN_LIMITS_MAX_EVENT_LOOP_LAG_MS: '60000',
        ...settings,
      },
      ...['serve', '--port', String(port)],
    )
    const [, address = ''] = await command.says(/on the line at (http:\S+)/)
    return { command, address, port: Number(new URL(address).port) }
  }

  /** Routes all requests to `instance` from now on; undefined: nowhere. */
  lead(instance: Instance | undefined): void {
    this.#switch.to = instance?.port
  }

  /** Places a call into `room`. */
  async call(room: string, party: Readonly<Record<string, string>> = ENGLISH): Promise<SimulatedCall> {
    const query = new URLSearchParams({ room, ...party })
    const call = await placeCall({
      webhook: `http://127.0.0.1:${this.#switch.port}/twilio/voice?${query}`,
      publicUrl: PUBLIC_URL,
      authToken: AUTH_TOKEN,
    })
    this.#calls.push(call)
    return call
  }

  /** Two participants of one language, who hear each other's original voice: the first says numbers, the second listens. */
  async pair(room: string): Promise<Pair> {
    return new Pair(await this.call(room), await this.call(room))
  }

  /**
   * The same, but the second hears the first only through the service, which repeats what it receives. Settles when both
   * are in their room, so that no speech is lost.
   */
  async translated(room: string): Promise<Pair> {
    const pair = new Pair(await this.call(room), await this.call(room, SPANISH))
    const placed = this.#calls.length
    await expect.poll(() => this.#legs(), { timeout: PATIENCE_MS }).toBeGreaterThanOrEqual(placed)
    return pair
  }

  /** Participants of the bridge to which requests are routed. */
  async #legs(): Promise<number> {
    const metrics = await (await fetch(`http://127.0.0.1:${this.#switch.port}/metrics`)).text()
    return Number(/^dragoman_legs (\d+)/m.exec(metrics)?.[1])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#calls.map(call => call.hangUp()))
    await this.#shell[Symbol.asyncDispose]()
    await this.#service.close()
    await this.#switch.close()
  }
}

/** A participant who speaks in numbered frames, and a listener who hears them unchanged. */
export class Pair {
  readonly speaker: SimulatedCall
  readonly listener: SimulatedCall
  #next = 0

  constructor(speaker: SimulatedCall, listener: SimulatedCall) {
    this.speaker = speaker
    this.listener = listener
  }

  /** Says the next `count` frames; settles when they have fallen due. */
  async say(count: number): Promise<void> {
    const from = this.#next
    this.#next += count
    await this.speaker.say(numberedFrames(from, this.#next, LINE_RATE), LINE_RATE)
  }

  /** Numbers of the frames heard so far; a frame divided by a gap counts once. */
  heard(): number[] {
    const numbers = framesIn(this.listener.heard(), LINE_RATE).map(({ index }) => index)
    return numbers.filter((index, at) => index !== numbers[at - 1])
  }

  /** Waits until the listener has heard frame `index` or a later one. */
  async hears(index: number): Promise<void> {
    await until(() => this.heard().some(each => each >= index), PATIENCE_MS, `frame ${index}`)
  }

  /** Counts the frames. */
  count() {
    return countFrames(this.heard(), 0, this.#next)
  }

  /** The longest time without a new frame between the first and the last one heard (ms). */
  gapMs(): number {
    const heard = framesIn(this.listener.heard(), LINE_RATE)
    let longest = 0
    for (let n = 1; n < heard.length; n++)
      longest = Math.max(longest, ((heard[n]!.at - heard[n - 1]!.at) * 1_000) / LINE_RATE)
    return longest
  }
}
