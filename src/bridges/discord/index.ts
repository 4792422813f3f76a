import type { FastifyInstance } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { DiscordBot } from './bot.ts'
import type { DiscordBridgeOptions } from './options.ts'

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

/**
 * Discord voice channels, as legs of the relay. Logs in when the server is ready, in the background: Discord out of reach
 * keeps nothing else from working. Closing the server says goodbye in the channels and logs out.
 */
async function discordBridge(app: FastifyInstance, options: DiscordBridgeOptions): Promise<void> {
  const bot = new DiscordBot(options)
  app.decorate('discord', bot)
  app.addHook('onReady', async () => bot.start())
  app.addHook('preClose', () => bot.close())
}

// Its decorator is the app's.
export default fastifyPlugin(discordBridge, { name: 'discord-bridge', fastify: '5.x' })
