import type { FastifyInstance } from 'fastify'
import { type HostPlugin, hostPlugin } from '../../guard/host-plugin.ts'
import { DiscordBot } from './bot.ts'
import { type DiscordBridgeOptions, discordBridgeOptionsSchema } from './options.ts'

export type { HostPlugin } from '../../guard/host-plugin.ts'
export { type DiscordBot, INTENTS } from './bot.ts'
export type { ChannelOptions } from './channel/channel-parts.ts'
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
  StartFailure,
  StartRequest,
} from './channel-interpreter.ts'
export type { CommandCounters } from './commands/command-counters.ts'
export type { LanguageOffer, OfferedLanguage } from './commands/language-offer.ts'
export { allPermissions, inviteUrl } from './commands/permissions.ts'
export type { CommandSettings, Guesses } from './commands/settings.ts'
export type { LoginState } from './login.ts'
export type { DiscordBridgeOptions } from './options.ts'
export type { LinkCounters } from './voice/link-counters.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Present once the Discord bridge is registered. */
    discord: DiscordBot
  }
}

async function register(app: FastifyInstance, options: DiscordBridgeOptions): Promise<void> {
  const bot = new DiscordBot({ log: app.log, ...options })
  app.decorate('discord', bot)
  app.addHook('onReady', async () => bot.start())
  app.addHook('preClose', () => bot.close())
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
