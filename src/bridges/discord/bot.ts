import { Client, GatewayIntentBits } from 'discord.js'
import { type Clock, systemClock } from '../../common/clock.ts'
import { type Logger, noopLogger } from '../../common/log.ts'
import type { DiscordBridge, Interpreters, LoginState } from './contract.ts'
import type { CommandCounters, LinkCounters } from './counters.ts'
import { DiscordInterpreter } from './interpreter.ts'
import { Login, logOut } from './login.ts'
import type { DiscordBridgeOptions, LoginTurn } from './options.ts'

/** Gateway intents: guilds with their channels, and voice states. Neither is privileged. */
export const INTENTS = [GatewayIntentBits.Guilds, GatewayIntentBits.GuildVoiceStates] as const

/** One bot: its login, its commands and the channels it interprets. Owns its client. */
export class DiscordBot implements DiscordBridge {
  readonly #client: Client
  readonly #clock: Clock
  readonly #log: Logger
  readonly #login: Login
  readonly #interpreter: DiscordInterpreter
  readonly #turn: LoginTurn | undefined
  /** Another process has the bot. */
  #waiting = false
  #closing: Promise<void> | undefined

  constructor({ token, turn, apiUrl, ...options }: DiscordBridgeOptions) {
    const { clock = systemClock, log = noopLogger } = options
    this.#clock = clock
    this.#log = log
    this.#turn = turn
    this.#client = new Client({
      intents: [...INTENTS],
      // The number of connections that Discord recommends: one carries up to 2 500 guilds.
      shards: 'auto',
      rest: apiUrl === undefined ? undefined : { api: apiUrl },
    })
    this.#login = new Login(this.#client, token, { clock, log })
    this.#interpreter = new DiscordInterpreter(this.#client, options)
  }

  /** Sums over all channels. */
  get counters(): LinkCounters {
    return this.#interpreter.counters
  }

  get interpreters(): Interpreters {
    return this.#interpreter
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
    return this.#interpreter.registered
  }

  /** Counts of the outcomes of commands. */
  get commands(): CommandCounters {
    return this.#interpreter.commands
  }

  /** Number of guilds the bot is in. */
  get guilds(): number {
    return this.#client.guilds.cache.size
  }

  /** Logs in, in the background, once it is this process's turn. Call it once. */
  start(): void {
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
    this.#interpreter.listen()
    this.#login.start()
  }

  async #close(): Promise<void> {
    await this.#interpreter.close()
    this.#login[Symbol.dispose]()
    await logOut(this.#client, this.#clock)
    await this.#turn?.release()
  }

  /** Another process has the bot: logs out first, so that leaving the channels here does not end theirs. */
  async #abandon(): Promise<void> {
    this.#log.error({}, 'another node has the Discord bot; restart this one to let it wait for it again')
    this.#login[Symbol.dispose]()
    await logOut(this.#client, this.#clock)
    await this.#interpreter.close()
  }
}
