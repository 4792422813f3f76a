import type { NoticeName } from '../../../core/announcer.ts'

/** How it stands between a channel and those who are not in it. */
export interface ChannelReach {
  /** The voice connection is lost, and being made again. */
  readonly lost: boolean
  /** What keeps the bot from being heard in the channel, or from hearing it. */
  readonly hindered: 'mute' | 'deaf' | undefined
}

type Trouble = 'channel-away' | 'channel-mute' | 'channel-deaf'

/** So long it lasts before it is told (ms): most lost connections are back sooner, and moderators change their minds. */
const AFTER_MS: Readonly<Record<Trouble, number>> = {
  'channel-away': 3_000,
  'channel-mute': 1_000,
  'channel-deaf': 1_000,
}

/** Tells telephones in a channel's room what they cannot see: that they are not heard there, or hear nobody, and when it is over. */
export class PhoneNews {
  readonly #tell: (notice: NoticeName) => void
  #now: Trouble | undefined
  #since = 0
  #told: Trouble | undefined

  constructor(tell: (notice: NoticeName) => void) {
    this.#tell = tell
  }

  /** What whoever comes now has to know. */
  get standing(): NoticeName | undefined {
    return this.#told
  }

  /** How it is at `now` (clock ms). */
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
