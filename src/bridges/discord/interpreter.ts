import { type Client, Events, type VoiceBasedChannel } from 'discord.js'
import { BoundedMap } from '../../common/bounded-map.ts'
import { type Clock, systemClock, Ticker, withTimeout } from '../../common/clock.ts'
import { type Logger, noopLogger } from '../../common/log.ts'
import { systemWallClock } from '../../common/wall-clock.ts'
import { AutoJoin } from './auto-join.ts'
import { NicknameIndicator } from './channel/nickname-indicator.ts'
import type { NoticeTerms } from './channel/notice-terms.ts'
import { type ChannelServices, ChannelSession } from './channel/session.ts'
import type { CastableVoice } from './channel/voice-casting.ts'
import { InteractionHandler } from './commands/interaction-handler.ts'
import { LanguageList } from './commands/language-choices.ts'
import { CommandRegistrar } from './commands/registration.ts'
import {
  type ChannelInterpreter,
  type ChannelObserver,
  type Interpreters,
  outputLanguages,
  type RunningChannel,
  type RunningChannels,
  type StartFailure,
  type StartRequest,
} from './contract.ts'
import { type CommandCounters, LinkCounters } from './counters.ts'
import { GuildEvents } from './guild-events.ts'
import { type JoinOptions, joinChannel } from './join-channel.ts'
import {
  type CommandSettings,
  checkedChannelOptions,
  commandSettingsSchema,
  type DiscordBridgeOptions,
} from './options.ts'
import { MemoryPreferences } from './preferences.ts'
import { ServiceList } from './service-list.ts'
import { OutputPacer } from './voice/channel-output.ts'
import { assertVoiceLibrary } from './voice/patches/voice-library.ts'
import { VoiceRegister } from './voice-register.ts'

/** Maximum number of users whose locale is kept. */
const MAX_LOCALES = 10_000
/** Interval of saving the channels for the next process (ms). */
const SAVE_MS = 10_000
/** Time limit for the goodbyes of all channels together, spoken and written (ms). Each part has its own limit too. */
const GOODBYES_MS = 20_000

const UNLIMITED = { begin: () => ({ right() {}, wrong() {} }) }

/** Dependencies and settings of an interpreter. It does not close what is passed in. */
export interface DiscordInterpreterOptions
  extends Omit<DiscordBridgeOptions, 'token' | 'turn' | 'apiUrl' | 'commands'> {
  /** `false`: no commands are registered, and the buttons of notices are the only interactions that are answered. */
  readonly commands?: Partial<CommandSettings> | false | undefined
  /** Follows the channels that are interpreted from now on. */
  readonly observer?: ChannelObserver
}

/**
 * Interpreting on a discord.js client: its commands, buttons and channels, of which at most one per guild is interpreted,
 * as Discord requires. Other interactions, listeners and voice connections of the client stay untouched. The client
 * belongs to the caller, and can be logged in already.
 */
export class DiscordInterpreter implements Interpreters {
  /** Sums over all channels. */
  readonly counters = new LinkCounters()
  readonly #client: Client
  readonly #clock: Clock
  readonly #log: Logger
  readonly #register: VoiceRegister
  readonly #events: GuildEvents
  readonly #languages: LanguageList
  readonly #voices: ServiceList<CastableVoice> | undefined
  readonly #services: ChannelServices
  readonly #observer: ChannelObserver | undefined
  readonly #sessions = new Map<string, ChannelSession>()
  readonly #running: RunningChannels | undefined
  /** Channels of the last process, until they are resumed. */
  readonly #resumable = new Map<string, RunningChannel>()
  readonly #autoJoin: AutoJoin
  /** Guilds to which commands are restricted; undefined: no commands. */
  readonly #commandGuilds: readonly string[] | undefined
  readonly #interactions: InteractionHandler
  readonly #registered = Promise.withResolvers<void>()
  #registrar: CommandRegistrar | undefined
  #saving: Ticker | undefined
  #count = 0
  #closing: Promise<void> | undefined

  /** Throws `BridgeError` `NOT_INSTALLED` for a version of @discordjs/voice that cannot be used. */
  constructor(client: Client, options: DiscordInterpreterOptions) {
    assertVoiceLibrary()
    const { relay, admission = relay, announcer, dialer, roomCodes, observer, running } = options
    const { clock = systemClock, wallClock = systemWallClock, log = noopLogger } = options
    const { preferences = new MemoryPreferences(), roomCodeLimiter = UNLIMITED } = options
    const channels = checkedChannelOptions(options.channels)
    const terms: NoticeTerms = {
      consent: channels.consent,
      keeps: options.transcripts?.keeps ?? 'nothing',
      recording: options.recording ?? 'off',
    }
    this.#client = client
    this.#clock = clock
    this.#log = log
    this.#observer = observer
    this.#running = running
    this.#register = new VoiceRegister(client)
    this.#events = new GuildEvents(client, log)
    this.#languages = new LanguageList(options.languages, { clock, log })
    this.#voices = options.voices && new ServiceList({ fetch: options.voices, what: 'voices', clock, log })
    const locales = new BoundedMap<string, string>(MAX_LOCALES)
    this.#services = {
      client,
      register: this.#register,
      events: this.#events,
      relay,
      admission,
      announcer,
      dialer,
      roomCodes,
      preferences,
      localeOf: userId => locales.get(userId),
      languages: this.#languages,
      voices: () => {
        // An outdated list is refreshed in the background.
        void this.#voices?.get(0)
        return this.#voices?.known ?? []
      },
      options: channels,
      terms,
      pacer: new OutputPacer(clock),
      counters: this.counters,
      observer: {
        consent: (channel, userId, consents) => observer?.consent?.(channel, userId, consents),
        paused: (channel, paused) => {
          this.#save()
          observer?.paused?.(channel, paused)
        },
      },
      clock,
      log,
    }
    const { commands = {} } = options
    const settings = commandSettingsSchema.parse({ dials: dialer !== undefined, ...(commands || {}) })
    this.#commandGuilds = commands ? settings.guilds : undefined
    const { output, captions } = settings
    this.#autoJoin = new AutoJoin({
      ...{
        client,
        register: this.#register,
        interpreters: this,
        channels: options.autoJoin ?? [],
        clock,
        log,
      },
      join: channel => this.join(channel, { output, captions }),
    })
    this.#interactions = new InteractionHandler(
      { client, register: this.#register },
      {
        interpreters: this,
        guildIds: () => client.guilds.cache.keys(),
        preferences,
        languages: this.#languages,
        locales,
        roomCodeLimiter,
        listenLinks: options.listenLinks,
        transcripts: options.transcripts?.of,
        terms,
        settings,
        starters: new WeakMap<ChannelInterpreter, string>(),
        clock,
        wallClock,
        log,
      },
    )
  }

  /** Settles after the first check of the command's registration, including any registration it needed. Never rejects. */
  get registered(): Promise<void> {
    return this.#registered.promise
  }

  /** Counts of the outcomes of commands. */
  get commands(): CommandCounters {
    return this.#interactions.counters
  }

  /** Listens to the client from now on. Call it once. */
  listen(): void {
    const client = this.#client
    this.#register.start()
    this.#events.start()
    client.on(Events.Invalidated, this.#onInvalidated)
    client.on(Events.GuildAvailable, this.#onGuildAvailable)
    this.#saving = this.#running && new Ticker(this.#clock, SAVE_MS, () => this.#save())
    this.#interactions.start()
    if (client.isReady()) this.#onReady(client)
    else client.once(Events.ClientReady, this.#onReady)
  }

  of(guildId: string): ChannelInterpreter | undefined {
    const session = this.#sessions.get(guildId)
    return session?.ending ? undefined : session
  }

  /** Starts interpreting a channel for a program, as `joinChannel`. */
  join(channel: VoiceBasedChannel, options?: JoinOptions): Promise<ChannelInterpreter> {
    const [client, register] = [this.#client, this.#register]
    return joinChannel(client, { interpreters: this, register }, channel, options)
  }

  async start(request: StartRequest): Promise<ChannelInterpreter | StartFailure> {
    const { client, register, roomCodes, options } = this.#services
    const { guildId, channelId, roomCode } = request
    const output = outputLanguages(request.output)
    // A new start waits for the previous goodbye.
    for (let last = this.#sessions.get(guildId); last?.ending; last = this.#sessions.get(guildId))
      await last.ended
    const busy = this.#busy(guildId)
    if (busy) return busy
    let room: string | undefined = `discord ${channelId}`
    if (roomCode !== undefined) {
      room = await roomCodes?.find(roomCode)
      const busy = this.#busy(guildId)
      if (busy) return busy
    }
    if (room === undefined) return { kind: 'wrong-code' }
    const occupation = register.occupation(guildId)
    if (occupation) return { kind: 'taken', ...occupation }
    if (this.#sessions.size >= options.maxChannels) return { kind: 'full' }
    const guild = client.guilds.cache.get(guildId)
    if (!guild) return { kind: 'refused', code: 'guild-gone' }
    if (!guild.channels.cache.get(channelId)?.isVoiceBased()) return { kind: 'refused', code: 'channel-gone' }
    const id = `discord ${guildId}.${++this.#count}`
    const session = new ChannelSession(this.#services, { ...request, output }, { id, room })
    this.#sessions.set(guildId, session)
    void session.ended.then(() => {
      this.#sessions.delete(guildId)
      this.#save()
    })
    const failed = await session.join()
    this.#save()
    if (failed) return failed
    this.#autoJoin.follow(session)
    this.#observer?.started?.(session)
    return session
  }

  /** Says goodbye in every channel, leaves them, and stops listening to the client. Idempotent. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  readonly #onReady = (client: Client<true>): void => {
    // Language guesses must match what the service offers.
    void this.#languages.get(0)
    void this.#voices?.get(0)
    this.#registerCommand(client.application.id)
    void this.#resumeAll()
  }

  #registerCommand(applicationId: string): void {
    const { rest } = this.#client
    const guilds = this.#commandGuilds
    if (!guilds) {
      this.#registered.resolve()
      return
    }
    const terms = { rest, applicationId, guilds, log: this.#log }
    this.#registrar = new CommandRegistrar(terms, this.#clock)
    void this.#registrar.look().then(this.#registered.resolve)
    this.#client.on(Events.GuildCreate, this.#onGuildCreate)
  }

  /** A guild listed in `guilds` that invites the bot later can be registered only now. */
  readonly #onGuildCreate = ({ id }: { readonly id: string }): void => {
    if (this.#commandGuilds?.includes(id)) void this.#registrar?.look()
  }

  async #resumeAll(): Promise<void> {
    for (const channel of (await this.#running?.recent()) ?? []) this.#resumable.set(channel.guildId, channel)
    for (const guild of this.#client.guilds.cache.values()) this.#onGuildAvailable(guild)
    // After the channels of the last process, which have their own settings.
    this.#autoJoin.start()
  }

  /** Resumes the guild's channel of the last process. If none is interpreted, removes a leftover mark. */
  readonly #onGuildAvailable = ({ id }: { readonly id: string }): void => {
    const running = this.#resumable.get(id)
    if (running) void this.#resume(running)
    if (!this.#sessions.has(id)) void NicknameIndicator.clear(this.#services, id)
  }

  /** Resumes a channel of the last process if people are in it. They are notified first, as at every start. */
  async #resume(running: RunningChannel): Promise<void> {
    const client = this.#client
    const { guildId, channelId } = running
    if (!client.guilds.cache.get(guildId)?.available || !client.user) return
    this.#resumable.delete(guildId)
    if (!this.#register.hasPeople(guildId, channelId)) return
    const started = await this.start({ ...running, startedBy: client.user.id })
    if ('kind' in started) this.#log.warn({ guildId, channelId, reason: started.kind }, 'channel not resumed')
    else this.#log.info({ guildId, channelId }, 'channel resumed')
  }

  /** Discord ended the bot's session for good. */
  readonly #onInvalidated = (): void => {
    for (const session of this.#sessions.values()) void session.close()
  }

  /** Why no channel of the guild can be started now. */
  #busy(guildId: string): StartFailure | undefined {
    if (this.#closing) return { kind: 'parent-closed' }
    const session = this.#sessions.get(guildId)
    return session && { kind: 'already', channelId: session.channelId }
  }

  /** Saves the channels for the next process, and those still to be resumed. */
  #save(): void {
    if (this.#closing) return
    const sessions = Array.from(this.#sessions.values()).filter(({ ending, ownsRoom }) => !ending && ownsRoom)
    this.#running?.keep([...sessions.map(({ running }) => running), ...this.#resumable.values()])
  }

  async #close(): Promise<void> {
    const client = this.#client
    client.off(Events.ClientReady, this.#onReady)
    client.off(Events.GuildCreate, this.#onGuildCreate)
    client.off(Events.Invalidated, this.#onInvalidated)
    client.off(Events.GuildAvailable, this.#onGuildAvailable)
    // Commands in progress are still answered.
    this.#interactions[Symbol.dispose]()
    this.#registrar?.[Symbol.dispose]()
    this.#registered.resolve()
    this.#autoJoin[Symbol.dispose]()
    // The next process resumes these. Nothing is saved from here on: `close` notes that it is closing.
    this.#save()
    this.#saving?.[Symbol.dispose]()
    const goodbyes = Promise.all(Array.from(this.#sessions.values(), session => session.close()))
    await withTimeout(this.#clock, GOODBYES_MS, goodbyes)
    this.#events[Symbol.dispose]()
    this.#register[Symbol.dispose]()
  }
}
