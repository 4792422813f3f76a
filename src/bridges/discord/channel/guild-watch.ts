import { type Client, type ClientEvents, Events } from 'discord.js'
import type { Log } from '../../../core/log.ts'

/** What may happen in a guild that concerns a channel being interpreted. */
export interface GuildWatcher {
  /** Somebody came, went or changed, or what was known may be out of date: look again. */
  changed(): void
  channelGone(channelId: string): void
  /** The bot was removed, or the guild deleted; not: out of reach. */
  guildGone(): void
  /** Discord had lost the guild, and has it again. */
  guildBack(): void
  /** The gateway began a new session: it knows nothing of the voice channel we are in. */
  begunAnew(): void
}

/** Listens to discord.js for one guild until it is disposed. */
export class GuildWatch implements Disposable {
  readonly #client: Client
  readonly #log: Log
  readonly #off: (() => void)[] = []

  constructor(client: Client, guildId: string, watcher: GuildWatcher, log: Log) {
    this.#client = client
    this.#log = log
    const here = (guild: { readonly id: string } | null) => {
      if (guild?.id === guildId) watcher.changed()
    }
    this.#on(Events.VoiceStateUpdate, (_before, { guild }) => here(guild))
    this.#on(Events.GuildMemberUpdate, (_before, { guild }) => here(guild))
    this.#on(Events.GuildRoleUpdate, (_before, { guild }) => here(guild))
    this.#on(Events.GuildAvailable, guild => {
      if (guild.id === guildId) watcher.guildBack()
      here(guild)
    })
    this.#on(Events.ChannelUpdate, (_before, channel) => here('guild' in channel ? channel.guild : null))
    // After a new session of the gateway what was missed is in its beginning, and nobody is told of it one by one.
    const shard = () => client.guilds.cache.get(guildId)?.shardId
    this.#on(Events.ShardReady, id => {
      if (id === shard()) watcher.begunAnew()
      watcher.changed()
    })
    this.#on(Events.ShardResume, () => watcher.changed())
    this.#on(Events.ChannelDelete, channel => {
      if ('guild' in channel && channel.guild.id === guildId) watcher.channelGone(channel.id)
    })
    this.#on(Events.ThreadDelete, ({ guild, id }) => {
      if (guild.id === guildId) watcher.channelGone(id)
    })
    this.#on(Events.GuildDelete, ({ id }) => {
      if (id === guildId) watcher.guildGone()
    })
  }

  [Symbol.dispose](): void {
    for (const off of this.#off.splice(0)) off()
  }

  /** Nothing thrown leaves an event's listener. */
  #on<K extends keyof ClientEvents>(event: K, listener: (...values: ClientEvents[K]) => void): void {
    const guarded = (...values: ClientEvents[K]) => {
      try {
        listener(...values)
      } catch (error) {
        this.#log.error({ event, error: String(error) }, 'looking at a guild failed')
      }
    }
    this.#client.on(event, guarded)
    this.#off.push(() => this.#client.off(event, guarded))
  }
}
