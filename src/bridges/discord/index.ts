import type { FastifyInstance } from 'fastify'
import { shareLog } from '../../common/log.ts'
import { assertInstalled } from '../../common/optional-package.ts'
import { decorateScope, type HostPlugin, hostPlugin } from '../../net/host-plugin.ts'
import type { DiscordBridge } from './discord-bridge.ts'
import { type DiscordBridgeOptions, discordBridgeOptionsSchema } from './options.ts'

export type { HostPlugin } from '../../net/host-plugin.ts'
export type { Recording } from './channel/notice-terms.ts'
export type { OfferedVoice, VoiceOffer } from './channel/voice-casting.ts'
export type {
  CaptionSettings,
  CaptionStyle,
  ChannelEnd,
  ChannelInterpreter,
  ChannelObserver,
  ChannelSpeaker,
  ChannelStatus,
  Interpreters,
  OutputLanguages,
  Preferences,
  RunningChannel,
  RunningChannels,
  StartFailure,
  StartRequest,
} from './channel-interpreter.ts'
export type {
  CommandSettings,
  ListenLinks,
  RoomCodeAttempts,
  TranscriptDocument,
  TranscriptFormat,
  TranscriptQuery,
  TranscriptSource,
} from './commands/command-context.ts'
export type { LanguageOffer, OfferedLanguage } from './commands/language-choices.ts'
export type { ConsentMode, ConsentOptions, Exclusion } from './consent.ts'
export type { CommandCounters, LinkCounters } from './counters.ts'
export type { DiscordBridge, LoginState, Refused } from './discord-bridge.ts'
export type { JoinOptions } from './join-channel.ts'
export type { ChannelOptions, DiscordBridgeOptions, LoginTurn, TranscriptOptions } from './options.ts'

// Discord's library is an optional peer dependency. A static import would fail without a readable message.
assertInstalled('discord')
const bot = await import('./bot.ts')
const permissions = await import('./commands/permissions.ts')
const attachment = await import('./client-attachment.ts')
const joining = await import('./join-channel.ts')

/** Gateway intents: guilds with their channels, and voice states. Neither is privileged. */
export const INTENTS: typeof bot.INTENTS = bot.INTENTS
/** All used permissions, as Discord's bit set. */
export const allPermissions: typeof permissions.allPermissions = permissions.allPermissions
/** Returns the address for adding the bot to a server, with exactly the permissions it uses. */
export const inviteUrl: typeof permissions.inviteUrl = permissions.inviteUrl

/** Interpreting on a client of another owner; `Interpreter` is its public form. */
export const ClientAttachment: typeof attachment.ClientAttachment = attachment.ClientAttachment
export const joinChannel: typeof joining.joinChannel = joining.joinChannel

declare module 'fastify' {
  interface FastifyInstance {
    /** Present once the Discord bridge is registered. */
    discord: DiscordBridge
  }
}

async function register(app: FastifyInstance, options: DiscordBridgeOptions): Promise<void> {
  shareLog(options.log ?? app.log, options.relay, options.admission, options.announcer)
  const discord = new bot.DiscordBot({ log: app.log, ...options })
  decorateScope(app, 'discord', discord)
  app.addHook('onReady', async () => discord.start())
  app.addHook('preClose', () => discord.close())
}

/**
 * Discord voice channels as legs of the relay. Logs in in the background when the server is ready, so an unreachable
 * Discord blocks nothing else. Closing the server says goodbye in the channels and logs out.
 */
const discordBridge: HostPlugin<DiscordBridgeOptions> = hostPlugin(
  'discord-bridge',
  discordBridgeOptionsSchema,
  register,
)
export default discordBridge
