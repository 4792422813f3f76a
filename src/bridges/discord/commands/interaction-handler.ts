import {
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Client,
  Events,
  type Interaction,
  type StringSelectMenuInteraction,
} from 'discord.js'
import type { Clock } from '../../../common/clock.ts'
import { setTimer } from '../../../common/clock.ts'
import { KeyedRateLimiter, type Rate } from '../../../common/rate-limit.ts'
import { catalogFor } from '../../../messages/catalogs.ts'
import { CommandCounters } from '../counters.ts'
import type { VoiceRegister } from '../voice-register.ts'
import { type CommandContext, type CommandServices, contextOf } from './command-context.ts'
import { languageChoices } from './language-choices.ts'
import { parseMenu } from './language-menu.ts'
import { parseButton } from './notice-buttons.ts'
import { inviteUrl } from './permissions.ts'
import { COMMAND, type Command, parseCommand, parseTyping } from './registry.ts'
import { type Answer, Reply, withCommands } from './reply.ts'

/** Delay before Discord is notified for all other commands (ms); Discord's limit is 3 s. */
const DEFER_AFTER_MS = 1_200
/** Maximum wait for the service's languages during autocompletion (ms). */
const TYPING_PATIENCE_MS = 2_000
const MOST_CHOICES = 25

/**
 * Handles the interactions of a Discord client that belong to this bridge. Other interactions of the application are
 * ignored: the owner's own client can be connected with the same token, and Discord accepts one reply per interaction.
 * Never throws.
 */
export class InteractionHandler implements Disposable {
  readonly counters = new CommandCounters()
  readonly #client: Client
  readonly #register: VoiceRegister
  readonly #services: CommandServices
  readonly #limits: CommandLimits

  constructor(
    { client, register }: { readonly client: Client; readonly register: VoiceRegister },
    services: CommandServices,
  ) {
    this.#client = client
    this.#register = register
    this.#services = services
    this.#limits = new CommandLimits(services.clock)
  }

  /** Accepts interactions from now on. Call it once. */
  start(): void {
    this.#client.on(Events.InteractionCreate, this.#take)
  }

  /** Stops accepting interactions. Those in progress are still answered. */
  [Symbol.dispose](): void {
    this.#client.off(Events.InteractionCreate, this.#take)
  }

  readonly #take = (interaction: Interaction): void => {
    this.#handle(interaction).catch((error: unknown) => {
      this.counters.failed++
      this.#services.log.error({ reason: stackOf(error) }, 'interaction failed')
    })
  }

  async #handle(interaction: Interaction): Promise<void> {
    if (interaction.isAutocomplete()) {
      if (interaction.commandName !== COMMAND) return
      return this.#choices(interaction)
    }
    if (interaction.isChatInputCommand()) {
      if (interaction.commandName !== COMMAND) return
      return this.#command(parseCommand(interaction.options.data), interaction, interaction.commandId)
    }
    if (interaction.isStringSelectMenu()) {
      const choice = parseMenu(interaction)
      if (!choice) return
      return this.#command(parseCommand(choice), interaction, undefined)
    }
    if (!interaction.isButton()) return
    const press = parseButton(interaction.customId)
    if (!press) return
    return this.#command(parseCommand(press), interaction, undefined)
  }

  async #command(
    { name, invocation }: Command,
    interaction: ChatInputCommandInteraction | ButtonInteraction | StringSelectMenuInteraction,
    commandId: string | undefined,
  ): Promise<void> {
    const { settings, locales, log, clock } = this.#services
    const { applicationId, guildId, locale, user } = interaction
    const words = catalogFor(locale).discord.replies
    const reply = new Reply(interaction, { counters: this.counters, log })
    const say = (text: string, file?: Answer['file']) =>
      reply.say(commandId === undefined ? text : withCommands(text, commandId), file)
    if (guildId === null) return say(words.onlyInServers)
    // With only its commands installed, the application receives interactions from servers it is not in.
    if (!interaction.inCachedGuild()) return say(words.notInvited(inviteUrl(applicationId, guildId)))
    if (settings.guilds.length > 0 && !settings.guilds.includes(guildId)) return say(words.notThisServer)
    const wait = invocation?.unlimited ? 0 : this.#limits.command(user.id, guildId)
    if (wait > 0) return say(words.tooFast(wait))
    locales.set(user.id, locale)
    if (!invocation) return say(words.unknownCommand)
    try {
      using _timer = setTimer(clock, DEFER_AFTER_MS, () => void reply.defer())
      if (invocation.slow) await reply.defer()
      await this.#register.load(interaction.guild)
      const context = contextOf(interaction, this.#register)
      const answer = await invocation.run(context, this.#services, words)
      await say(answer.text, answer.file)
      if (answer.announcement) await this.#announce(answer.announcement, context)
      // The first reply is sent; a later result replaces it.
      if (answer.later) void answer.later.then(text => say(text))
    } catch (error) {
      this.counters.failed++
      log.error({ command: name, guildId, reason: stackOf(error) }, 'command failed')
      await say(words.failed)
    }
  }

  async #announce(
    { channelId, text }: { channelId: string; text: string },
    context: CommandContext,
  ): Promise<void> {
    try {
      await context.say(channelId, text)
    } catch (error) {
      const { guildId } = context
      this.#services.log.warn({ guildId, channelId, reason: String(error) }, 'announcement not sent')
    }
  }

  async #choices(interaction: AutocompleteInteraction): Promise<void> {
    const { languages, log } = this.#services
    const { locale, options, user } = interaction
    if (!this.#limits.typing(user.id)) return
    const typing = parseTyping(options.data)
    const words = catalogFor(locale).discord.commands
    const offered = typing ? ((await languages.get(TYPING_PATIENCE_MS)) ?? []) : []
    const choices =
      typing &&
      languageChoices(typing.text, offered, {
        locale,
        purpose: typing.purpose === 'speak' ? 'speak' : 'hear',
        words,
      })
    const auto = [{ name: words.auto, value: 'auto' }].filter(
      each => typing?.purpose === 'hear-or-auto' && begins(each, typing.text),
    )
    try {
      await interaction.respond([...auto, ...(choices ?? [])].slice(0, MOST_CHOICES))
    } catch (error) {
      log.debug({ reason: String(error) }, 'autocompletion expired')
    }
  }
}

function begins({ name, value }: { name: string; value: string }, typed: string): boolean {
  const text = typed.trim().toLowerCase()
  return value.startsWith(text) || name.toLowerCase().startsWith(text)
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const USER: Rate = { burst: 5, perSecond: 1 / 3 }
const GUILD: Rate = { burst: 20, perSecond: 2 }
/** Discord requests choices at each keystroke. */
const TYPING: Rate = { burst: 20, perSecond: 4 }

/** Rate limits of commands per user and per guild, and of autocompletion per user. */
export class CommandLimits {
  readonly #users: KeyedRateLimiter
  readonly #guilds: KeyedRateLimiter
  readonly #typing: KeyedRateLimiter

  constructor(clock: Clock) {
    this.#users = new KeyedRateLimiter(clock, USER)
    this.#guilds = new KeyedRateLimiter(clock, GUILD)
    this.#typing = new KeyedRateLimiter(clock, TYPING)
  }

  /** Returns the whole seconds to wait before the next command. 0: allowed and counted. */
  command(userId: string, guildId: string): number {
    if (!this.#users.take(userId)) return seconds(this.#users.waitMs(userId))
    return this.#guilds.take(guildId) ? 0 : seconds(this.#guilds.waitMs(guildId))
  }

  /** Returns whether another autocompletion is allowed. */
  typing(userId: string): boolean {
    return this.#typing.take(userId)
  }
}

/** A rejected command waits at least a second. Ignores rounding errors. */
function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000 - 1e-9))
}
