import { Events } from 'discord.js'
import { Ticker } from '../../../common/clock.ts'
import {
  type ChannelInterpreter,
  type ChannelObserver,
  type Interpreters,
  outputLanguages,
  type RunningChannel,
  type StartFailure,
  type StartRequest,
} from '../channel-interpreter.ts'
import { CHANNEL_DEFAULTS } from '../options.ts'
import type { ChannelResources } from './channel-context.ts'
import { ChannelSession } from './channel-session.ts'
import { GuildEvents } from './guild-events.ts'
import { NicknameIndicator } from './nickname-indicator.ts'

/** Interval of saving the channels for the next process (ms). */
const KEEP_MS = 10_000

/** The interpreted voice channels: at most one per guild, as Discord requires. Owns them. */
export class DiscordInterpreters implements Interpreters, AsyncDisposable {
  readonly #options: ChannelResources
  /** For the sessions: the store of running channels follows their changes. */
  readonly #resources: ChannelResources
  readonly #events: GuildEvents
  readonly #sessions = new Map<string, ChannelSession>()
  /** Channels of the last process, until they are resumed. */
  #recent = new Map<string, RunningChannel>()
  #keeping: Ticker | undefined
  #count = 0
  readonly #resumed = Promise.withResolvers<void>()
  #closing: Promise<void> | undefined

  constructor(options: ChannelResources) {
    this.#options = options
    this.#resources = { ...options, observer: observing(options.observer, () => this.#keep()) }
    this.#events = new GuildEvents(options.client, options.log)
  }

  /** Listens to the client from now on, and saves the channels at intervals. Call it once. */
  listen(): void {
    const { client, clock, running } = this.#options
    this.#events.start()
    client.on(Events.Invalidated, this.#gone)
    client.on(Events.GuildAvailable, this.#tidy)
    if (client.isReady()) void this.#ready()
    else client.once(Events.ClientReady, this.#ready)
    this.#keeping = running && new Ticker(clock, KEEP_MS, () => this.#keep())
  }

  /** Number of channels being joined or interpreted. */
  get size(): number {
    return this.#sessions.size
  }

  get all(): readonly ChannelInterpreter[] {
    return Array.from(this.#sessions.values())
  }

  of(guildId: string): ChannelInterpreter | undefined {
    const session = this.#sessions.get(guildId)
    return session?.ending ? undefined : session
  }

  async start(request: StartRequest): Promise<ChannelInterpreter | StartFailure> {
    const { guildId, channelId, roomCode } = request
    const output = outputLanguages(request.output)
    // A new start waits for the previous goodbye.
    for (let last = this.#sessions.get(guildId); last?.ending; last = this.#sessions.get(guildId))
      await last.ended
    if (this.#closing) return { kind: 'parent-closed' }
    const running = this.#sessions.get(guildId)
    if (running) return { kind: 'already', channelId: running.channelId }
    let room: string | undefined = `discord ${channelId}`
    if (roomCode !== undefined) {
      room = await this.#options.roomCodes?.find(roomCode)
      const other = this.#sessions.get(guildId)
      if (other) return { kind: 'already', channelId: other.channelId }
      if (this.#closing) return { kind: 'parent-closed' }
    }
    if (room === undefined) return { kind: 'wrong-code' }
    const occupation = this.#options.register.occupation(guildId)
    if (occupation) return { kind: 'taken', ...occupation }
    if (this.#sessions.size >= (this.#options.channelOptions?.maxChannels ?? CHANNEL_DEFAULTS.maxChannels))
      return { kind: 'full' }
    const guild = this.#options.client.guilds.cache.get(guildId)
    if (!guild) return { kind: 'refused', code: 'guild-gone' }
    if (!guild.channels.cache.get(channelId)?.isVoiceBased()) return { kind: 'refused', code: 'channel-gone' }
    const id = `discord ${guildId}.${++this.#count}`
    const session = new ChannelSession(
      this.#resources,
      { ...request, output },
      { events: this.#events, id, room },
    )
    this.#sessions.set(guildId, session)
    void session.ended.then(() => {
      this.#sessions.delete(guildId)
      this.#keep()
    })
    const failed = await session.join()
    this.#keep()
    if (failed) return failed
    this.#options.observer?.started?.(session)
    return session
  }

  /** Ends all channels with a goodbye and settles when they are over. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#options.client.off(Events.Invalidated, this.#gone)
    this.#options.client.off(Events.GuildAvailable, this.#tidy)
    this.#options.client.off(Events.ClientReady, this.#ready)
    // The next process resumes these.
    this.#keep(true)
    this.#keeping?.[Symbol.dispose]()
    await Promise.all(Array.from(this.#sessions.values(), session => session.close()))
    this.#events[Symbol.dispose]()
  }

  /** Settles when the channels of the last process are being resumed. */
  get resumed(): Promise<void> {
    return this.#resumed.promise
  }

  readonly #ready = async (): Promise<void> => {
    const { client, running } = this.#options
    for (const channel of (await running?.recent()) ?? []) this.#recent.set(channel.guildId, channel)
    for (const guild of client.guilds.cache.values()) this.#tidy(guild)
    this.#resumed.resolve()
  }

  /** Resumes the guild's channel of the last process. If none is interpreted, removes a leftover mark. */
  readonly #tidy = ({ id }: { readonly id: string }): void => {
    const { channelOptions } = this.#options
    const running = this.#recent.get(id)
    if (running) void this.#resume(running)
    if (!this.#sessions.has(id) && channelOptions?.nicknameIndicator !== false)
      void NicknameIndicator.clear(this.#options, id)
  }

  /** Resumes a channel of the last process if people are in it. They are notified first, as at every start. */
  async #resume(running: RunningChannel): Promise<void> {
    const { client, register, log } = this.#options
    const { guildId, channelId } = running
    const guild = client.guilds.cache.get(guildId)
    if (!guild?.available || !client.user) return
    this.#recent.delete(guildId)
    const botId = client.user.id
    if (!register.hasPeople(guildId, channelId)) return
    const started = await this.start({ ...running, startedBy: botId })
    if ('kind' in started) log.warn({ guildId, channelId, reason: started.kind }, 'channel not resumed')
    else log.info({ guildId, channelId }, 'channel resumed')
  }

  /** Channels still to be resumed are kept as well. */
  #keep(closing = false): void {
    if (this.#closing && !closing) return
    const sessions = Array.from(this.#sessions.values()).filter(({ ending, ownsRoom }) => !ending && ownsRoom)
    this.#options.running?.keep([...sessions.map(({ running }) => running), ...this.#recent.values()])
  }

  readonly #gone = (): void => {
    for (const session of this.#sessions.values()) void session.close()
  }
}

/** Passes events on, and reports changes that are stored. */
function observing(observer: ChannelObserver | undefined, changed: () => void): ChannelObserver {
  return {
    started: channel => observer?.started?.(channel),
    consent: (channel, userId, consents) => observer?.consent?.(channel, userId, consents),
    paused: (channel, paused) => {
      changed()
      observer?.paused?.(channel, paused)
    },
  }
}
