/**
 * What programs and commands see of the bridge. It uses no types of Discord's library, which is optional.
 */
import { z } from 'zod'
import { type LanguageId, languageId } from '../../common/language.ts'
import type { DialOutcome } from '../../core/model/dialer.ts'
import type { Exclusion } from './consent.ts'
import type { CommandCounters, LinkCounters } from './counters.ts'

/** Languages spoken in a channel: chosen by the needs of its members, or these one or two. */
export type OutputLanguages = 'auto' | readonly [LanguageId] | readonly [LanguageId, LanguageId]

/** Returns `output` with normalized languages. Throws `RangeError` for anything else. */
export function outputLanguages(output: OutputLanguages): OutputLanguages {
  if (output === 'auto') return output
  if (!Array.isArray(output) || output.length < 1 || output.length > 2)
    throw new RangeError(`output must be 'auto' or one or two languages, got ${String(output)}`)
  const [first, second] = output.map(languageId) as [LanguageId, LanguageId?]
  return second === undefined ? [first] : [first, second]
}

/** Destination and style of captions. */
export const captionSettingsSchema = z.strictObject({
  style: z.enum(['embed', 'plain', 'webhook', 'off'], "'embed', 'plain', 'webhook' or 'off'"),
  /** In a separate thread instead of the channel's chat. */
  thread: z.boolean('true or false'),
})
export type CaptionSettings = Readonly<z.infer<typeof captionSettingsSchema>>

/** Embeds, plain text, messages with the name and picture of their speaker, or off. */
export type CaptionStyle = CaptionSettings['style']

/** Why interpreting did not start, or ended. */
export type ChannelEnd =
  /** On request. */
  | { readonly kind: 'stopped'; readonly by: string }
  /** Everyone left. */
  | { readonly kind: 'empty' }
  /** A moderator disconnected the bot. */
  | { readonly kind: 'kicked' }
  /** Discord refuses permanently: the close code, or what is missing. */
  | {
      readonly kind: 'refused'
      readonly code: number | 'permissions' | 'channel-gone' | 'guild-gone' | 'encryption'
    }
  /** Another part of the program has the bot's voice connection in the guild, in this channel, if it is known. */
  | { readonly kind: 'taken'; readonly channelId?: string | undefined }
  /** The connection never became ready, or was lost and not restored. */
  | { readonly kind: 'unreachable'; readonly attempts: number }
  /** This process is shutting down. */
  | { readonly kind: 'parent-closed' }

/** A speaker in the channel, as shown in the status. IDs and names are Discord's; it contains no speech. */
export interface ChannelSpeaker {
  readonly userId: string
  readonly language: LanguageId
  /**
   * `asked`: set by the user; `remembered`: stored earlier; `locale`: guessed from the client; `default`: the guild's.
   */
  readonly languageFrom: 'asked' | 'remembered' | 'locale' | 'default'
  /** False: their audio is not received. */
  readonly consents: boolean
  /** Why it is not received. */
  readonly excludedBy?: Exclusion | undefined
}

/** Current state of an interpreted channel, for people and programs. */
export interface ChannelStatus {
  readonly guildId: string
  readonly channelId: string
  /** Destination of captions. */
  readonly textChannelId: string
  /** Name of the room, which others can join. */
  readonly room: string
  /** Time since the start (ms). */
  readonly sinceMs: number
  /** Paused: speech is neither received nor translated. */
  readonly state: 'joining' | 'listening' | 'paused' | 'reconnecting'
  /** End-to-end encryption: on, off (stage channels, tests), or not negotiated yet. */
  readonly encrypted: boolean | undefined
  readonly output: OutputLanguages
  /** Languages currently spoken. */
  readonly spoken: readonly LanguageId[]
  /** Languages currently captioned. */
  readonly written: readonly LanguageId[]
  readonly captions: CaptionSettings
  readonly speakers: readonly ChannelSpeaker[]
  /** The service is currently unavailable. */
  readonly unavailable: boolean
}

/** Operations that commands can perform on an interpreted channel. */
export interface ChannelInterpreter {
  readonly guildId: string
  readonly channelId: string
  readonly ended: Promise<ChannelEnd>
  status(): ChannelStatus
  /** Takes effect with the speaker's next frame. */
  setLanguage(userId: string, language: LanguageId): void
  setOutput(output: OutputLanguages): void
  setCaptions(settings: CaptionSettings): Promise<void>
  /** Takes effect immediately: closes the subscription and discards buffered audio. */
  optOut(userId: string): void
  optIn(userId: string): void
  /**
   * Stops listening to everyone at once, and translates nothing until `resume`. The bot stays in the channel. `by`: name
   * for the notice, escaped. Returns false if interpreting is paused already.
   */
  pause(by: string): boolean
  /** Returns false if interpreting is not paused. */
  resume(): boolean
  /** Returns whether speech of this participant of the room can be shown: people of this channel who consent, and others. */
  mayShow(participant: string): boolean
  /** The language that the user speaks and reads here. */
  languageOf(userId: string): LanguageId
  /** Clock time at which interpreting started (ms). */
  readonly startedAt: number
  /** Forgets the language that the user set in this channel. An opt-out stays until the end. */
  forget(userId: string): void
  /**
   * Calls a phone into the room. Throws `BridgeError` `DIAL_REFUSED` or `CAPACITY` immediately, like `Dialer.dial`.
   * The caller of this method reports the outcome in the channel.
   */
  dial(to: string, language: LanguageId): { readonly outcome: Promise<DialOutcome>; hangUp(): Promise<void> }
  /** Creates a code for joining the room, and resolves to it with its lifetime (minutes). */
  invite(): Promise<{ readonly code: string; readonly minutes: number }>
  /** Says goodbye while anyone can hear it. Idempotent. */
  stop(by: string): Promise<ChannelEnd>
}

/** Follows the interpreted channels. */
export interface ChannelObserver {
  /** A channel is being interpreted. */
  started?(channel: ChannelInterpreter): void
  /** Interpreting was paused, or continues. */
  paused?(channel: ChannelInterpreter, paused: boolean): void
  /** A user opted out or in. */
  consent?(channel: ChannelInterpreter, userId: string, consents: boolean): void
}

/** Request to interpret a channel. */
export interface StartRequest {
  readonly guildId: string
  readonly channelId: string
  readonly textChannelId: string
  /** User who asked; replies are in their language. */
  readonly startedBy: string
  readonly output: OutputLanguages
  readonly captions: CaptionSettings
  /** False: captions only. */
  readonly voice: boolean
  /** Starts paused. */
  readonly paused?: boolean
  /** Joins the existing room with this code instead of opening one; `Interpreters.start` checks it. */
  readonly roomCode?: string
}

/** Settings of an interpreted channel, kept for the next process. Contains no users. */
export type RunningChannel = Omit<StartRequest, 'startedBy' | 'roomCode'>

/** The interpreted channels, kept across restarts. */
export interface RunningChannels {
  /** The channels of the last process, if it ended recently. Never throws. */
  recent(): readonly RunningChannel[] | Promise<readonly RunningChannel[]>
  /** Replaces the stored channels. Called every few seconds and at every change. */
  keep(channels: readonly RunningChannel[]): void
}

/** Reasons for which `start` fails. Commands provide the texts. */
export type StartFailure =
  | { readonly kind: 'already'; readonly channelId: string }
  | { readonly kind: 'wrong-code' }
  | { readonly kind: 'full' }
  | ChannelEnd

/** The interpreted channels of all guilds. */
export interface Interpreters {
  /** At most one per guild: Discord allows a bot one voice channel in each. */
  of(guildId: string): ChannelInterpreter | undefined
  /** Resolves with a `StartFailure` for anything that Discord refuses. */
  start(request: StartRequest): Promise<ChannelInterpreter | StartFailure>
}

/** Users' own settings, stored as far as they want. Keyed by Discord user ID. */
export interface Preferences {
  language(userId: string): LanguageId | undefined
  /** `remember`: keep it across restarts; otherwise until the process ends. */
  setLanguage(userId: string, language: LanguageId, remember: boolean): void
  optedOut(userId: string): boolean
  /**
   * Opt-outs are always stored, so that users need not repeat them. They take effect at once; a promise rejects if storing
   * failed.
   */
  setOptedOut(userId: string, out: boolean): void | Promise<void>
  /** Deletes all data about the user immediately, in memory and on disk. */
  forget(userId: string): Promise<void>
  /** The stored data, for `/interpret privacy`. */
  about(userId: string): {
    readonly language?: LanguageId
    readonly remembered: boolean
    readonly optedOut: boolean
  }
}

/**
 * State of the bot's login. `waiting`: another process has the bot. `refused`: Discord rejected it permanently, and
 * retries have stopped.
 */
export type LoginState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'trying'; readonly attempts: number }
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly why: IdentifyRefusal }
  | { readonly kind: 'closed' }

/**
 * The token is invalid or revoked; the application lacks a requested intent; the bot is in too many guilds for one
 * connection; this protocol version is no longer supported.
 */
export type IdentifyRefusal = 'token' | 'intents' | 'shards' | 'version'

/** The bridge as exposed by `app.discord`. */
export interface DiscordBridge {
  /** Sums over all channels. */
  readonly counters: LinkCounters
  readonly interpreters: Interpreters
  readonly state: LoginState
  /** Resolves once: true when the bot is logged in, false when it never will be. Never rejects. */
  readonly settled: Promise<boolean>
  /**
   * Settles after the first check of the command's registration, including any registration it needed. Never rejects.
   */
  readonly registered: Promise<void>
  /** Counts of the outcomes of commands. */
  readonly commands: CommandCounters
  /** Number of guilds the bot is in. */
  readonly guilds: number
  /** Says goodbye in every channel, leaves them and logs out. Idempotent. */
  close(): Promise<void>
}
