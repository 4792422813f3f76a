import type { AddressInfo } from 'node:net'
import { type Clock, systemClock } from '../../src/common/clock.ts'
import { systemWallClock, type WallClock } from '../../src/common/wall-clock.ts'
import { Gateway } from './gateway/gateway.ts'
import type { PrivilegedIntent } from './gateway/intents.ts'
import type { GatewayFaults, SeenGatewaySession } from './gateway/session.ts'
import { Guild, type GuildOptions } from './model/guild.ts'
import type { User } from './model/user.ts'
import { World } from './model/world.ts'
import { RestApi, ROUTES, type SeenRequest } from './rest/api.ts'
import { DiscordRestFaults } from './rest/api-error.ts'
import { nameOf } from './rest/route.ts'
import { trust } from './voice/certificate.ts'
import { VoiceServer, type VoiceServerOptions } from './voice/voice-server.ts'

/** Options of the simulated Discord. */
export interface DiscordStandInOptions extends VoiceServerOptions {
  /** The accepted bot token. Default: in the format of Discord's tokens. */
  token?: string
  /** The bot's name. Default `dragoman`. */
  botName?: string
  /** Privileged intents that can be requested. Default none: requests are answered by 4014. */
  privilegedIntents?: readonly PrivilegedIntent[]
  /** Recommended number of connections, which can all be opened at once. Default: one per 1 000 guilds, one every 5 s. */
  shards?: number
  /** Of the main gateway. Default 41 250, like Discord's. */
  gatewayHeartbeatMs?: number
  /** Port on loopback of gateway and REST API. Default 0: a free one. */
  port?: number
  clock?: Clock
  wallClock?: WallClock
}

/** Faults of the simulated Discord. */
export interface DiscordFaults {
  readonly rest: DiscordRestFaults
  readonly gateway: GatewayFaults
}

/**
 * Discord on loopback: REST API, gateway, voice servers, and guilds with people in them, for an unmodified discord.js.
 * The caller of `listen` closes it.
 */
export class DiscordSimulator implements AsyncDisposable {
  readonly token: string
  /** REST requests, in order. */
  readonly requests: SeenRequest[] = []
  readonly faults: DiscordFaults
  readonly #world: World
  readonly #rest: RestApi
  readonly #gateway: Gateway
  #closing: Promise<void> | undefined

  private constructor(options: DiscordStandInOptions, voiceServer: VoiceServer) {
    const { clock = systemClock, wallClock = systemWallClock, botName = 'dragoman' } = options
    const { privilegedIntents = [], gatewayHeartbeatMs = 41_250 } = options
    const url = () => this.#gatewayUrl
    const identifiesLeft = () => this.#gateway.identifiesLeft
    this.#world = new World({
      clock,
      wallClock,
      voiceServer,
      botName,
      enabledIntents: privilegedIntents,
      gateway: {
        shards: options.shards,
        get url() {
          return url()
        },
        get identifiesLeft() {
          return identifiesLeft()
        },
      },
    })
    const world = this.#world
    this.token = options.token ?? tokenOf(world.bot.id)
    const rest = new DiscordRestFaults(ROUTES.map(nameOf))
    this.#rest = new RestApi({ world, token: this.token, faults: rest, requests: this.requests })
    this.#gateway = new Gateway(this.#rest.http, {
      world,
      token: this.token,
      heartbeatMs: gatewayHeartbeatMs,
    })
    this.faults = { rest, gateway: this.#gateway }
  }

  /** Listens on loopback. Rejects if the port is in use. */
  static async listen(options: DiscordStandInOptions = {}): Promise<DiscordSimulator> {
    const voiceServer = await VoiceServer.listen(options)
    const standIn = new DiscordSimulator(options, voiceServer)
    const { http } = standIn.#rest
    try {
      await new Promise<void>((settle, fail) => {
        http.once('error', fail)
        http.listen(options.port ?? 0, '127.0.0.1', settle)
      })
    } catch (error) {
      await voiceServer.close()
      throw error
    }
    return standIn
  }

  /** For discord.js: `new Client({ rest: { api } })`. */
  get api(): string {
    return `http://127.0.0.1:${this.#port}/api`
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

  /** Snapshot of the gateway's sessions, oldest first, including ended ones. */
  get sessions(): readonly SeenGatewaySession[] {
    return this.#gateway.sessions
  }

  /** The voice gateway's certificate (PEM), which a bot in another process must trust: `NODE_EXTRA_CA_CERTS` names its file. */
  get certificate(): string {
    return this.#world.voiceServer.certificate
  }

  /** Makes this process trust the voice gateway's certificate, until disposed. */
  trust(): Disposable {
    return trust(this.#world.voiceServer.certificate)
  }

  /** Adds a guild with the bot in it. */
  addGuild(options: GuildOptions): Guild {
    const guild = new Guild(this.#world, options)
    this.#world.guilds.set(guild.id, guild)
    guild.tell('GUILD_CREATE', guild.json)
    return guild
  }

  /** Number of requests that were answered with this JSON error code. */
  count(code: number): number {
    return this.requests.filter(request => request.code === code).length
  }

  /** Ends every connection. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#gateway.stop()
    this.#world.interactions.stop()
    await this.#rest.close()
    await this.#world.voiceServer.close()
  }

  get #port(): number {
    return (this.#rest.http.address() as AddressInfo).port
  }

  get #gatewayUrl(): string {
    return `ws://127.0.0.1:${this.#port}`
  }
}

/** Three parts as at Discord, the first of them the bot's id. */
function tokenOf(botId: string): string {
  return `${Buffer.from(botId).toString('base64url')}.GStand.${'in'.repeat(19)}`
}
