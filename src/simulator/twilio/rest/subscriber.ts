import type { SimulatedCall } from '../phone/call.ts'
import type { CallOptions } from '../phone/call-options.ts'
import type { Voice } from '../phone/voice.ts'

/** Reaction to a call. */
export type Behavior = 'answers' | 'busy' | 'no-answer' | 'voicemail' | 'rejects' | 'fails'

/** Behavior of a subscriber whose phone rings. */
export interface SubscriberOptions {
  /** Default `answers`. `fails`: the network finds no route. `voicemail`: a machine answers. */
  behavior?: Behavior
  /** Time from the first ring to the answer, or to the rejection. Default 100 ms. */
  answerAfterMs?: number
  /** Speech after answering: a voice, or a function that controls the whole call. */
  voice?: Voice | ((call: SimulatedCall) => void | Promise<void>)
  /** Verdict of machine detection. Default by behavior: `human`, `machine_start`, `machine_end_beep`. */
  answeredBy?: string
  /** Time from the answer to the verdict (ms). Default 200; with `DetectMessageEnd` add the length of the greeting. */
  detectAfterMs?: number
  /** Options of their phone: `quirks`, `record`, `onMedia`, … */
  phone?: Partial<CallOptions>
}

/** A person with a phone number outside of the account. Their behavior can be changed between calls. */
export class Subscriber {
  /** E.164. */
  readonly number: string
  options: SubscriberOptions
  /** Their calls in both directions, in order. */
  readonly calls: SimulatedCall[] = []
  readonly #dial: (to: string, options: Partial<CallOptions>) => Promise<SimulatedCall>
  readonly #waiting: { count: number; settle: (call: SimulatedCall) => void }[] = []

  /** Created by the simulator. */
  constructor(
    number: string,
    options: SubscriberOptions,
    dial: (from: Subscriber, to: string, options: Partial<CallOptions>) => Promise<SimulatedCall>,
  ) {
    this.number = number
    this.options = options
    this.#dial = (to, more) => dial(this, to, more)
  }

  /** Resolves to their call number `count` (from 1) as soon as it exists; default: the next one. */
  call(count: number = this.calls.length + 1): Promise<SimulatedCall> {
    const call = this.calls[count - 1]
    if (call) return Promise.resolve(call)
    return new Promise(settle => this.#waiting.push({ count, settle }))
  }

  /** Calls a number of the account; settles like `placeCall`. Rejects with RangeError for an unknown number. */
  async dial(to: string, options: Partial<CallOptions> = {}): Promise<SimulatedCall> {
    return this.#dial(to, { ...this.options.phone, ...options })
  }

  /** For the simulator: adds a call of the subscriber. */
  took(call: SimulatedCall): void {
    this.calls.push(call)
    for (const { count, settle } of this.#waiting) if (count === this.calls.length) settle(call)
  }
}
