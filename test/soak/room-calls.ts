import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { FakeLeg } from '../../simulator/fakes/fake-leg.ts'
import { type FakeConnection, FakeTranslator } from '../../simulator/fakes/fake-translator.ts'
import { Mp3Maker } from '../../simulator/service/scripted-answers.ts'
import { BridgeError } from '../../src/common/errors.ts'
import type { EndReason } from '../../src/common/lifecycle.ts'
import { relayOptions } from '../../src/core/model/relay-settings.ts'
import { Relay } from '../../src/core/room/relay.ts'
import { FRAME_SAMPLES } from '../../src/transcode/pcm.ts'
import { SeededRandom } from '../fuzz/random.ts'

const LANGUAGES = ['en-us', 'es-es', 'fr-fr', 'de-de']
const HANG_UP: EndReason = { kind: 'hangup', by: 'remote' }
const failed = (code: 'LEG_LOST' | 'SERVICE_LOST', retryable: boolean): EndReason => ({
  kind: 'failed',
  error: new BridgeError(code, 'soak', { retryable }),
})
/** Longer than any grace period and any last words (ms). */
const SETTLED_MS = 20_000

/** Forgets what it received and connections that are over, like a service. */
class Forgetful extends FakeTranslator {
  forget(): void {
    for (const { sent } of this.connections) sent.length = 0
    const open = this.connections.filter(({ closed }) => !closed)
    this.connections.splice(0, this.connections.length, ...open)
  }
}

/** Many concurrent calls in a relay on a simulated clock, with a fault in most of them. */
export class RoomCalls {
  readonly relay: Relay
  readonly clock = new FakeClock(1_000)
  readonly faults = new Map<string, number>()
  readonly #random: SeededRandom
  readonly #translator = new Forgetful()
  readonly #maker: Mp3Maker
  readonly #legs: { leg: FakeLeg; until: number; room: string }[] = []
  readonly #speech: Int16Array
  readonly #silence = new Int16Array(FRAME_SAMPLES)
  #count = 0

  private constructor(seed: number, maker: Mp3Maker) {
    this.#random = new SeededRandom(seed)
    this.#maker = maker
    this.#speech = Int16Array.from({ length: FRAME_SAMPLES }, (_, n) => Math.sin(n / 4) * 6_000)
    const options = relayOptions({ maxLegs: 100_000 })
    const random = () => this.#random.next() / 2 ** 32
    this.relay = new Relay({ translator: this.#translator, options, clock: this.clock, random })
  }

  static async open(seed: number): Promise<RoomCalls> {
    const calls = new RoomCalls(seed, await Mp3Maker.create())
    await calls.relay.ready()
    return calls
  }

  /** Sets up and tears down `calls` more. All of them are over afterwards, and no reconnection is pending. */
  async run(calls: number): Promise<void> {
    for (let begun = 0; begun < calls; ) {
      for (let more = 1 + this.#random.below(3); more > 0 && begun < calls; more--, begun++) this.#begin()
      await this.#step()
    }
    while (this.#legs.length > 0) await this.#step()
    // A service that refuses is probed for as long as it does.
    this.#translator.refuse = undefined
    this.#translator.autoReady = true
    for (let ms = 0; ms < SETTLED_MS; ms += 20) await this.#step()
    this.#translator.forget()
  }

  async close(): Promise<void> {
    await this.relay.close()
  }

  #begin(): void {
    const room = `room-${++this.#count}`
    const parties = this.#random.pick([1, 1, 2, 2, 3])
    this.#translator.autoReady = this.#random.below(5) > 0
    this.#translator.refuse =
      this.#random.below(12) === 0 ? failed('SERVICE_LOST', this.#random.below(2) > 0) : undefined
    for (let n = 0; n < parties; n++) this.#join(room, `${room}-${n}`)
  }

  #join(room: string, call: string): void {
    const leg = new FakeLeg(`leg-${++this.#count}`, call)
    const speaks = this.#random.pick(LANGUAGES)
    const hears = this.#random.pick(LANGUAGES)
    this.relay.admit(leg, { room, speaks, hears })
    this.#legs.push({ leg, until: this.clock.now() + 20 * (1 + this.#random.below(25)), room })
  }

  async #step(): Promise<void> {
    const now = this.clock.now()
    for (const each of [...this.#legs]) {
      each.leg.uplink?.write(this.#random.below(4) === 0 ? this.#silence : this.#speech)
      each.leg.hear()
      // Only the fake leg keeps the played audio.
      each.leg.played.length = 0
      if (now >= each.until || this.#random.below(100) === 0) this.#end(each)
    }
    this.clock.advance(20)
    // The fakes answer in microtasks.
    await Promise.resolve()
    await Promise.resolve()
    if (this.#random.below(3) === 0) this.#serviceFault()
    this.#translator.forget()
  }

  #end(each: { leg: FakeLeg; until: number; room: string }): void {
    this.#legs.splice(this.#legs.indexOf(each), 1)
    switch (this.#random.below(5)) {
      case 0:
        this.#counted('leg lost permanently')
        void each.leg.close(failed('LEG_LOST', true))
        break
      case 1:
        this.#counted('leg back')
        void each.leg.close(failed('LEG_LOST', true))
        this.#join(each.room, each.leg.call!)
        break
      case 2:
        this.#counted('leg failed')
        void each.leg.close(failed('LEG_LOST', false))
        break
      default:
        void each.leg.close(HANG_UP)
    }
  }

  #serviceFault(): void {
    const { connections } = this.#translator
    if (connections.length === 0) return
    const connection = this.#random.pick(connections)
    switch (this.#random.below(7)) {
      case 0:
        this.#counted('service lost')
        connection.drop(failed('SERVICE_LOST', true))
        break
      case 1:
        this.#counted('service refuses')
        connection.drop(failed('SERVICE_LOST', false))
        break
      case 2:
        this.#counted('acks stop')
        connection.autoAck = false
        break
      case 3:
        this.#counted('nack')
        if (connection.live) connection.sink.acked(this.#random.below(20), false)
        break
      case 4:
        if (!connection.closed && !connection.live) connection.sink.ready()
        break
      default:
        this.#answer(connection)
    }
  }

  #answer(connection: FakeConnection): void {
    if (!connection.live) return
    this.#counted('answers')
    const id = String(this.#random.below(9))
    const whole = this.#maker.tone(440, 200)
    const audio = this.#random.below(4) === 0 ? whole.subarray(0, whole.length >> 1) : whole
    connection.sink.result({ utterance: id, final: true, text: 'a', translation: 'b', audio })
    if (this.#random.below(3) > 0) connection.sink.endOfSpeech(id)
  }

  #counted(fault: string): void {
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1)
  }
}
