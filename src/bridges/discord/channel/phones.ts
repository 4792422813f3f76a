import { BridgeError } from '../../../common/errors.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { Announcer, NoticeName } from '../../../core/model/announcer.ts'
import type { Dialer, DialOutcome, OutgoingCall } from '../../../core/model/dialer.ts'
import type { Participant } from '../../../core/room/participant.ts'
import type { Relay } from '../../../core/room/relay.ts'

export interface PhonesOptions {
  readonly relay: Relay
  readonly announcer: Announcer
  readonly dialer: Dialer | undefined
  readonly room: string
  /** Shared space of the channel's own participants. */
  readonly sharedSpace: string
  /** Language of notices for participants without one. */
  readonly fallback: LanguageId
  /** Called when a phone joins. */
  readonly joined: () => void
}

/** State of the link between a channel and the phones in its room. */
export interface ChannelReach {
  /** The voice connection is lost and being restored. */
  readonly lost: boolean
  /** Mute: the channel cannot hear the bot. Deaf: the bot cannot hear the channel. */
  readonly hindered: 'mute' | 'deaf' | undefined
}

type Problem = 'channel-unavailable' | 'channel-mute' | 'channel-deaf'

/**
 * Delay before a problem is announced (ms): most lost connections recover sooner, and moderators change their minds.
 */
const AFTER_MS: Readonly<Record<Problem, number>> = {
  'channel-unavailable': 3_000,
  'channel-mute': 1_000,
  'channel-deaf': 1_000,
}

/**
 * Participants of the room outside the channel: phones that were called from here or dialed in. They are notified when
 * the channel cannot hear them or they cannot hear the channel, and when that ends.
 */
export class Phones implements Disposable {
  readonly #options: PhonesOptions
  readonly #calls = new Set<OutgoingCall>()
  #watch: Disposable | undefined
  #problem: Problem | undefined
  /** Since when `#problem` is as it is (clock ms). */
  #since = 0
  /** The problem that phones were notified of. */
  #announced: Problem | undefined

  constructor(options: PhonesOptions) {
    this.#options = options
  }

  /** Reports phones that join from now on. Call it once. */
  start(): void {
    const { relay, room, joined } = this.#options
    this.#watch = relay.observer.on('admitted', event => {
      if (event.room !== room || relay.find(event.participant)?.invitation.sharedSpace !== undefined) return
      joined()
      if (this.#announced) void this.announce(this.#announced)
    })
  }

  /** Throws `BridgeError` `DIAL_REFUSED` or `CAPACITY`. */
  dial(
    to: string,
    language: LanguageId,
    name: string,
  ): { readonly outcome: Promise<DialOutcome>; hangUp(): Promise<void> } {
    const { dialer, room } = this.#options
    if (!dialer) throw new BridgeError('DIAL_REFUSED', 'outbound calls are not configured')
    const invitation = { room, speaks: language, hears: language, echo: false, name }
    const call = dialer.dial({ to, invitation })
    this.#calls.add(call)
    void call.over.then(() => this.#calls.delete(call))
    return { outcome: call.outcome, hangUp: () => call.hangUp() }
  }

  /** Updates the channel's reach at `now` (clock ms). */
  update({ lost, hindered }: ChannelReach, now: number): void {
    const problem = lost ? 'channel-unavailable' : hindered && (`channel-${hindered}` as const)
    if (problem !== this.#problem) this.#since = now
    this.#problem = problem
    if (problem === this.#announced) return
    if (problem !== undefined && now - this.#since < AFTER_MS[problem]) return
    this.#announced = problem
    void this.announce(problem ?? 'channel-back')
  }

  /** Notifies phones that the channel has left, unless another channel remains. */
  async leave(): Promise<void> {
    const elsewhere = this.#participants.some(
      ({ invitation }) => ![this.#options.sharedSpace, undefined].includes(invitation.sharedSpace),
    )
    if (!elsewhere) await this.announce('other-left')
  }

  /** Plays `notice` to every phone; settles after playback. */
  async announce(notice: NoticeName): Promise<void> {
    const { announcer, fallback } = this.#options
    const phones = this.#participants.filter(({ invitation }) => invitation.sharedSpace === undefined)
    await Promise.all(
      phones.map(async phone => {
        const { hears = fallback } = phone.state
        await phone.announce(await announcer.notice(notice, hears)).ended
      }),
    )
  }

  /** Ends calls placed from here, at any stage. Never rejects. */
  async hangUp(): Promise<void> {
    await Promise.all(Array.from(this.#calls, call => call.hangUp()))
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]()
  }

  get #participants(): readonly Participant[] {
    const { relay, room } = this.#options
    return Array.from(relay.rooms.get(room)?.participants.values() ?? [])
  }
}
