import type { Dialler, DialOutcome, OutgoingCall } from '../../../core/dialler.ts'
import { BridgeError } from '../../../core/errors.ts'
import type { LanguageId } from '../../../core/languages.ts'

/** Telephones that were called into a room. */
export class DialledCalls {
  readonly #dialler: Dialler | undefined
  readonly #room: string
  readonly #calls = new Set<OutgoingCall>()

  constructor(dialler: Dialler | undefined, room: string) {
    this.#dialler = dialler
    this.#room = room
  }

  /** Throws `BridgeError` `DIAL_REFUSED` or `CAPACITY`. */
  dial(
    to: string,
    language: LanguageId,
    name: string,
  ): { readonly outcome: Promise<DialOutcome>; hangUp(): Promise<void> } {
    if (!this.#dialler) throw new BridgeError('DIAL_REFUSED', 'calling telephones is not set up')
    const call = this.#dialler.dial({
      to,
      invitation: { room: this.#room, speaks: language, hears: language, echo: false, name },
    })
    this.#calls.add(call)
    void call.over.then(() => this.#calls.delete(call))
    return { outcome: call.outcome, hangUp: () => call.hangUp() }
  }

  /** Ends all of them, at whatever stage. Never rejects. */
  async hangUp(): Promise<void> {
    await Promise.all(Array.from(this.#calls, call => call.hangUp()))
  }
}
