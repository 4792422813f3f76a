import type { SimulatedCall } from '../phone/call.ts'
import type { CallOptions } from '../phone/call-options.ts'
import type { Voice } from '../phone/voice.ts'

/** What happens when they are called. */
export type Behaviour = 'answers' | 'busy' | 'no-answer' | 'voicemail' | 'rejects' | 'fails'

/** What somebody does whose telephone rings. */
export interface SubscriberOptions {
  /** Default `answers`. `fails`: the network finds no way. `voicemail`: a machine answers. */
  behaviour?: Behaviour
  /** From the first ring to the answer, or to the refusal. Default 100 ms. */
  answerAfterMs?: number
  /** What they say when they have answered: a voice, or everything they do. */
  voice?: Voice | ((call: SimulatedCall) => void | Promise<void>)
  /** What machine detection finds. Default by behaviour: `human`, `machine_start`, `machine_end_beep`. */
  answeredBy?: string
  /** … so long after the answer. Default 200 ms, with `DetectMessageEnd` the length of the greeting is yours to add. */
  detectAfterMs?: number
  /** How their telephone behaves: `quirks`, `record`, `onMedia`, … */
  phone?: Partial<CallOptions>
}

/** Somebody with a telephone number, outside of the account. What they do may be changed between calls. */
export class Subscriber {
  /** E.164. */
  readonly number: string
  options: SubscriberOptions
  /** Their calls in both directions, in order: those they answered and those they placed. */
  readonly calls: SimulatedCall[] = []
  readonly #dial: (to: string, options: Partial<CallOptions>) => Promise<SimulatedCall>
  readonly #waiting: { count: number; settle: (call: SimulatedCall) => void }[] = []

  /** Made by the stand-in. */
  constructor(
    number: string,
    options: SubscriberOptions,
    dial: (from: Subscriber, to: string, options: Partial<CallOptions>) => Promise<SimulatedCall>,
  ) {
    this.number = number
    this.options = options
    this.#dial = (to, more) => dial(this, to, more)
  }

  /** Their call number `count` (from 1), once it is there; default: the next one. */
  call(count: number = this.calls.length + 1): Promise<SimulatedCall> {
    const call = this.calls[count - 1]
    if (call) return Promise.resolve(call)
    return new Promise(settle => this.#waiting.push({ count, settle }))
  }

  /** Calls a number of the account; settles as `placeCall` does. Rejects with RangeError for a number that it does not have. */
  async dial(to: string, options: Partial<CallOptions> = {}): Promise<SimulatedCall> {
    return this.#dial(to, { ...this.options.phone, ...options })
  }

  /** For the stand-in: they have a call. */
  took(call: SimulatedCall): void {
    this.calls.push(call)
    for (const { count, settle } of this.#waiting) if (count === this.calls.length) settle(call)
  }
}
