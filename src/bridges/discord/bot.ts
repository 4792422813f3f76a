import { Client, Events, GatewayIntentBits } from 'discord.js'
import { BoundedMap } from '../../common/bounded-map.ts'
import { type Clock, systemClock, withTimeout } from '../../common/clock.ts'
import { type Logger, noopLogger } from '../../common/log.ts'
import { systemWallClock } from '../../common/wall-clock.ts'
import { DiscordInterpreters } from './channel/interpreters.ts'
import type { ChannelInterpreter, Interpreters } from './channel-interpreter.ts'
import type { CommandSettings } from './commands/command-context.ts'
import { InteractionHandler } from './commands/interaction-handler.ts'
import { LanguageList } from './commands/language-choices.ts'
import { Registrar } from './commands/registration.ts'
import type { CommandCounters } from './counters.ts'
import { LinkCounters } from './counters.ts'
import type { DiscordBridge, LoginState } from './discord-bridge.ts'
import { Login, logOut } from './login.ts'
import { CAPTION_DEFAULTS, type DiscordBridgeOptions, type LoginTurn } from './options.ts'
import { MemoryPreferences } from './preferences.ts'
import { OutputPacer } from './voice/channel-output.ts'

/** Gateway intents: guilds with their channels, and voice states. Neither is privileged. */
export const INTENTS = [GatewayIntentBits.Guilds, GatewayIntentBits.GuildVoiceStates] as const

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

const UNLIMITED = { mayTry: () => true, wrong: () => {} }

/** One bot: its login, its commands and the channels it interprets. Owns its client. */
export class DiscordBot implements DiscordBridge {
  /** Sums over all channels. */
  readonly counters = new LinkCounters()
  readonly interpreters: Interpreters
  readonly #client: Client
  readonly #clock: Clock
  readonly #log: Logger
  readonly #login: Login
  readonly #languages: LanguageList
  /** Guilds to which commands are restricted. */
  readonly #guilds: readonly string[]
  readonly #interactions: InteractionHandler
  #registrar: Registrar | undefined
  readonly #registered = Promise.withResolvers<void>()
  readonly #channels: DiscordInterpreters
  readonly #turn: LoginTurn | undefined
  /** Another process has the bot. */
  #waiting = false
  #closing: Promise<void> | undefined

  constructor(options: DiscordBridgeOptions) {
    const { relay, admission = relay, announcer, dialer, roomCodes, apiUrl } = options
    const { clock = systemClock, wallClock = systemWallClock, log = noopLogger } = options
    const { preferences = new MemoryPreferences(), roomCodeLimiter = UNLIMITED, running } = options
    this.#clock = clock
    this.#log = log
    this.#turn = options.turn
    this.#client = new Client({
      intents: [...INTENTS],
      // The number of connections that Discord recommends: one carries up to 2 500 guilds.
      shards: 'auto',
      ...(apiUrl === undefined ? {} : { rest: { api: apiUrl } }),
    })
    this.#login = new Login(this.#client, options.token, { clock, log })
    const languages = new LanguageList(options.languages, { clock, log })
    this.#languages = languages
    const locales = new BoundedMap<string, string>(MAX_LOCALES)
    const client = this.#client
    this.#channels = new DiscordInterpreters({
      client,
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
      channelOptions: options.channels,
      clock,
      log,
    })
    this.interpreters = this.#channels
    const settings = { ...COMMAND_DEFAULTS, dials: dialer !== undefined, ...options.commands }
    this.#guilds = settings.guilds
    this.#interactions = new InteractionHandler(client, {
      interpreters: this.#channels,
      guildIds: () => client.guilds.cache.keys(),
      preferences,
      languages,
      locales,
      roomCodeLimiter,
      settings,
      starters: new WeakMap<ChannelInterpreter, string>(),
      clock,
      wallClock,
      log,
    })
  }

  get state(): LoginState {
    return this.#waiting && !this.#closing ? { kind: 'waiting' } : this.#login.state
  }

  /** Resolves once: true when the bot is logged in, false when it never will be. Never rejects. */
  get settled(): Promise<boolean> {
    return this.#login.settled
  }

  /**
   * Settles after the first check of the command's registration, including any registration it needed. Never rejects.
   */
  get registered(): Promise<void> {
    return this.#registered.promise
  }

  /** Counts of commands and their outcomes. */
  get commands(): CommandCounters {
    return this.#interactions.counters
  }

  /** Number of guilds the bot is in. */
  get guilds(): number {
    return this.#client.guilds.cache.size
  }

  /** Logs in, in the background, once it is this process's turn. Call it once. */
  start(): void {
    this.#client.once(Events.ClientReady, ({ application }) => this.#ready(application.id))
    if (!this.#turn) {
      this.#logIn()
      return
    }
    this.#waiting = true
    this.#turn.start(
      () => {
        if (!this.#closing) this.#logIn()
      },
      () => {
        this.#closing ??= this.#abandon()
      },
    )
  }

  /** Says goodbye in every channel, leaves them and logs out. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  #logIn(): void {
    this.#waiting = false
    this.#login.start()
    this.#channels.listen()
    this.#interactions.start()
  }

  #ready(applicationId: string): void {
    const client = this.#client
    const guilds = this.#guilds
    const registration = { rest: client.rest, applicationId, guilds, log: this.#log }
    const { counters } = this.#interactions
    const registrar = new Registrar(registration, { clock: this.#clock, counters })
    this.#registrar = registrar
    void registrar.look().then(this.#registered.resolve)
    // A guild listed in `guilds` that invites the bot later can be registered only now.
    client.on(Events.GuildCreate, ({ id }) => {
      if (guilds.includes(id)) void registrar.look()
    })
    // Language guesses must match what the service offers.
    void this.#languages.get(0)
  }

  async #close(): Promise<void> {
    this.#interactions[Symbol.dispose]()
    this.#registrar?.[Symbol.dispose]()
    this.#registered.resolve()
    await withTimeout(this.#clock, GOODBYES_MS, this.#channels.close())
    this.#login[Symbol.dispose]()
    await logOut(this.#client, this.#clock)
    await this.#turn?.release()
  }

  /** Another process has the bot: logs out first, so that leaving the channels here does not end theirs. */
  async #abandon(): Promise<void> {
    this.#log.error({}, 'another node has the Discord bot; restart this one to let it wait for it again')
    this.#login[Symbol.dispose]()
    await logOut(this.#client, this.#clock)
    this.#interactions[Symbol.dispose]()
    this.#registrar?.[Symbol.dispose]()
    this.#registered.resolve()
    await withTimeout(this.#clock, GOODBYES_MS, this.#channels.close())
  }
}
