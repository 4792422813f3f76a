import { z } from 'zod'
import type { Clock } from '../../common/clock.ts'
import type { Logger } from '../../common/log.ts'
import {
  callable,
  type DeepReadonly,
  having,
  languageSchema,
  type SettingsInput,
} from '../../common/setting-fields.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { RoomCodes } from '../../core/calls/room-codes.ts'
import type { Announcer } from '../../core/model/announcer.ts'
import type { Dialer } from '../../core/model/dialer.ts'
import type { Admission } from '../../core/model/invitation.ts'
import type { Relay } from '../../core/room/relay.ts'
import type { RecordingMode } from './channel/notice-terms.ts'
import type { VoiceOffer } from './channel/voice-casting.ts'
import type { ListenLinks, RoomCodeAttempts, TranscriptSource } from './commands/command-context.ts'
import type { LanguageOffer } from './commands/language-choices.ts'
import { consentFields, hasRoles, ROLES_MISSING } from './consent.ts'
import {
  type CaptionSettings,
  captionSettingsSchema,
  type Preferences,
  type RunningChannels,
} from './contract.ts'

const ms = z.number().min(0, 'a time in ms, 0 or more')

const channelOptionsSchema = z.strictObject({
  /** Maximum number of concurrent channels, in all guilds. */
  maxChannels: z.int().min(1).max(1_000).default(50),
  /** Time before the bot leaves an empty channel (ms). */
  emptyAfterMs: ms.default(60_000),
  /** Language of people without a known one. Default: from the guild's settings. */
  language: languageSchema.optional(),
  /** End-to-end encryption of voice; false only for tests and stage channels. */
  dave: z.boolean('true or false').default(true),
  /** Time limit for the goodbye (ms). */
  farewellMs: ms.default(4_000),
  /** Members to listen to. */
  consent: z
    .strictObject(consentFields)
    .refine(hasRoles, { error: ROLES_MISSING, path: ['roles'] })
    .prefault({}),
  /** Voices of the translations. */
  voices: z
    .strictObject({
      /** Ids of the voices to use; empty: all of the service. */
      only: z.array(z.string('ids of voices')).max(1_000, 'up to 1000 ids').default([]),
    })
    .prefault({}),
})

/** Initial settings of an interpreted channel. */
export type ChannelOptions = SettingsInput<typeof channelOptionsSchema>

/** Fields of the options that are also server settings. */
export const channelFields = channelOptionsSchema.shape

/** The same, with defaults. */
export type CheckedChannelOptions = DeepReadonly<z.output<typeof channelOptionsSchema>>

/** Returns `options` with defaults. */
export function checkedChannelOptions(options: ChannelOptions = {}): CheckedChannelOptions {
  return channelOptionsSchema.parse(options)
}

/** Captions of a channel at the start. */
export const CAPTION_DEFAULTS: CaptionSettings = { style: 'embed', thread: false }

const names = (what: string) => z.array(z.string(what), `a list: ${what}`)

/** The operator's settings of commands. */
export const commandSettingsSchema = z.strictObject({
  /** Guilds where commands work; empty: every guild that invited the bot. */
  guilds: names('guild IDs').default([]),
  /** Initial output of a channel. */
  output: z
    .union(
      [z.literal('auto'), z.tuple([languageSchema]), z.tuple([languageSchema, languageSchema])],
      "'auto', or one or two languages",
    )
    .default('auto'),
  captions: captionSettingsSchema.default(CAPTION_DEFAULTS),
  /** True if outbound calls are enabled. */
  dials: z.boolean('true or false').default(false),
  /** Roles that may start phone calls, in addition to members who manage the guild. */
  dialRoles: names('role IDs').default([]),
  /** Numbers to call for entering a code. */
  phoneNumbers: names('phone numbers').default([]),
})

export type CommandSettings = DeepReadonly<z.output<typeof commandSettingsSchema>>

/** The right of one of several processes to log in. */
export interface LoginTurn {
  /** Calls `granted` once this process may log in, and `revoked` when another one may: this one must log out. Call it once. */
  start(granted: () => void, revoked: () => void): void
  /** Lets another process log in. Never rejects. */
  release(): Promise<void>
}

/** Transcripts of interpreted channels. */
export interface ChannelTranscripts {
  readonly of: TranscriptSource
  /** Time for which the text is kept, as stated in notices. */
  readonly keeps: 'until-end' | 'longer'
}

/** Dependencies and settings of the bridge. It does not close what is passed in. */
export interface DiscordBridgeOptions {
  /** The bot's token, from Discord's developer portal. Never logged. */
  readonly token: string
  /** The relay that hosts the channels' rooms. */
  readonly relay: Relay
  /** Admits legs; default: the relay. */
  readonly admission?: Admission
  readonly announcer: Announcer
  /** Languages of the translation service. */
  readonly languages: LanguageOffer
  /** Voices of the translation service. Absent: all speakers share the default voice of each language. */
  readonly voices?: VoiceOffer | undefined
  /** Default: in memory, until the process ends. */
  readonly preferences?: Preferences
  /**
   * Decides when this process may log in, if several have the same token: a bot can be connected only once. Default: at
   * once.
   */
  readonly turn?: LoginTurn | undefined
  /** Absent: channels are not resumed after a restart. */
  readonly running?: RunningChannels
  /** Absent: outbound calls are disabled. */
  readonly dialer?: Dialer | undefined
  /** Absent: room codes are disabled. */
  readonly roomCodes?: Pick<RoomCodes, 'issue' | 'find'> | undefined
  /** Limits guesses of room codes. Absent: only the commands' own limits apply. */
  readonly roomCodeLimiter?: RoomCodeAttempts
  /** Absent: `/interpret transcript` is disabled. */
  readonly transcripts?: ChannelTranscripts | undefined
  /** Recording by the relay, as stated in notices; default: off. */
  readonly recording?: RecordingMode | undefined
  /** IDs of voice channels to interpret while people are in them. */
  readonly autoJoin?: readonly string[]
  /** Absent: `/interpret listen` is disabled. */
  readonly listenLinks?: ListenLinks | undefined
  readonly commands?: Partial<CommandSettings>
  readonly channels?: ChannelOptions
  /** Alternative address of Discord's REST API, for example a simulator: `http://127.0.0.1:1234/api`. */
  readonly apiUrl?: string
  readonly clock?: Clock
  readonly wallClock?: WallClock
  readonly log?: Logger
}

/** Validates the options when the plugin is registered. */
export const discordBridgeOptionsSchema = z.strictObject({
  token: z.string("the bot's token").min(1, "the bot's token"),
  relay: having('the relay that hosts the rooms', 'admit', 'find'),
  admission: having('the admission of legs', 'admit').optional(),
  announcer: having('the announcer of notices', 'notice'),
  languages: callable("resolves to the service's languages"),
  voices: callable("resolves to the service's voices").optional(),
  preferences: having('user preferences', 'language', 'setLanguage', 'forget').optional(),
  turn: having('the right to log in', 'start', 'release').optional(),
  running: having('the store of running channels', 'recent', 'keep').optional(),
  dialer: having('the dialer of outbound calls', 'dial').optional(),
  roomCodes: having('room codes', 'issue', 'find').optional(),
  roomCodeLimiter: having('a limit for wrong codes', 'begin').optional(),
  transcripts: having('transcripts', 'of', 'keeps').optional(),
  recording: z.enum(['off', 'asked', 'always']).optional(),
  autoJoin: names('IDs of voice channels').optional(),
  listenLinks: callable('creates a link for listening to a room').optional(),
  commands: commandSettingsSchema.optional(),
  channels: channelOptionsSchema.optional(),
  apiUrl: z.url('an http:// or https:// URL').optional(),
  clock: having('a clock', 'now').optional(),
  wallClock: callable('the time of day in ms').optional(),
  log: having('a log', 'debug', 'info', 'warn', 'error').optional(),
} satisfies Record<keyof DiscordBridgeOptions, z.ZodType>)
