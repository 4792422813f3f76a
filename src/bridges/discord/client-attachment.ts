import { type Client, Events, type VoiceBasedChannel } from 'discord.js'
import { BoundedMap } from '../../common/bounded-map.ts'
import { type Clock, systemClock, withTimeout } from '../../common/clock.ts'
import { languageId } from '../../common/language.ts'
import { type Logger, noopLogger } from '../../common/log.ts'
import { systemWallClock } from '../../common/wall-clock.ts'
import { AutoJoin } from './auto-join.ts'
import { DiscordInterpreters } from './channel/interpreters.ts'
import type { NoticeTerms } from './channel/notice-terms.ts'
import type { OfferedVoice } from './channel/voice-casting.ts'
import type { ChannelInterpreter, ChannelObserver, Interpreters } from './channel-interpreter.ts'
import type { CommandSettings } from './commands/command-context.ts'
import { InteractionHandler } from './commands/interaction-handler.ts'
import { LanguageList } from './commands/language-choices.ts'
import { OfferCache } from './commands/offer-cache.ts'
import { Registrar } from './commands/registration.ts'
import type { CommandCounters } from './counters.ts'
import { LinkCounters } from './counters.ts'
import { type JoinOptions, joinChannel } from './join-channel.ts'
import { CAPTION_DEFAULTS, CHANNEL_DEFAULTS, type DiscordBridgeOptions } from './options.ts'
import { MemoryPreferences } from './preferences.ts'
import { OutputPacer } from './voice/channel-output.ts'
import { assertVoiceLibrary } from './voice/patches/voice-library.ts'
import { VoiceRegister } from './voice-register.ts'

const COMMAND_DEFAULTS: CommandSettings = {
  guilds: [],
  output: 'auto',
  captions: CAPTION_DEFAULTS,
  dials: false,
  dialRoles: [],
  phoneNumbers: [],
}

/** Maximum number of users whose locale is kept. */
const MAX_LOCALES = 10_000
/** Time limit for the goodbyes of all channels together, spoken and written (ms). Each part has its own limit too. */
const GOODBYES_MS = 20_000

const UNLIMITED = { begin: () => ({ right() {}, wrong() {} }) }

/** Dependencies of an attachment. It does not close what is passed in. */
export interface AttachmentOptions
  extends Omit<DiscordBridgeOptions, 'token' | 'turn' | 'apiUrl' | 'commands'> {
  /** `false`: no commands are registered, and the buttons of notices are the only interactions that are answered. */
  readonly commands?: Partial<CommandSettings> | false | undefined
  /** Follows the channels that are interpreted from now on. */
  readonly observer?: ChannelObserver
}

/**
 * Interpreting on a discord.js client: its commands, buttons and channels. Other interactions, listeners and voice
 * connections of the client stay untouched. The client belongs to the caller, and can be logged in already.
 */
export class ClientAttachment {
  /** Sums over all channels. */
  readonly counters = new LinkCounters()
  readonly interpreters: Interpreters
  readonly #client: Client
  readonly #register: VoiceRegister
  readonly #clock: Clock
  readonly #log: Logger
  readonly #languages: LanguageList
  readonly #voices: OfferCache<OfferedVoice> | undefined
  /** Guilds to which commands are restricted. */
  readonly #guilds: readonly string[]
  readonly #hasCommands: boolean
  readonly #interactions: InteractionHandler
  readonly #channels: DiscordInterpreters
  readonly #autoJoin: AutoJoin
  readonly #registered = Promise.withResolvers<void>()
  #registrar: Registrar | undefined
  #closing: Promise<void> | undefined

  /** Throws `BridgeError` `NOT_INSTALLED` for a version of @discordjs/voice that cannot be used. */
  constructor(client: Client, options: AttachmentOptions) {
    assertVoiceLibrary()
    const { relay, admission = relay, announcer, dialer, roomCodes, observer } = options
    const { clock = systemClock, wallClock = systemWallClock, log = noopLogger } = options
    const { preferences = new MemoryPreferences(), roomCodeLimiter = UNLIMITED, running } = options
    const consent = { ...CHANNEL_DEFAULTS.consent, ...options.channels?.consent }
    const terms: NoticeTerms = {
      consent,
      keeps: options.transcripts?.keeps ?? 'nothing',
      recording: options.recording ?? 'off',
    }
    this.#client = client
    this.#clock = clock
    this.#log = log
    const languages = new LanguageList(options.languages, { clock, log })
    this.#languages = languages
    const voices = options.voices && new OfferCache({ fetch: options.voices, what: 'voices', clock, log })
    this.#voices = voices
    const locales = new BoundedMap<string, string>(MAX_LOCALES)
    const register = new VoiceRegister(client)
    this.#register = register
    this.#channels = new DiscordInterpreters({
      client,
      register,
      relay,
      admission,
      announcer,
      pacer: new OutputPacer(clock),
      counters: this.counters,
      preferences,
      running,
      dialer,
      roomCodes,
      localeOf: userId => locales.get(userId),
      nearest: language => languages.nearest(language),
      offered: () => languages.known,
      voices: () => {
        // An outdated list is refreshed in the background.
        void voices?.get(0)
        return voices?.known ?? []
      },
      channelOptions: options.channels && {
        ...options.channels,
        ...(options.channels.language === undefined
          ? {}
          : { language: languageId(options.channels.language) }),
      },
      terms,
      observer: {
        ...observer,
        started: channel => {
          this.#autoJoin.follow(channel)
          observer?.started?.(channel)
        },
      },
      clock,
      log,
    })
    this.interpreters = this.#channels
    this.#hasCommands = options.commands !== false
    const settings = { ...COMMAND_DEFAULTS, dials: dialer !== undefined, ...(options.commands || {}) }
    this.#guilds = settings.guilds
    const { output, captions } = settings
    this.#autoJoin = new AutoJoin({
      ...{ client, register, interpreters: this.#channels, channels: options.autoJoin ?? [], clock, log },
      join: channel => this.join(channel, { output, captions }),
    })
    this.#interactions = new InteractionHandler(
      { client, register },
      {
        interpreters: this.#channels,
        guildIds: () => client.guilds.cache.keys(),
        preferences,
        languages,
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

  /** Counts of commands and their outcomes. */
  get commands(): CommandCounters {
    return this.#interactions.counters
  }

  /** Listens to the client from now on. Call it once. */
  start(): void {
    const client = this.#client
    this.#register.start()
    this.#channels.listen()
    this.#interactions.start()
    // After the channels of the last process, which have their own settings.
    void this.#channels.resumed.then(() => this.#autoJoin.start())
    if (client.isReady()) this.#ready(client.application.id)
    else client.once(Events.ClientReady, this.#onReady)
  }

  /** Starts interpreting a channel, as `joinChannel`. */
  join(channel: VoiceBasedChannel, options?: JoinOptions): Promise<ChannelInterpreter> {
    const [client, interpreters, register] = [this.#client, this.#channels, this.#register]
    return joinChannel(client, { interpreters, register }, channel, options)
  }

  /** Stops accepting commands. Those in progress are still answered, and channels continue. Idempotent. */
  stopCommands(): void {
    this.#client.off(Events.ClientReady, this.#onReady)
    this.#client.off(Events.GuildCreate, this.#onGuild)
    this.#interactions[Symbol.dispose]()
    this.#registrar?.[Symbol.dispose]()
    this.#registered.resolve()
  }

  /** Says goodbye in every channel, leaves them, and stops listening to the client. Idempotent. Never rejects. */
  close(): Promise<void> {
    this.stopCommands()
    this.#autoJoin[Symbol.dispose]()
    this.#closing ??= withTimeout(this.#clock, GOODBYES_MS, this.#channels.close()).then(() =>
      this.#register[Symbol.dispose](),
    )
    return this.#closing
  }

  readonly #onReady = ({ application }: Client<true>): void => this.#ready(application.id)

  /** A guild listed in `guilds` that invites the bot later can be registered only now. */
  readonly #onGuild = ({ id }: { readonly id: string }): void => {
    if (this.#guilds.includes(id)) void this.#registrar?.look()
  }

  #ready(applicationId: string): void {
    const client = this.#client
    // Language guesses must match what the service offers.
    void this.#languages.get(0)
    void this.#voices?.get(0)
    if (!this.#hasCommands) {
      this.#registered.resolve()
      return
    }
    const registration = { rest: client.rest, applicationId, guilds: this.#guilds, log: this.#log }
    const { counters } = this.#interactions
    const registrar = new Registrar(registration, { clock: this.#clock, counters })
    this.#registrar = registrar
    void registrar.look().then(this.#registered.resolve)
    client.on(Events.GuildCreate, this.#onGuild)
  }
}
