import { after, type Clock } from '../common/clock.ts'
import type { SimulatedCall as Phone } from '../simulator/twilio/phone/call.ts'
import type { Voice } from '../simulator/twilio/phone/voice.ts'
import type { SimulatedCallView, SimulatedOrder } from '../web/dashboard/protocol.ts'
import type { PhoneEar } from '../web/dashboard/simulated-calls.ts'

/** Pause between two sentences, so that listeners hear the translation of the first (ms). */
const PAUSE_MS = 4_000
/** Audio kept of what a phone hears (ms). Older audio is never requested. */
const KEEP_MS = 1_000
/** Maximum number of listeners per phone. */
const MOST_EARS = 8

/** A phone of the call, with its recordings. */
export interface Talker {
  readonly phone: Phone
  readonly voices: readonly Voice[]
}

/** A call of one or two simulated phones that take turns until it is hung up. Owns the phones. */
export class SimulatedCall {
  readonly id: string
  /** Settles once all phones have hung up. */
  readonly ended: Promise<void>
  readonly #talkers: readonly Talker[]
  readonly #clock: Clock
  readonly #view: Omit<SimulatedCallView, 'phones'>
  readonly #order: SimulatedOrder
  readonly #ears: readonly Set<PhoneEar>[]
  /** Listeners have received the audio up to this time (clock ms). */
  #heardAt: number

  constructor(
    view: Omit<SimulatedCallView, 'phones'>,
    order: SimulatedOrder,
    talkers: readonly Talker[],
    clock: Clock,
  ) {
    this.id = view.id
    this.#view = view
    this.#order = order
    this.#talkers = talkers
    this.#clock = clock
    this.#ears = talkers.map(() => new Set())
    this.#heardAt = clock.now()
    for (const [index, { phone }] of talkers.entries()) void phone.ended.then(() => this.#hungUp(index))
    this.ended = Promise.all(talkers.map(({ phone }) => phone.ended)).then(() => {})
    void this.#talk()
  }

  get view(): SimulatedCallView {
    const phones = this.#order.phones.map((each, index) => ({
      ...each,
      live: this.#talkers[index]!.phone.live,
    }))
    return { ...this.#view, phones }
  }

  /** Returns the index of the phone with this call, or −1. */
  phoneOf(callSid: string): number {
    return this.#talkers.findIndex(({ phone }) => phone.callSid === callSid)
  }

  listen(phone: number, ear: PhoneEar): Disposable | undefined {
    const ears = this.#ears[phone]
    if (!ears || ears.size >= MOST_EARS || !this.#talkers[phone]!.phone.live) return undefined
    ears.add(ear)
    return { [Symbol.dispose]: () => void ears.delete(ear) }
  }

  /** Sends listeners the audio since the last call; called several times a second. */
  tick(now: number): void {
    for (const [index, { phone }] of this.#talkers.entries()) {
      const ears = this.#ears[index]!
      if (ears.size > 0) {
        const pcm = phone.heardBetween(this.#heardAt, now)
        for (const ear of ears) ear.hear(pcm)
      }
      phone.forget(now - KEEP_MS)
    }
    this.#heardAt = now
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
    const timer = after(this.#clock, PAUSE_MS, resolve)
    await Promise.race([promise, this.ended])
    timer[Symbol.dispose]()
  }

  #hungUp(index: number): void {
    for (const ear of this.#ears[index]!) ear.end()
    this.#ears[index]!.clear()
  }
}
