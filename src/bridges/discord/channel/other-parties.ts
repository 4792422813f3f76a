import type { Announcer, NoticeName } from '../../../core/announcer.ts'
import type { Dialler, DialOutcome, OutgoingCall } from '../../../core/dialler.ts'
import { BridgeError } from '../../../core/errors.ts'
import type { LanguageId } from '../../../core/languages.ts'
import type { Participant } from '../../../core/participant.ts'
import type { Relay } from '../../../core/relay.ts'

export interface OtherPartiesParts {
  readonly relay: Relay
  readonly announcer: Announcer
  readonly dialler: Dialler | undefined
  readonly room: string
  /** Where the channel's own parties are. */
  readonly place: string
  /** Of notices for parties without a language. */
  readonly fallback: LanguageId
  /** A telephone is there that was not. */
  readonly joined: () => void
}

/** Those in a channel's room who are not in the channel: telephones, called from here or come by themselves. */
export class OtherParties implements Disposable {
  readonly #parts: OtherPartiesParts
  readonly #calls = new Set<OutgoingCall>()
  readonly #watch: Disposable

  constructor(parts: OtherPartiesParts) {
    this.#parts = parts
    const { relay, room, joined } = parts
    this.#watch = relay.observer.on('admitted', event => {
      if (event.room === room && relay.find(event.participant)?.invitation.place === undefined) joined()
    })
  }

  /** Throws `BridgeError` `DIAL_REFUSED` or `CAPACITY`. */
  dial(
    to: string,
    language: LanguageId,
    name: string,
  ): { readonly outcome: Promise<DialOutcome>; hangUp(): Promise<void> } {
    const { dialler, room } = this.#parts
    if (!dialler) throw new BridgeError('DIAL_REFUSED', 'calling telephones is not set up')
    const invitation = { room, speaks: language, hears: language, echo: false, name }
    const call = dialler.dial({ to, invitation })
    this.#calls.add(call)
    void call.over.then(() => this.#calls.delete(call))
    return { outcome: call.outcome, hangUp: () => call.hangUp() }
  }

  /** Telephones are told that the channel is gone, unless there is another one. */
  async leave(): Promise<void> {
    const elsewhere = this.#parties.some(
      ({ invitation }) => ![this.#parts.place, undefined].includes(invitation.place),
    )
    if (!elsewhere) await this.tell('other-left')
  }

  /** Says `notice` to every telephone; settles when it was heard. */
  async tell(notice: NoticeName): Promise<void> {
    const { announcer, fallback } = this.#parts
    const told = this.#parties.map(async party => {
      if (party.invitation.place !== undefined) return
      const { hears = fallback } = party.state
      await party.announce(await announcer.notice(notice, hears)).ended
    })
    await Promise.all(told)
  }

  /** Ends the calls from here at whatever stage. Never rejects. */
  async hangUp(): Promise<void> {
    await Promise.all(Array.from(this.#calls, call => call.hangUp()))
  }

  get #parties(): readonly Participant[] {
    const { relay, room } = this.#parts
    return Array.from(relay.rooms.get(room)?.participants.values() ?? [])
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]()
  }
}
