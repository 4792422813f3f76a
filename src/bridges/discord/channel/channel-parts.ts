import type { Client } from 'discord.js'
import type { Announcer } from '../../../core/announcer.ts'
import type { Clock } from '../../../core/clock.ts'
import type { Dialler } from '../../../core/dialler.ts'
import type { Admission } from '../../../core/invitation.ts'
import type { LanguageId } from '../../../core/languages.ts'
import type { Log } from '../../../core/log.ts'
import type { Relay } from '../../../core/relay.ts'
import type { RoomCodes } from '../../../core/room-codes.ts'
import type { Preferences, RunningChannels } from '../channel-interpreter.ts'
import type { ChannelOptions } from '../options.ts'
import type { LinkCounters } from '../voice/link-counters.ts'
import type { OutgoingPacer } from '../voice/outgoing-pacer.ts'

/** What all channels of a process are made with; none of it is closed by them. */
export interface ChannelParts {
  readonly client: Client
  readonly relay: Relay
  /** Where legs go in. */
  readonly admission: Admission
  readonly announcer: Announcer
  /** The one timer of all channels' voices. */
  readonly pacer: OutgoingPacer
  /** Of all channels together. */
  readonly counters: LinkCounters
  readonly preferences: Preferences
  /** Absent: nothing is known of the last process, and nothing is kept for the next one. */
  readonly running?: RunningChannels | undefined
  /** Absent: nobody can be called. */
  readonly dialler?: Dialler | undefined
  /** Absent: there are no codes to be given out. */
  readonly roomCodes?: Pick<RoomCodes, 'issue' | 'find'> | undefined
  /** What the user's client is set to, as far as it is known (a Discord locale). */
  readonly localeOf?: (userId: string) => string | undefined
  /** A language that the service has, for one that was only guessed. */
  readonly nearest?: (language: LanguageId) => LanguageId
  readonly options?: ChannelOptions
  readonly clock: Clock
  readonly log: Log
}
