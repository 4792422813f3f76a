import type { NoticeName } from '../../../core/model/announcer.ts'

/** State of the link between a channel and the phones in its room. */
export interface ChannelReach {
  /** The voice connection is lost and being restored. */
  readonly lost: boolean
  /** Mute: the channel cannot hear the bot. Deaf: the bot cannot hear the channel. */
  readonly hindered: 'mute' | 'deaf' | undefined
}

type Trouble = 'channel-away' | 'channel-mute' | 'channel-deaf'

/**
 * Delay before a problem is announced (ms): most lost connections recover sooner, and moderators change their minds.
 */
const AFTER_MS: Readonly<Record<Trouble, number>> = {
  'channel-away': 3_000,
  'channel-mute': 1_000,
  'channel-deaf': 1_000,
}

/**
 * Notifies phones in a channel's room when the channel cannot hear them or they cannot hear the channel, and when that
 * ends.
 */
export class PhoneNews {
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
    const trouble = lost ? 'channel-away' : hindered && (`channel-${hindered}` as const)
    if (trouble !== this.#now) this.#since = now
    this.#now = trouble
    if (trouble === this.#told) return
    if (trouble !== undefined && now - this.#since < AFTER_MS[trouble]) return
    this.#told = trouble
    this.#tell(trouble ?? 'channel-back')
  }
}
