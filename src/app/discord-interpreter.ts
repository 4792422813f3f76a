/**
 * What `src/discord.ts`, the package entry `dragoman/discord`, loads: `Interpreter` for your own discord.js client, and the
 * Fastify plugin, which has its own client.
 */
import { EventEmitter } from 'node:events'
import type { Client, VoiceBasedChannel } from 'discord.js'
import { z } from 'zod'
import type {
  ChannelEnd,
  ChannelInterpreter,
  Preferences,
  RunningChannels,
} from '../bridges/discord/contract.ts'
import { INTENTS, type JoinOptions } from '../bridges/discord/index.ts'
import { DiscordInterpreter } from '../bridges/discord/interpreter.ts'
import {
  type ChannelOptions,
  type CommandSettings,
  discordBridgeOptionsSchema,
} from '../bridges/discord/options.ts'
import { VoiceRegister } from '../bridges/discord/voice-register.ts'
import { BridgeError } from '../common/errors.ts'
import type { LanguageId } from '../common/language.ts'
import { errorFields, type Logger, noopLogger } from '../common/log.ts'
import { having } from '../common/setting-fields.ts'
import type { Caption } from '../core/model/caption.ts'
import type { ServiceProblem, ServiceStatusChange } from '../core/model/events.ts'
import { type RelaySettingsInput, relayOptions, relayOptionsSchema } from '../core/model/relay-settings.ts'
import { Relay } from '../core/room/relay.ts'
import { checkOptions } from '../net/host-plugin.ts'
import { ServiceTranslator } from '../service/client/translator.ts'
import { inOneLanguage } from '../web/transcripts/one-language.ts'
import { Transcripts } from '../web/transcripts/transcripts.ts'
import { createAnnouncer, serviceCheck, usableLanguages, voiceCatalog } from './service.ts'

export type * from '../bridges/discord/index.ts'
export { allPermissions, default, INTENTS, inviteUrl } from '../bridges/discord/index.ts'

/** Settings and dependencies of an interpreter. It does not close what is passed in. */
export interface InterpreterOptions {
  /** Any server of the translation-service interface. */
  readonly service: {
    readonly url: string
    readonly apiKey?: string
    /** Path of Socket.IO, if it is below a path of the address. */
    readonly socketPath?: string | undefined
  }
  /** Volume, limits and timing of the translations, as `relay` of the settings file. */
  readonly relay?: RelaySettingsInput
  readonly channels?: ChannelOptions
  /** Default: in memory, until the process ends. */
  readonly preferences?: Preferences
  /** Absent: channels are not resumed after a restart. */
  readonly running?: RunningChannels
  /** IDs of voice channels to interpret while people are in them. */
  readonly autoJoin?: readonly string[]
  /** Keep the text of conversations until they end, for `/interpret transcript`, as notices then state. Default: false. */
  readonly transcripts?: boolean
  readonly log?: Logger
}

const interpreterOptionsSchema = z.strictObject({
  service: z.strictObject({
    url: z.url('an http:// or https:// URL'),
    apiKey: z.string('an API key').optional(),
    socketPath: z.string('a path like /translate/socket.io/').optional(),
  }),
  relay: relayOptionsSchema.optional(),
  channels: discordBridgeOptionsSchema.shape.channels,
  preferences: discordBridgeOptionsSchema.shape.preferences,
  running: discordBridgeOptionsSchema.shape.running,
  autoJoin: discordBridgeOptionsSchema.shape.autoJoin,
  transcripts: z.boolean('true or false').optional(),
  log: having('a log', 'debug', 'info', 'warn', 'error').optional(),
} satisfies Record<keyof InterpreterOptions, z.ZodType>)

export interface AttachOptions {
  /**
   * `true` (default): registers `/interpret` next to the application's own commands. An object: with these settings.
   * `false`: no command; channels are interpreted only by `join`.
   */
  readonly commands?: boolean | Partial<CommandSettings>
}

/** A caption of an interpreted channel. A partial can still change; a final is never revised. */
export interface ChannelCaption {
  readonly guildId: string
  readonly channelId: string
  /** Unique in this process; the partials and the final of an utterance share it. */
  readonly utterance: string
  /** Display name of the speaker; undefined for participants without a name. */
  readonly name: string | undefined
  readonly from: LanguageId
  readonly to: LanguageId
  readonly final: boolean
  readonly text: string | undefined
  readonly translation: string | undefined
}

/** Events of an interpreter, with the arguments of their listeners. */
export interface InterpreterEvents {
  /** A channel is being interpreted, by `join` or by a command. */
  joined: [channel: ChannelInterpreter]
  /** Interpreting of a channel has ended. */
  left: [channel: ChannelInterpreter, end: ChannelEnd]
  /** No one is listened to, until `resumed`. */
  paused: [channel: ChannelInterpreter]
  resumed: [channel: ChannelInterpreter]
  /** A user opted in or out, by button or command. */
  consent: [channel: ChannelInterpreter, userId: string, consents: boolean]
  caption: [caption: ChannelCaption]
  /** The translation service became available or unavailable. While it is unavailable, original voices are played. */
  service: [available: boolean, problem?: ServiceProblem]
  /**
   * The interpreter cannot start, or the service cannot be used: it refuses the key (`SERVICE_KEY_REFUSED`) or does not
   * answer. Without a listener it is only logged, and without a `log`, it is a process warning.
   */
  error: [error: Error]
}

function codeOf(error: Error): string {
  return error instanceof BridgeError ? error.code : error.name
}

interface Attached {
  readonly client: Client
  readonly interpreter: DiscordInterpreter
  readonly relay: Relay
  readonly transcripts: Transcripts | undefined
  readonly started: Promise<void>
  /** Resolves if the service can be used. */
  readonly check: () => Promise<void>
}

/**
 * Interprets voice channels with your own discord.js client, next to everything else that your bot does:
 *
 *     const interpreter = new Interpreter({ service: { url, apiKey } }).attach(client, { commands: true })
 *     await interpreter.join(voiceChannel)
 *
 * The client needs the intents `Guilds` and `GuildVoiceStates`, and stays yours: the interpreter neither logs it in nor
 * out. With a `ShardingManager`, each process has its own interpreter. At most one channel per guild is interpreted, as
 * a bot can be in only one.
 */
export class Interpreter extends EventEmitter<InterpreterEvents> implements AsyncDisposable {
  readonly #options: InterpreterOptions
  readonly #log: Logger
  readonly #channels = new Map<string, ChannelInterpreter>()
  #attached: Attached | undefined
  #closing: Promise<void> | undefined

  /** Throws `BridgeError` `CONFIG`, which lists each invalid option. */
  constructor(options: InterpreterOptions) {
    super()
    checkOptions('Interpreter', interpreterOptionsSchema, options)
    this.#options = options
    this.#log = options.log ?? noopLogger
  }

  /**
   * Adds interpreting to `client`, before or after its login. Call it once. Throws `BridgeError`: `CONFIG` if the client
   * lacks an intent, limits a cache without which discord.js does not work, or is logged in and limits its cache of
   * voice states; `NOT_INSTALLED` for a version of @discordjs/voice that cannot be used; `STATE` if the interpreter is
   * attached or closed.
   */
  attach(client: Client, { commands = true }: AttachOptions = {}): this {
    if (this.#closing) throw new BridgeError('STATE', 'the interpreter is closed')
    if (this.#attached) throw new BridgeError('STATE', 'the interpreter is attached to a client already')
    const missing = client.options.intents.missing([...INTENTS])
    if (missing.length > 0)
      throw new BridgeError('CONFIG', `the client lacks intents: add ${missing.join(' and ')} to its options`)
    const unusable = VoiceRegister.unusable(client)
    if (unusable) throw new BridgeError('CONFIG', `the client ${unusable}`)
    const { service, relay: relaySettings, channels, preferences, running, autoJoin } = this.#options
    const log = this.#log
    const access = { ...service, apiKey: service.apiKey ?? '' }
    const relay = new Relay({
      translator: new ServiceTranslator(access),
      options: relayOptions(relaySettings),
      log,
    })
    const announcer = createAnnouncer({ ...access, log })
    const transcripts = this.#options.transcripts ? Transcripts.inMemory(relay.observer) : undefined
    const interpreter = new DiscordInterpreter(client, {
      ...{ relay, announcer, log },
      languages: usableLanguages(access),
      voices: voiceCatalog(access),
      ...{ channels, preferences, running, autoJoin },
      commands: commands === true ? {} : commands,
      transcripts: transcripts && { of: inOneLanguage(transcripts), keeps: 'until-end' },
      observer: {
        started: channel => this.#joined(channel),
        paused: (channel, paused) => this.#emit(paused ? 'paused' : 'resumed', channel),
        consent: (channel, userId, consents) => this.#emit('consent', channel, userId, consents),
      },
    })
    relay.observer.on('caption', caption => this.#caption(caption))
    relay.observer.on('service', change => this.#service(change))
    interpreter.listen()
    const started = relay.ready()
    started.catch((error: Error) => this.#failed(error, 'the interpreter cannot start'))
    const check = serviceCheck(access)
    check().catch((error: Error) => this.#failed(error, 'translation service unavailable'))
    this.#attached = { client, interpreter, relay, transcripts, started, check }
    return this
  }

  /**
   * Resolves when the service has answered and, once the client is logged in, the command is registered. Rejects with
   * `BridgeError`: `STATE` before `attach`; `SERVICE_KEY_REFUSED` if the service refuses the key; another `SERVICE_…` code
   * if it does not answer. The interpreter uses the service as soon as it works; another call checks it again.
   */
  async ready(): Promise<void> {
    const { interpreter, started, check } = this.#requireAttached()
    await Promise.all([started, check(), interpreter.registered])
  }

  /** The interpreted channel of a guild, if any. */
  in(guildId: string): ChannelInterpreter | undefined {
    return this.#attached?.interpreter.of(guildId)
  }

  /**
   * Starts interpreting a voice or stage channel: the people in it are notified, and then heard. Resolves once they are.
   * Rejects with `BridgeError`: `STATE` while the client is not logged in, if another channel of the guild is
   * interpreted, or if another part of the program has the bot's voice connection there; `CAPACITY`; `JOIN_FAILED` with the missing permissions or Discord's refusal.
   */
  async join(channel: VoiceBasedChannel, options: JoinOptions = {}): Promise<ChannelInterpreter> {
    const { interpreter, started } = this.#requireAttached()
    await started
    return await interpreter.join(channel, options)
  }

  /** Stops interpreting in the guild, with a goodbye. Resolves to undefined if no channel was interpreted. */
  async leave(guildId: string): Promise<ChannelEnd | undefined> {
    const { client } = this.#requireAttached()
    return await this.in(guildId)?.stop(client.user?.id ?? '')
  }

  /** Says goodbye in every channel, leaves them, and detaches from the client. Idempotent. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    if (!this.#attached) return
    const { interpreter, relay, transcripts } = this.#attached
    await interpreter.close()
    await relay.close()
    await transcripts?.[Symbol.asyncDispose]()
  }

  #requireAttached(): Attached {
    if (!this.#attached) throw new BridgeError('STATE', 'call attach(client) first')
    return this.#attached
  }

  #joined(channel: ChannelInterpreter): void {
    const { room } = channel.status()
    this.#channels.set(room, channel)
    void channel.ended.then(end => {
      this.#channels.delete(room)
      this.#emit('left', channel, end)
    })
    this.#emit('joined', channel)
  }

  #caption({ room, name, utterance, from, to, final, text, translation }: Caption): void {
    const channel = this.#channels.get(room)
    if (!channel) return
    const { guildId, channelId } = channel
    this.#emit('caption', { guildId, channelId, utterance, name, from, to, final, text, translation })
  }

  /** The relay logs its problems itself. */
  #service({ status, problem }: ServiceStatusChange): void {
    this.#emit('service', status === 'closed', problem)
    if (problem) this.#report(new BridgeError(problem.code, problem.message))
  }

  #failed(error: Error, message: string): void {
    if (this.#closing) return
    this.#log.error({ code: codeOf(error), ...errorFields(error) }, message)
    this.#report(error)
  }

  /** A failure is never silent: without a listener and without a log, Node warns about it. */
  #report(error: Error): void {
    if (this.listenerCount('error') > 0) this.#emit('error', error)
    else if (!this.#options.log) process.emitWarning(`Interpreter: ${error.message}`, { code: codeOf(error) })
  }

  /** A listener that throws harms no call. */
  #emit<Name extends keyof InterpreterEvents>(name: Name, ...args: InterpreterEvents[Name]): void {
    try {
      ;(this as EventEmitter).emit(name, ...args)
    } catch (error) {
      this.#log.error({ event: name, ...errorFields(error) }, 'a listener failed')
    }
  }
}
