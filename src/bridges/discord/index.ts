import type { FastifyInstance } from 'fastify'
import { shareLog } from '../../common/log.ts'
import { decorateScope, type HostPlugin, hostPlugin } from '../../net/host-plugin.ts'
import { DiscordBot } from './bot.ts'
import type { DiscordBridge } from './contract.ts'
import { type DiscordBridgeOptions, discordBridgeOptionsSchema } from './options.ts'

export type { HostPlugin } from '../../net/host-plugin.ts'
export { INTENTS } from './bot.ts'
export type { RecordingMode } from './channel/notice-terms.ts'
export type { CastableVoice, VoiceOffer } from './channel/voice-casting.ts'
export type {
  ChannelTranscriptFormat,
  ListenLinks,
  RoomCodeAttempts,
  TranscriptDocument,
  TranscriptQuery,
  TranscriptSource,
} from './commands/command-context.ts'
export type { LanguageCapabilities, LanguageOffer } from './commands/language-choices.ts'
export { allPermissions, inviteUrl, type WantedPermissions } from './commands/permissions.ts'
export type { ConsentMode, ConsentOptions, Exclusion } from './consent.ts'
export type {
  CaptionSettings,
  CaptionStyle,
  ChannelEnd,
  ChannelInterpreter,
  ChannelObserver,
  ChannelSpeaker,
  ChannelStatus,
  DiscordBridge,
  IdentifyRefusal,
  Interpreters,
  LoginState,
  OutputLanguages,
  Preferences,
  RunningChannel,
  RunningChannels,
  StartFailure,
  StartRequest,
} from './contract.ts'
export type { CommandCounters, LinkCounters } from './counters.ts'
export type { JoinOptions } from './join-channel.ts'
export type {
  ChannelOptions,
  ChannelTranscripts,
  CommandSettings,
  DiscordBridgeOptions,
  LoginTurn,
} from './options.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Present once the Discord bridge is registered. */
    discord: DiscordBridge
  }
}

async function register(app: FastifyInstance, options: DiscordBridgeOptions): Promise<void> {
  shareLog(options.log ?? app.log, options.relay, options.admission, options.announcer)
  const discord = new DiscordBot({ log: app.log, ...options })
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
