import type { DiscordGatewayAdapterCreator } from '@discordjs/voice'
import { trust } from '../../../simulator/discord/voice/certificate.ts'
import type { VoiceCall } from '../../../simulator/discord/voice/voice-call.ts'
import { VoiceServer, type VoiceServerOptions } from '../../../simulator/discord/voice/voice-server.ts'
import { LinkCounters } from '../../../src/bridges/discord/counters.ts'
import type {
  LinkLimits,
  VoiceLinkOptions,
  VoiceLinkState,
} from '../../../src/bridges/discord/voice/link-options.ts'
import { VoiceLink } from '../../../src/bridges/discord/voice/voice-link.ts'
import { type Clock, systemClock } from '../../../src/common/clock.ts'
import { noopLogger } from '../../../src/common/log.ts'

export const GUILD = '300000000000000001'
export const CHANNEL = '300000000000000002'
export const OTHER_CHANNEL = '300000000000000012'
export const BOT = '300000000000000003'
export const ANNA = '300000000000000004'
export const BEN = '300000000000000005'

type Library = Parameters<DiscordGatewayAdapterCreator>[0]

export interface StageOptions extends VoiceServerOptions {
  readonly limits?: Partial<LinkLimits>
  readonly clock?: Clock
  /** Limits of the link; by default those of the server. */
  readonly linkDave?: boolean
  readonly gatewayUp?: () => boolean
}

/** A voice server, a minimal main gateway that admits a bot to its calls, and our link. */
export class Stage implements AsyncDisposable {
  readonly server: VoiceServer
  readonly call: VoiceCall
  readonly link: VoiceLink
  readonly counters = new LinkCounters()
  readonly states: VoiceLinkState[] = []
  readonly moves: string[] = []
  readonly announced: string[] = []
  deaf = 0
  /** The bot’s requests to the main gateway: the channel, or undefined to leave; with their time. */
  readonly asked: { channelId: string | undefined; at: number }[] = []
  readonly options: VoiceLinkOptions
  /** The voice server’s address, as the gateway reports it. */
  endpoint: string
  /** The gateway stops answering. */
  mute = false
  /** The gateway cannot be reached. */
  unreachable = false
  library: Library | undefined
  readonly #trust: Disposable
  #sessions = 0

  private constructor(
    server: VoiceServer,
    { linkDave, limits, clock, gatewayUp, dave = true }: StageOptions,
  ) {
    this.server = server
    this.#trust = trust(server.certificate)
    this.call = server.openCall(GUILD, CHANNEL)
    this.endpoint = server.endpoint
    this.options = {
      guildId: GUILD,
      channelId: CHANNEL,
      userId: BOT,
      adapterCreator: library => this.#adapter(library),
      dave: linkDave ?? dave,
      clock: clock ?? systemClock,
      log: noopLogger,
      counters: this.counters,
      limits: { random: () => 0, ...limits },
      ...(gatewayUp ? { gatewayUp } : {}),
      watcher: {
        state: state => void this.states.push(state),
        moved: channelId => void this.moves.push(channelId),
        speaking: userId => void this.announced.push(userId),
        deaf: () => void this.deaf++,
      },
    }
    this.link = new VoiceLink(this.options)
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    const { limits: _limits, linkDave: _dave, clock: _clock, gatewayUp: _up, ...server } = options
    return new Stage(await VoiceServer.listen(server), options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.link.leave({ kind: 'parent-closed' })
    this.#trust[Symbol.dispose]()
    await this.server.close()
  }

  /** VOICE_STATE_UPDATE of the bot. */
  tellState(channelId: string | undefined, sessionId = `session-${this.#sessions}`): void {
    const state = { guild_id: GUILD, channel_id: channelId ?? null, user_id: BOT, session_id: sessionId }
    this.library?.onVoiceStateUpdate({ ...state, self_deaf: false, self_mute: false } as Parameters<
      Library['onVoiceStateUpdate']
    >[0])
  }

  /** VOICE_SERVER_UPDATE of the guild. */
  tellServer(endpoint: string | null = this.endpoint): void {
    this.library?.onVoiceServerUpdate({ guild_id: GUILD, token: `token-${this.#sessions}`, endpoint })
  }

  /** Admits the bot to `channelId`, as on a request or after a move. */
  admit(channelId: string): void {
    this.#sessions++
    const call = this.server.openCall(GUILD, channelId)
    call.expect({ userId: BOT, sessionId: `session-${this.#sessions}`, token: `token-${this.#sessions}` })
    this.tellState(channelId)
    this.tellServer()
  }

  #adapter(library: Library) {
    this.library = library
    return {
      destroy: () => {
        if (this.library === library) this.library = undefined
      },
      sendPayload: (payload: { d: { channel_id: string | null } }) => {
        const channelId = payload.d.channel_id ?? undefined
        if (this.unreachable) return false
        this.asked.push({ channelId, at: performance.now() })
        if (this.mute) return true
        setImmediate(() => {
          if (channelId !== undefined) return this.admit(channelId)
          this.call.forget(BOT)
          this.tellState(undefined)
        })
        return true
      },
    }
  }
}
