import type { Direction, Toxics } from '../../../simulator/network/fault-pipe.ts'
import { FaultProxy } from '../../../simulator/network/fault-proxy.ts'
import { countFrames, framesIn, numberedFrames } from '../../../simulator/network/numbered-frames.ts'
import { echoes } from '../../../simulator/service/scripted-answers.ts'
import { ScriptedService } from '../../../simulator/service/scripted-service.ts'
import { placeCall, type SimulatedCall } from '../../../simulator/twilio/phone/call.ts'
import { type App, buildApp } from '../../../src/app/app.ts'
import { DEFAULT_LIMITS } from '../../../src/bridges/phone/limits.ts'
import { systemClock } from '../../../src/common/clock.ts'
import { wakeSessions } from '../relay/hello.ts'
import { NEVER_OVERLOADED } from '../service/no-lag.ts'
import { pause, until } from '../until.ts'

const PUBLIC_URL = 'https://bridge.example.com'
const AUTH_TOKEN = 'a token for this test'
const LINE_RATE = 8_000
/** Timeout on a busy machine for what normally takes a moment (ms). */
export const PATIENCE_MS = 30_000

/** What Bob hears: the translation, which repeats her speech, or Anna's original voice. */
type Hears = 'translation' | 'voice'

/**
 * Two phones: Anna speaks in numbered frames over a network with faults, Bob listens over another. All limits of the
 * bridge that a test does not set are defaults: a busy machine is no dead stream.
 */
export class PhoneRig implements AsyncDisposable {
  readonly app: App
  readonly annas: FaultProxy
  readonly bobs: FaultProxy
  readonly anna: SimulatedCall
  readonly bob: SimulatedCall
  /** The largest audio message received by Bob (bytes of base64). */
  largest = 0
  readonly #service: ScriptedService
  #next = 0

  private constructor(
    app: App,
    service: ScriptedService,
    { annas, bobs, anna, bob }: Pick<PhoneRig, 'annas' | 'bobs' | 'anna' | 'bob'>,
  ) {
    this.app = app
    this.#service = service
    this.annas = annas
    this.bobs = bobs
    this.anna = anna
    this.bob = bob
  }

  static async open(
    hears: Hears = 'translation',
    limits: Partial<typeof DEFAULT_LIMITS> = {},
  ): Promise<PhoneRig> {
    const service = await ScriptedService.listen({ answer: echoes() })
    const app = await buildApp(
      {
        ...{ host: '127.0.0.1', port: 0, publicUrl: PUBLIC_URL },
        service: { url: service.url, apiKey: service.apiKey, mode: 'block' },
        languages: { speaks: 'en-us', hears: 'en-us' },
        twilio: { authToken: [AUTH_TOKEN] },
        // The played audio equals the spoken audio: echo by construction.
        relay: { echoSuppression: false },
        limits: NEVER_OVERLOADED,
      },
      { streamLimits: { ...DEFAULT_LIMITS, ...limits } },
    )
    const to = await app.listen()
    const [annas, bobs] = await Promise.all([FaultProxy.listen({ to }), FaultProxy.listen({ to })])
    const rig: { current?: PhoneRig } = {}
    const call = (
      { url }: FaultProxy,
      language: string,
      onMedia?: (now: number, bytes: number, payload: string) => void,
    ) =>
      placeCall({
        webhook: `${url}/twilio/voice?room=r&speaks=${language}&hears=${language}&original=off`,
        publicUrl: PUBLIC_URL,
        authToken: AUTH_TOKEN,
        ...(onMedia ? { onMedia } : {}),
      })
    const anna = await call(annas, 'en-us')
    const bob = await call(bobs, hears === 'voice' ? 'en-us' : 'es-es', (_now, _bytes, payload) => {
      if (rig.current) rig.current.largest = Math.max(rig.current.largest, payload.length)
    })
    rig.current = new PhoneRig(app, service, { annas, bobs, anna, bob })
    // Waits until the first word is audible.
    if (hears === 'translation')
      await until(
        () => {
          wakeSessions(app.relay, systemClock.now())
          return service.session
        },
        PATIENCE_MS,
        'a session',
      )
    await pause(500)
    return rig.current
  }

  /** Anna says the next `count` frames; settles when they have fallen due. */
  async say(count: number): Promise<void> {
    const from = this.#next
    this.#next += count
    await this.anna.say(numberedFrames(from, this.#next, LINE_RATE), LINE_RATE)
  }

  /** Number of connections of each phone. */
  get streams(): readonly number[] {
    return [this.anna, this.bob].map(call => call.report().streams.length)
  }

  /** Sets these faults on both networks. */
  spoil(toxics: Toxics, direction?: Direction): void {
    for (const proxy of [this.annas, this.bobs]) proxy.set(toxics, direction)
  }

  /** Numbers of the frames that Bob has heard so far. */
  heard(): number[] {
    return framesIn(this.bob.heard(), LINE_RATE).map(({ index }) => index)
  }

  /** Counts the frames once the last one has been played. */
  async count() {
    const deadline = performance.now() + PATIENCE_MS
    // Not too often: this searches a whole call.
    while (this.heard().at(-1) !== this.#next - 1) {
      if (performance.now() > deadline)
        throw new Error(`the last frame was not played within ${PATIENCE_MS} ms`)
      await pause(300)
    }
    return countFrames(this.heard(), 0, this.#next)
  }

  /** Heals the network at the moment when a stream is considered dead; settles with the time that took (ms). */
  healedWhenLost(): Promise<number> {
    const from = performance.now()
    const { promise, resolve } = Promise.withResolvers<number>()
    this.app.relay.observer.on('disconnected', () => {
      for (const proxy of [this.annas, this.bobs]) proxy.heal()
      resolve(performance.now() - from)
    })
    return promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const proxy of [this.annas, this.bobs]) proxy.heal()
    await Promise.all([this.anna.hangUp(), this.bob.hangUp()])
    await this.app.close()
    await this.#service.close()
    await Promise.all([this.annas.close(), this.bobs.close()])
  }
}
