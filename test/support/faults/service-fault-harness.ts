import { FaultProxy } from '../../../simulator/network/fault-proxy.ts'
import { countFrames, framesIn, numberedFrames } from '../../../simulator/network/numbered-frames.ts'
import { echoes } from '../../../simulator/service/scripted-answers.ts'
import { ScriptedService, type ScriptedServiceOptions } from '../../../simulator/service/scripted-service.ts'
import { systemClock, Ticker } from '../../../src/common/clock.ts'
import type { Caption } from '../../../src/core/model/caption.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { Relay } from '../../../src/core/room/relay.ts'
import { ServiceTranslator, type ServiceTranslatorOptions } from '../../../src/service/client/translator.ts'
import { concat, FRAME_MS, FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { expectEmpty } from '../leaks.ts'
import { LogLines } from '../log-lines.ts'
import { LiveLeg } from '../relay/live-leg.ts'
import { pause, until } from '../until.ts'

export interface RigOptions {
  readonly service?: ScriptedServiceOptions
  readonly relay?: Parameters<typeof relayOptions>[0]
  readonly client?: Partial<ServiceTranslatorOptions>
  /** A second service that takes over. */
  readonly fallback?: ScriptedServiceOptions
  /** Bob also hears Anna's own voice. Default: never, so that only translations have numbers. */
  readonly original?: 'duck'
}

/** Timeout on a busy machine for what normally takes a moment (ms). */
export const PATIENCE_MS = 20_000

/**
 * A call in real time: Anna speaks English, Bob hears Spanish, over a real client, a network with faults and a scripted
 * service. By default it answers with the audio it received, so that every 20 ms can be traced to Bob.
 */
export class Rig implements AsyncDisposable {
  readonly service: ScriptedService
  readonly fallback: ScriptedService | undefined
  readonly proxy: FaultProxy
  readonly relay: Relay
  readonly log = new LogLines()
  readonly captions: Caption[] = []
  readonly anna: LiveLeg
  readonly bob: LiveLeg
  /** Times at which Bob switched to the original, and back to translations (clock ms). */
  readonly away: { away: boolean; at: number }[] = []
  readonly #mouth: Ticker
  #speech: Int16Array[] = []

  private constructor(
    service: ScriptedService,
    proxy: FaultProxy,
    fallback: ScriptedService | undefined,
    options: RigOptions,
  ) {
    this.service = service
    this.fallback = fallback
    this.proxy = proxy
    const translator = (url: string, apiKey: string) =>
      new ServiceTranslator({
        url,
        apiKey,
        mode: 'block',
        deadlines: { connectMs: 1_000, startMs: 1_000 },
        ...options.client,
      })
    this.relay = new Relay({
      translator: translator(proxy.url, service.apiKey),
      fallbacks: fallback ? [translator(fallback.url, fallback.apiKey)] : [],
      // The service answers with the same audio: echo by construction.
      options: relayOptions({
        normalizeLoudness: false,
        catchUp: false,
        echoSuppression: false,
        ...options.relay,
      }),
      log: this.log,
    })
    this.relay.observer.on('caption', caption => this.captions.push(caption))
    this.anna = new LiveLeg('anna', systemClock)
    this.bob = new LiveLeg('bob', systemClock)
    const place = options.original ? {} : { sharedSpace: 'a room' }
    this.relay.admit(this.anna, { room: 'r', speaks: 'en-us', original: 'off', ...place })
    this.relay.admit(this.bob, { room: 'r', hears: 'es-es', original: 'duck', ...place })
    this.#mouth = new Ticker(systemClock, FRAME_MS, () => this.#say())
  }

  static async open(options: RigOptions = {}): Promise<Rig> {
    const service = await ScriptedService.listen({ answer: echoes(), ...options.service })
    const fallback =
      options.fallback && (await ScriptedService.listen({ answer: echoes(), ...options.fallback }))
    const proxy = await FaultProxy.listen({ to: service.url })
    const rig = new Rig(service, proxy, fallback, options)
    await rig.relay.ready()
    return rig
  }

  /** Anna says frames `from` to before `to`, in real time, then `quietMs` of silence; settles when she has. */
  speak(from: number, to: number, quietMs = 600): Promise<unknown> {
    const pcm = numberedFrames(from, to)
    for (let at = 0; at < pcm.length; at += FRAME_SAMPLES)
      this.#speech.push(pcm.subarray(at, at + FRAME_SAMPLES))
    for (let ms = 0; ms < quietMs; ms += FRAME_MS) this.#speech.push(new Int16Array(FRAME_SAMPLES))
    const said = until(
      () => this.#speech.length === 0,
      PATIENCE_MS + (to - from) * FRAME_MS,
      'that all is said',
    )
    // A test that fails while Anna speaks does not await this any more.
    said.catch(() => {})
    return said
  }

  /** Numbers of the frames that Bob has heard so far, in order. */
  heard(): number[] {
    return framesIn(concat(this.bob.played)).map(({ index }) => index)
  }

  /** Waits until Bob has heard frame `last` and everything after it. */
  async heardUpTo(last: number, ms = PATIENCE_MS): Promise<number[]> {
    const deadline = systemClock.now() + ms
    // Searches only the newest, and not too often: many calls share the machine.
    while (!framesIn(concat(this.bob.played.slice(-50))).some(({ index }) => index === last)) {
      if (systemClock.now() > deadline) throw new Error(`frame ${last} was not played within ${ms} ms`)
      await pause(100)
    }
    await pause(300)
    return this.heard()
  }

  /** Counts the frames `from` to before `to` that reached Bob. */
  async count(from: number, to: number) {
    return countFrames(await this.heardUpTo(to - 1), from, to)
  }

  /** Settles when a connection of this number (from 1) has been requested from the service. */
  session(number: number) {
    return this.service.sessionOf(number)
  }

  /** Ends everything and checks for leaks. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#mouth[Symbol.dispose]()
    await this.relay.close()
    expectEmpty(this.relay)
    await this.proxy.close()
    await this.service.close()
    await this.fallback?.close()
  }

  /** The session is open although nobody speaks: most tests are about a running session. */
  #say(): void {
    const room = this.relay.rooms.get('r')
    for (const { session } of room?.interpretations ?? []) session.wake(systemClock.now())
    const away = room?.receptions.some(({ gets }) => gets === 'unavailable') ?? false
    if (away !== (this.away.at(-1)?.away ?? false)) this.away.push({ away, at: systemClock.now() })
    this.anna.uplink?.write(this.#speech.shift() ?? new Int16Array(FRAME_SAMPLES))
    this.bob.uplink?.write(new Int16Array(FRAME_SAMPLES))
  }
}

/** Asserts that every frame was played once. */
export const WHOLE = { lost: [], repeated: 0, late: 0, foreign: [] }
