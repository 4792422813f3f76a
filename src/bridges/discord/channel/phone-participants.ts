import { BridgeError } from '../../../common/errors.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { Announcer, NoticeName } from '../../../core/model/announcer.ts'
import type { Dialer, DialOutcome, OutgoingCall } from '../../../core/model/dialer.ts'
import type { Participant } from '../../../core/room/participant.ts'
import type { Relay } from '../../../core/room/relay.ts'

export interface OtherPartiesOptions {
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

/** Participants of the room outside the channel: phones that were called from here or dialed in. */
export class PhoneParticipants implements Disposable {
  readonly #options: OtherPartiesOptions
  readonly #calls = new Set<OutgoingCall>()
  #watch: Disposable | undefined

  constructor(options: OtherPartiesOptions) {
    this.#options = options
  }

  /** Reports phones that join from now on. Call it once. */
  start(): void {
    const { relay, room, joined } = this.#options
    this.#watch = relay.observer.on('admitted', event => {
      if (event.room === room && relay.find(event.participant)?.invitation.sharedSpace === undefined) joined()
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

  /** Notifies phones that the channel has left, unless another channel remains. */
  async leave(): Promise<void> {
    const elsewhere = this.#parties.some(
      ({ invitation }) => ![this.#options.sharedSpace, undefined].includes(invitation.sharedSpace),
    )
    if (!elsewhere) await this.tell('other-left')
  }

  /** Plays `notice` to every phone; settles after playback. */
  async tell(notice: NoticeName): Promise<void> {
    const { announcer, fallback } = this.#options
    const told = this.#parties.map(async party => {
      if (party.invitation.sharedSpace !== undefined) return
      const { hears = fallback } = party.state
      await party.announce(await announcer.notice(notice, hears)).ended
    })
    await Promise.all(told)
  }

  /** Ends calls placed from here, at any stage. Never rejects. */
  async hangUp(): Promise<void> {
    await Promise.all(Array.from(this.#calls, call => call.hangUp()))
  }

  get #parties(): readonly Participant[] {
    const { relay, room } = this.#options
    return Array.from(relay.rooms.get(room)?.participants.values() ?? [])
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]()
  }
}

/** State of the link between a channel and the phones in its room. */
export interface ChannelReach {
  /** The voice connection is lost and being restored. */
  readonly lost: boolean
  /** Mute: the channel cannot hear the bot. Deaf: the bot cannot hear the channel. */
  readonly hindered: 'mute' | 'deaf' | undefined
}

type Trouble = 'channel-unavailable' | 'channel-mute' | 'channel-deaf'

/**
 * Delay before a problem is announced (ms): most lost connections recover sooner, and moderators change their minds.
 */
const AFTER_MS: Readonly<Record<Trouble, number>> = {
  'channel-unavailable': 3_000,
  'channel-mute': 1_000,
  'channel-deaf': 1_000,
}

/**
 * Notifies phones in a channel's room when the channel cannot hear them or they cannot hear the channel, and when that
 * ends.
 */
export class PhoneNotices {
  readonly #tell: (notice: NoticeName) => void
  #now: Trouble | undefined
  #since = 0
  #told: Trouble | undefined

  constructor(tell: (notice: NoticeName) => void) {
    this.#tell = tell
  }

  /** The notice for phones that join now. */
  get standing(): NoticeName | undefined {
    return this.#told
  }

  /** Updates the state at `now` (clock ms). */
  look({ lost, hindered }: ChannelReach, now: number): void {
    const trouble = lost ? 'channel-unavailable' : hindered && (`channel-${hindered}` as const)
    if (trouble !== this.#now) this.#since = now
    this.#now = trouble
    if (trouble === this.#told) return
    if (trouble !== undefined && now - this.#since < AFTER_MS[trouble]) return
    this.#told = trouble
    this.#tell(trouble ?? 'channel-back')
  }
}
