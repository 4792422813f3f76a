import { type Clock, systemClock } from '../../core/clock.ts'
import { systemWallClock, type WallClock } from '../../core/wall-clock.ts'
import type { GatewayFaults, SeenGatewaySession } from './gateway-faults.ts'
import { Guild, type GuildOptions } from './guild.ts'
import { DiscordRestFaults } from './rest-faults.ts'
import type { SeenRequest } from './seen-request.ts'
import type { User } from './user.ts'
import { trust } from './voice/trust.ts'
import { VoiceServer, type VoiceServerOptions } from './voice/voice-server.ts'
import { World } from './world.ts'

/** Intents that Discord enables for an application by hand. */
export type PrivilegedIntent = 'GuildMembers' | 'GuildPresences' | 'MessageContent'

export interface DiscordStandInOptions extends VoiceServerOptions {
  /** The bot token that is accepted. Default: one that looks like Discord's. */
  token?: string
  /** The bot's name. Default `dragoman`. */
  botName?: string
  /** Privileged intents that may be asked for. Default none: asking is answered by 4014. */
  privilegedIntents?: readonly PrivilegedIntent[]
  /** Of the main gateway. Default 41 250, as Discord's. */
  gatewayHeartbeatMs?: number
  clock?: Clock
  wallClock?: WallClock
}

/**
 * Discord on loopback: REST API, gateway, voice servers, and guilds with people in them, for an unmodified discord.js.
 * Whoever listens closes it.
 */
export class DiscordStandIn implements AsyncDisposable {
  /** For discord.js: `new Client({ rest: { api } })`. */
  readonly api: string = ''
  readonly token: string
  /** What REST calls came, in order. */
  readonly requests: SeenRequest[] = []
  readonly faults: { readonly rest: DiscordRestFaults; readonly gateway: GatewayFaults }
  readonly #world: World

  private constructor(options: DiscordStandInOptions, voiceServer: VoiceServer) {
    const { clock = systemClock, wallClock = systemWallClock, botName = 'dragoman' } = options
    this.#world = new World({ clock, wallClock, voiceServer, botName })
    this.token = options.token ?? 'token'
    this.faults = { rest: new DiscordRestFaults(), gateway: undefined as unknown as GatewayFaults }
  }

  static async listen(options: DiscordStandInOptions = {}): Promise<DiscordStandIn> {
    return new DiscordStandIn(options, await VoiceServer.listen(options))
  }

  get application(): { readonly id: string; readonly name: string } {
    return this.#world.application
  }

  /** The bot's account. */
  get bot(): User {
    return this.#world.bot
  }

  get guilds(): readonly Guild[] {
    return [...this.#world.guilds.values()]
  }

  /** Connections to the gateway, oldest first; ended ones stay. */
  get sessions(): readonly SeenGatewaySession[] {
    return []
  }

  /** Makes this process trust the voice gateway's certificate, until disposed. */
  trust(): Disposable {
    return trust(this.#world.voiceServer.certificate)
  }

  /** The bot is in one more guild. */
  addGuild(options: GuildOptions): Guild {
    const guild = new Guild(this.#world, options)
    this.#world.guilds.set(guild.id, guild)
    guild.tell('GUILD_CREATE', guild.json)
    return guild
  }

  close(): Promise<void> {
    return this.#world.voiceServer.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
