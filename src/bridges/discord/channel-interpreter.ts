import type { DialOutcome } from '../../core/dialler.ts'
import type { LanguageId } from '../../core/languages.ts'

/** What is spoken in a channel: as its members need it, or in these one or two languages. */
export type ChannelOutput = 'auto' | readonly [LanguageId] | readonly [LanguageId, LanguageId]

/** How captions look: rich, as plain text, or not at all. */
export type CaptionStyle = 'embed' | 'plain' | 'off'

/** Where captions go, and how they look. */
export interface CaptionSettings {
  readonly style: CaptionStyle
  /** In a thread of their own, rather than in the channel's chat. */
  readonly thread: boolean
}

/** Why interpreting did not begin, or ended. */
export type ChannelEnd =
  /** Somebody said so. */
  | { readonly kind: 'stopped'; readonly by: string }
  /** Nobody was left. */
  | { readonly kind: 'empty' }
  /** A moderator disconnected the bot. */
  | { readonly kind: 'kicked' }
  /** Discord refuses for good: the close code, or what is missing. */
  | {
      readonly kind: 'refused'
      readonly code: number | 'permissions' | 'channel-gone' | 'guild-gone' | 'encryption'
    }
  /** Ready was not reached, or the connection lost and not got back. */
  | { readonly kind: 'unreachable'; readonly attempts: number }
  /** This process is closing. */
  | { readonly kind: 'parent-closed' }

/** One who speaks in the channel, as the status shows them. Ids and names are Discord's; never words. */
export interface ChannelSpeaker {
  readonly userId: string
  readonly language: LanguageId
  /** `asked`: by the user; `locale`: guessed from their client; `default`: the guild's. */
  readonly languageFrom: 'asked' | 'remembered' | 'locale' | 'default'
  /** False: they opted out, and nothing of theirs is received. */
  readonly consents: boolean
}

/** How a channel that is interpreted stands just now, for people and programs. */
export interface ChannelStatus {
  readonly guildId: string
  readonly channelId: string
  /** Where captions go. */
  readonly textChannelId: string
  /** The room's name, for others to join. */
  readonly room: string
  /** How long it has been going on (ms). */
  readonly sinceMs: number
  readonly state: 'joining' | 'listening' | 'reconnecting'
  /** End-to-end encryption: on, off (stage channels, tests), or not agreed yet. */
  readonly encrypted: boolean | undefined
  readonly output: ChannelOutput
  /** Languages that are voices now. */
  readonly spoken: readonly LanguageId[]
  /** Languages that are captions now. */
  readonly written: readonly LanguageId[]
  readonly captions: CaptionSettings
  readonly speakers: readonly ChannelSpeaker[]
  /** The service cannot be reached just now. */
  readonly away: boolean
}

/** What commands can do with a channel that is being interpreted. */
export interface ChannelInterpreter {
  readonly guildId: string
  readonly channelId: string
  readonly ended: Promise<ChannelEnd>
  status(): ChannelStatus
  /** From the speaker's next frame on. */
  setLanguage(userId: string, language: LanguageId): void
  setOutput(output: ChannelOutput): void
  setCaptions(settings: CaptionSettings): Promise<void>
  /** At once: the subscription is closed and what was gathered of theirs is thrown away. */
  optOut(userId: string): void
  optIn(userId: string): void
  /** Forgets the language that the user asked for here. A no holds until the end. */
  forget(userId: string): void
  /**
   * Calls somebody into the room. Throws `BridgeError` `DIAL_REFUSED` or `CAPACITY` at once, like `Dialler.dial`; what
   * becomes of it is told in the channel by the caller of this.
   */
  dial(to: string, language: LanguageId): { readonly outcome: Promise<DialOutcome>; hangUp(): Promise<void> }
  /** A fresh code by which others join the room by telephone; and where to key it in, if a number is set up for it. */
  invite(): { readonly code: string; readonly minutes: number }
  /** Says goodbye where there is somebody to hear it. Idempotent. */
  stop(by: string): Promise<ChannelEnd>
}

/** Who wants a channel to be interpreted, and how. */
export interface StartRequest {
  readonly guildId: string
  readonly channelId: string
  readonly textChannelId: string
  /** Who asked, and the language they are answered in. */
  readonly startedBy: string
  readonly output: ChannelOutput
  readonly captions: CaptionSettings
  /** Captions without voice. */
  readonly voice: boolean
  /** Join an existing room by its code rather than open one; checked by `Interpreters.start`. */
  readonly roomCode?: string
}

/** A channel that is being interpreted, and how, for the next process. Nobody who speaks there is named. */
export type RunningChannel = Omit<StartRequest, 'startedBy' | 'roomCode'>

/** Which channels are being interpreted, kept beyond the process. */
export interface RunningChannels {
  /** Those of the last process, if it ended recently. Never throws. */
  recent(): readonly RunningChannel[]
  /** These are being interpreted now, and no others. Called every few seconds and at every change. */
  keep(channels: readonly RunningChannel[]): void
}

/** What `start` may fail with; the words for it are the commands'. */
export type StartFailure =
  | { readonly kind: 'already'; readonly channelId: string }
  | { readonly kind: 'wrong-code' }
  | { readonly kind: 'full' }
  | ChannelEnd

/** The channels of all guilds that are being interpreted. */
export interface Interpreters {
  /** At most one a guild: Discord allows a bot one voice channel in each. */
  of(guildId: string): ChannelInterpreter | undefined
  /** Never rejects for what Discord does: that is a `StartFailure`. */
  start(request: StartRequest): Promise<ChannelInterpreter | StartFailure>
}

/** What users said about themselves, as far as they want it remembered. Keyed by Discord's user id. */
export interface Preferences {
  language(userId: string): LanguageId | undefined
  /** `remember`: keep it beyond this process; otherwise it holds until the process ends. */
  setLanguage(userId: string, language: LanguageId, remember: boolean): void
  optedOut(userId: string): boolean
  /** Opting out is always kept: whoever said no is not asked again. */
  setOptedOut(userId: string, out: boolean): void
  /** Deletes everything about them at once, in memory and on disk. */
  forget(userId: string): Promise<void>
  /** What is kept of them, for `/interpret privacy`. */
  about(userId: string): {
    readonly language?: LanguageId
    readonly remembered: boolean
    readonly optedOut: boolean
  }
}
