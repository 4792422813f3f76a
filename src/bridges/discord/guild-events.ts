import { type Client, type ClientEvents, Events } from 'discord.js'
import type { Logger } from '../../common/log.ts'

/** Events of one guild that concern an interpreted channel. */
export interface GuildWatcher {
  /** A member joined, left or changed, or the known state could be outdated: check again. */
  changed(): void
  channelGone(channelId: string): void
  /** The bot was removed or the guild deleted (not: unavailable). */
  guildGone(): void
  /** The guild is available again. */
  guildBack(): void
  /** The gateway started a new session, which does not know our voice channel. */
  begunAnew(): void
  /** The gateway resumed its session and accepts requests again. */
  resumed(): void
}

/**
 * Listens to a Discord client once and passes its events to the watchers of each guild: one listener per event,
 * regardless of the number of interpreted channels. The creator starts it; disposing removes the listeners.
 */
export class GuildEvents implements Disposable {
  readonly #client: Client
  readonly #log: Logger
  readonly #watchers = new Map<string, Set<GuildWatcher>>()
  readonly #off: (() => void)[] = []

  constructor(client: Client, log: Logger) {
    this.#client = client
    this.#log = log
  }

  /** Listens to the client from now on. Call it once. */
  start(): void {
    const changed = ({ id }: { readonly id: string }) => this.#notify(id, watcher => watcher.changed())
    this.#on(Events.VoiceStateUpdate, (_before, { guild }) => changed(guild))
    this.#on(Events.GuildMemberUpdate, (_before, { guild }) => changed(guild))
    // The same, of a member who is not in the client's cache.
    this.#on(Events.GuildMemberAvailable, ({ guild }) => changed(guild))
    this.#on(Events.GuildRoleUpdate, (_before, { guild }) => changed(guild))
    this.#on(Events.GuildAvailable, guild => {
      this.#notify(guild.id, watcher => watcher.guildBack())
      changed(guild)
    })
    this.#on(Events.ChannelUpdate, (_before, channel) => {
      if ('guild' in channel && channel.guild) changed(channel.guild)
    })
    this.#on(Events.ChannelDelete, channel => {
      if ('guild' in channel) this.#notify(channel.guild.id, watcher => watcher.channelGone(channel.id))
    })
    this.#on(Events.ThreadDelete, ({ guild, id }) =>
      this.#notify(guild.id, watcher => watcher.channelGone(id)),
    )
    this.#on(Events.GuildDelete, ({ id }) => this.#notify(id, watcher => watcher.guildGone()))
    // A new session starts with the current state, without events for missed changes.
    this.#on(Events.ShardReady, shard => this.#notifyShard(shard, watcher => watcher.begunAnew()))
    this.#on(Events.ShardResume, shard => this.#notifyShard(shard, watcher => watcher.resumed()))
  }

  /** Passes the events of this guild to `watcher` until disposed. */
  watch(guildId: string, watcher: GuildWatcher): Disposable {
    const watchers = this.#watchers.get(guildId) ?? new Set()
    this.#watchers.set(guildId, watchers.add(watcher))
    return {
      [Symbol.dispose]: () => {
        watchers.delete(watcher)
        if (watchers.size === 0 && this.#watchers.get(guildId) === watchers) this.#watchers.delete(guildId)
      },
    }
  }

  [Symbol.dispose](): void {
    for (const off of this.#off.splice(0)) off()
    this.#watchers.clear()
  }

  #notifyShard(shard: number, act: (watcher: GuildWatcher) => void): void {
    for (const guildId of [...this.#watchers.keys()]) {
      if (this.#client.guilds.cache.get(guildId)?.shardId !== shard) continue
      this.#notify(guildId, act)
      this.#notify(guildId, watcher => watcher.changed())
    }
  }

  /** An exception in one watcher reaches neither the client nor other watchers. */
  #notify(guildId: string, act: (watcher: GuildWatcher) => void): void {
    for (const watcher of [...(this.#watchers.get(guildId) ?? [])]) {
      try {
        act(watcher)
      } catch (error) {
        this.#log.error({ guildId, error: String(error) }, 'guild event handler failed')
      }
    }
  }

  #on<K extends keyof ClientEvents>(event: K, listener: (...values: ClientEvents[K]) => void): void {
    this.#client.on(event, listener)
    this.#off.push(() => this.#client.off(event, listener))
  }
}
