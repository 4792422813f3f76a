import type { Announcer } from '../../core/announcer.ts'
import type { Clock } from '../../core/clock.ts'
import type { Dialler } from '../../core/dialler.ts'
import type { Admission } from '../../core/invitation.ts'
import type { Log } from '../../core/log.ts'
import type { Relay } from '../../core/relay.ts'
import type { RoomCodes } from '../../core/room-codes.ts'
import type { WallClock } from '../../core/wall-clock.ts'
import type { ChannelOptions } from './channel/channel-parts.ts'
import type { Preferences } from './channel-interpreter.ts'
import type { LanguageOffer } from './commands/language-offer.ts'
import type { CommandSettings, Guesses } from './commands/settings.ts'

/** What the bridge works with. What is passed in stays whose it is. */
export interface DiscordBridgeOptions {
  /** The bot's token, from Discord's developer portal. Never logged. */
  readonly token: string
  /** Whose rooms the channels are; stays its owner's. */
  readonly relay: Relay
  /** Where legs go in; default: the relay itself. */
  readonly admission?: Admission
  readonly announcer: Announcer
  /** What the translation service can do. */
  readonly languages: LanguageOffer
  /** Default: kept in memory, and forgotten when the process ends. */
  readonly preferences?: Preferences
  /** Absent: nobody can be called into a channel. */
  readonly dialler?: Dialler | undefined
  /** Absent: no room can be joined by code. */
  readonly roomCodes?: Pick<RoomCodes, 'issue' | 'find'> | undefined
  /** How often codes may be guessed; absent: not limited beyond the commands' own limits. */
  readonly guesses?: Guesses
  readonly commands?: Partial<CommandSettings>
  readonly channels?: ChannelOptions
  /** Another address of Discord's REST API, like that of a stand-in: `http://127.0.0.1:1234/api`. */
  readonly apiUrl?: string
  readonly clock?: Clock
  readonly wallClock?: WallClock
  readonly log?: Log
}
