import type { Clock } from '../../../src/common/clock.ts'
import type { WallClock } from '../../../src/common/wall-clock.ts'
import { applicationFlags, type PrivilegedIntent } from '../gateway/intents.ts'
import type { Json } from '../json.ts'
import type { VoiceServer } from '../voice/voice-server.ts'
import type { Channel } from './channel.ts'
import { Chat } from './chat.ts'
import { CommandRegistry } from './command-registry.ts'
import type { Guild } from './guild.ts'
import { Interactions } from './interactions.ts'
import { Snowflakes } from './snowflake.ts'
import { type DiscordLocale, localeOf, User } from './user.ts'
import type { Webhook } from './webhook.ts'

/** An event that bots can receive. */
export interface Happening {
  /** Name of the gateway's dispatch. */
  readonly name: string
  readonly data: Json
  /** Guild of the event; undefined for events outside of guilds. */
  readonly guildId: string | undefined
}

/** The REST API's information about the gateway. */
export interface GatewayAddress {
  readonly url: string
  /** Recommended connections; undefined: by the number of guilds. */
  readonly shards: number | undefined
  readonly identifiesLeft: number
}

export interface WorldOptions {
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly voiceServer: VoiceServer
  readonly botName: string
  readonly enabledIntents: readonly PrivilegedIntent[]
  readonly gateway: GatewayAddress
}

/** The complete state: people, guilds, commands. Independent of the network, except for the voice server of its calls. */
export class World {
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly ids: Snowflakes
  readonly voiceServer: VoiceServer
  readonly application: { readonly id: string; readonly name: string }
  /** The account of the application's bot. */
  readonly bot: User
  readonly guilds = new Map<string, Guild>()
  /** Guilds that the bot has left, by id. */
  readonly left = new Set<string>()
  readonly users = new Map<string, User>()
  readonly commands: CommandRegistry
  readonly interactions: Interactions
  readonly webhooks = new Map<string, Webhook>()
  readonly chat: Chat
  /** Privileged intents that the application can request. */
  readonly enabledIntents: readonly PrivilegedIntent[]
  /** Gateway from which bots receive events. */
  readonly gateway: GatewayAddress
  readonly #listeners = new Set<(happening: Happening) => void>()

  constructor(options: WorldOptions) {
    this.clock = options.clock
    this.wallClock = options.wallClock
    this.voiceServer = options.voiceServer
    this.enabledIntents = options.enabledIntents
    this.gateway = options.gateway
    this.ids = new Snowflakes(options.wallClock)
    this.application = { id: this.ids.next(), name: options.botName }
    this.bot = this.newUser({ name: options.botName, locale: 'en-US', bot: true })
    this.commands = new CommandRegistry(this.application.id, this.ids)
    this.interactions = new Interactions(this)
    this.chat = new Chat(this)
  }

  /** Discord: Application Flags. */
  get applicationFlags(): number {
    return applicationFlags(this.enabledIntents)
  }

  /** Creates an account; its user name is derived from the name. */
  newUser({ name, locale, bot = false }: { name: string; locale: DiscordLocale; bot?: boolean }): User {
    const base = name.toLowerCase().replace(/[^a-z0-9_.]/g, '') || 'user'
    const taken = new Set(Array.from(this.users.values(), ({ username }) => username))
    let username = base
    for (let n = 2; taken.has(username); n++) username = `${base}${n}`
    const user = new User({
      id: this.ids.next(),
      username,
      globalName: bot ? null : name,
      bot,
      locale: localeOf(locale),
    })
    this.users.set(user.id, user)
    return user
  }

  /** A channel or thread of any guild. */
  channel(id: string): Channel | undefined {
    for (const guild of this.guilds.values()) {
      const channel = guild.channels.get(id)
      if (channel) return channel
    }
    return undefined
  }

  listen(listener: (happening: Happening) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  tell(name: string, data: Json, guildId?: string): void {
    for (const listener of this.#listeners) listener({ name, data, guildId })
  }
}
