import { isJson, type Json, objectsIn } from '../json.ts'
import { ApiError } from '../rest/api-error.ts'
import type { Channel } from './channel.ts'
import type { RegisteredCommand } from './command-registry.ts'
import { Interaction, InteractionFailed, type InteractionOptions } from './interaction.ts'
import { assertCompletes, type CommandValue, optionsOf, resolved, type Typed } from './invocation.ts'
import type { Member } from './member.ts'
import type { Message } from './message.ts'
import type { Choice, Reply } from './reply.ts'
import type { World } from './world.ts'

/** Discord: Interaction Type. */
const TYPES = { command: 2, component: 3, autocomplete: 4 } as const

/** The interaction as sent to the application (Discord: Interaction Object). */
function interactionJson({ id, token, options }: Interaction, data: Json): Json {
  const { by, channel, kind, pressed, world } = options
  const { guild } = by
  const { id: channelId, name, type, ...rest } = channel.json
  const thread = isJson(rest.thread_metadata)
    ? { parent_id: rest.parent_id, thread_metadata: rest.thread_metadata }
    : {}
  return {
    id,
    token,
    type: TYPES[kind],
    version: 1,
    application_id: world.application.id,
    guild_id: guild.id,
    guild: { id: guild.id, locale: guild.locale, features: [] },
    guild_locale: guild.locale,
    channel_id: channelId,
    channel: {
      id: channelId,
      guild_id: guild.id,
      name,
      type,
      ...thread,
      permissions: String(channel.permissionsOf(by)),
    },
    member: { ...by.json, permissions: String(channel.permissionsOf(by)) },
    locale: by.user.locale,
    app_permissions: String(channel.permissionsOf(guild.bot)),
    entitlements: [],
    authorizing_integration_owners: { 0: guild.id },
    context: 0,
    attachment_size_limit: 10_485_760,
    data: kind === 'component' ? data : { ...data, guild_id: undefined },
    ...(pressed ? { message: pressed.json } : {}),
  }
}

type Values = Readonly<Record<string, CommandValue>>

/** Commands, presses and their results. */
export class Interactions {
  readonly #world: World
  readonly #byId = new Map<string, Interaction>()
  readonly #byToken = new Map<string, Interaction>()

  constructor(world: World) {
    this.#world = world
  }

  async command(by: Member, path: string, values: Values, where?: Channel): Promise<Reply> {
    const words = wordsOf(path)
    const channel = placeOf(by, where)
    const command = this.#commandOf(by, words, channel)
    const data = dataOf(command, { words, values }, by)
    return this.#ask({ kind: 'command', by, channel }, data).reply
  }

  async autocomplete(
    by: Member,
    path: string,
    { name, typed, others }: { name: string; typed: string; others: Values },
    where?: Channel,
  ): Promise<readonly Choice[]> {
    const words = wordsOf(path)
    const channel = placeOf(by, where)
    const command = this.#commandOf(by, words, channel)
    assertCompletes(command, words, name)
    const data = dataOf(command, { words, values: { ...others, [name]: typed }, focused: name }, by)
    return this.#ask({ kind: 'autocomplete', by, channel }, data).choices
  }

  async press(by: Member, message: Message, customId: string, values: readonly string[]): Promise<Reply> {
    const { channel } = message
    const seen = by.can('ViewChannel', channel) && (message.ephemeralFor ?? by.user) === by.user
    if (message.deleted || !seen)
      throw new InteractionFailed('unknown-component', `${by.displayName} does not see this message`)
    const part = message.components
      .flatMap(row => objectsIn(row, 'components'))
      .find(component => component.custom_id === customId)
    if (!part || part.disabled === true)
      throw new InteractionFailed('unknown-component', `there is no ${customId} that could be pressed`)
    const data = {
      id: 1,
      custom_id: customId,
      component_type: part.type,
      ...(part.type === 2 ? {} : { values }),
    }
    return this.#ask({ kind: 'component', by, channel, pressed: message }, data).reply
  }

  /** The interaction of a callback. Throws `ApiError`. */
  get(id: string, token: string): Interaction {
    const interaction = this.#byId.get(id)
    if (!interaction || interaction.token !== token) throw ApiError.of(10062)
    return interaction
  }

  /**
   * The interaction with a token in the place of a webhook's; undefined for an unknown one. Throws `ApiError` if it has
   * expired.
   */
  byToken(token: string): Interaction | undefined {
    const interaction = this.#byToken.get(token)
    if (!interaction) return undefined
    if (interaction.open) return interaction
    throw ApiError.of(interaction.state.status === 'waiting' ? 10015 : 50027)
  }

  /** Cancels all pending interactions. */
  stop(): void {
    for (const interaction of this.#byId.values()) interaction.stop()
  }

  #ask(options: Omit<InteractionOptions, 'world'>, data: Json): Interaction {
    const interaction = new Interaction({ world: this.#world, ...options })
    this.#byId.set(interaction.id, interaction)
    this.#byToken.set(interaction.token, interaction)
    options.by.guild.tell('INTERACTION_CREATE', interactionJson(interaction, data))
    return interaction
  }

  #commandOf(by: Member, words: readonly string[], channel: Channel): RegisteredCommand {
    const command = this.#world.commands.find(words[0] ?? '', by.guild.id)
    if (!command) throw new InteractionFailed('unknown-command', `/${words[0] ?? ''} is not registered`)
    if (!by.can('UseApplicationCommands', channel) || !command.visibleWith(channel.permissionsOf(by)))
      throw new InteractionFailed('not-allowed', `${by.displayName} may not use /${words[0]} here`)
    return command
  }
}

function wordsOf(path: string): readonly string[] {
  return path.replace(/^\//, '').trim().split(/\s+/)
}

function placeOf(by: Member, where?: Channel): Channel {
  const channel = where ?? by.voice?.channel ?? [...by.guild.channels.values()][0]
  if (!channel) throw new RangeError(`${by.guild.name} has no channel`)
  if (!by.can('ViewChannel', channel))
    throw new InteractionFailed('not-allowed', `${by.displayName} does not see ${channel.name}`)
  return channel
}

function dataOf(command: RegisteredCommand, typed: Typed, by: Member): Json {
  const options = optionsOf(command, typed)
  const things = resolved(Object.values(typed.values), by)
  return {
    id: command.id,
    name: command.name,
    type: command.type,
    ...(options.length > 0 ? { options } : {}),
    ...(isJson(things) ? { resolved: things } : {}),
  }
}
