import type { FastifyInstance } from 'fastify'
import { assertInstalled } from '../../core/optional-part.ts'
import { type HostPlugin, hostPlugin } from '../../guard/host-plugin.ts'
import type { DiscordBridge } from './discord-bridge.ts'
import { type DiscordBridgeOptions, discordBridgeOptionsSchema } from './options.ts'

export type { HostPlugin } from '../../guard/host-plugin.ts'
export type {
  CaptionSettings,
  CaptionStyle,
  ChannelEnd,
  ChannelInterpreter,
  ChannelOutput,
  ChannelSpeaker,
  ChannelStatus,
  Interpreters,
  Preferences,
  RunningChannel,
  RunningChannels,
  StartFailure,
  StartRequest,
} from './channel-interpreter.ts'
export type { CommandCounters } from './commands/command-counters.ts'
export type { LanguageOffer, OfferedLanguage } from './commands/language-offer.ts'
export type { CommandSettings, Guesses } from './commands/settings.ts'
export type { DiscordBridge, LoginState } from './discord-bridge.ts'
export type { ChannelOptions, DiscordBridgeOptions } from './options.ts'
export type { LinkCounters } from './voice/link-counters.ts'

// Discord's library is an optional peer. Imported statically, without it nothing could say so in words.
assertInstalled('discord')
const bot = await import('./bot.ts')
const permissions = await import('./commands/permissions.ts')

/** What is needed of Discord's gateway: guilds with their channels, and who is in voice. Neither is privileged. */
export const INTENTS: typeof bot.INTENTS = bot.INTENTS
/** All that is used, as Discord's bit set. */
export const allPermissions: typeof permissions.allPermissions = permissions.allPermissions
/** The address by which a server brings the bot in, with exactly the permissions it uses. */
export const inviteUrl: typeof permissions.inviteUrl = permissions.inviteUrl

declare module 'fastify' {
  interface FastifyInstance {
    /** Present once the Discord bridge is registered. */
    discord: DiscordBridge
  }
}

async function register(app: FastifyInstance, options: DiscordBridgeOptions): Promise<void> {
  const discord = new bot.DiscordBot({ log: app.log, ...options })
  app.decorate('discord', discord)
  app.addHook('onReady', async () => discord.start())
  app.addHook('preClose', () => discord.close())
}

/**
 * Discord voice channels, as legs of the relay. Logs in when the server is ready, in the background: Discord out of reach
 * keeps nothing else from working. Closing the server says goodbye in the channels and logs out.
 */
const discordBridge: HostPlugin<DiscordBridgeOptions> = hostPlugin(
  'discord-bridge',
  discordBridgeOptionsSchema,
  register,
)
export default discordBridge
