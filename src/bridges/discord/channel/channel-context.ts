import type { Client } from 'discord.js'
import type { Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { Logger } from '../../../common/log.ts'
import type { RoomCodes } from '../../../core/calls/room-codes.ts'
import type { Announcer } from '../../../core/model/announcer.ts'
import type { Dialer } from '../../../core/model/dialer.ts'
import type { Admission } from '../../../core/model/invitation.ts'
import type { Relay } from '../../../core/room/relay.ts'
import type { ChannelObserver, Preferences, RunningChannels } from '../channel-interpreter.ts'
import type { OfferedLanguage } from '../commands/language-choices.ts'
import type { LinkCounters } from '../counters.ts'
import type { ChannelOptions } from '../options.ts'
import type { OutputPacer } from '../voice/channel-output.ts'
import type { VoiceRegister } from '../voice-register.ts'
import type { NoticeTerms } from './notice-terms.ts'
import type { OfferedVoice } from './voice-casting.ts'

/** Dependencies of all channels of a process. Channels do not close them. */
export interface ChannelResources {
  readonly client: Client
  /** Follows the client's voice channels. */
  readonly register: VoiceRegister
  readonly relay: Relay
  /** Admits legs to rooms. */
  readonly admission: Admission
  readonly announcer: Announcer
  /** The timer shared by the voices of all channels. */
  readonly pacer: OutputPacer
  /** Sums over all channels. */
  readonly counters: LinkCounters
  readonly preferences: Preferences
  /** Absent: channels are neither resumed nor stored across restarts. */
  readonly running?: RunningChannels | undefined
  /** Absent: outbound calls are disabled. */
  readonly dialer?: Dialer | undefined
  /** Absent: room codes are disabled. */
  readonly roomCodes?: Pick<RoomCodes, 'issue' | 'find'> | undefined
  /** Locale of the user's client (a Discord locale), if known. */
  readonly localeOf?: (userId: string) => string | undefined
  /** Maps a guessed language to a language of the service. */
  readonly nearest?: (language: LanguageId) => LanguageId
  /** The service's languages, as far as they are known. */
  readonly offered?: (() => readonly OfferedLanguage[]) | undefined
  /** The service's voices, as far as they are known. */
  readonly voices?: (() => readonly OfferedVoice[]) | undefined
  readonly channelOptions?: ChannelOptions | undefined
  /** Consent and storage, as stated in the notices of the channels. */
  readonly terms: NoticeTerms
  readonly observer?: ChannelObserver | undefined
  readonly clock: Clock
  readonly log: Logger
}
