import { isJson, type Json, numberIn, objectsIn, stringIn } from '../json.ts'
import { ApiError } from '../rest/api-error.ts'
import { allows } from './permissions.ts'
import type { Snowflakes } from './snowflake.ts'

/** A registered command. */
export class RegisteredCommand {
  readonly id: string
  /** The body as sent. */
  readonly body: Json
  readonly #applicationId: string
  readonly #guildId: string
  readonly #version: string

  constructor(options: { id: string; body: Json; applicationId: string; guildId: string; version: string }) {
    this.id = options.id
    this.body = options.body
    this.#applicationId = options.applicationId
    this.#guildId = options.guildId
    this.#version = options.version
  }

  get name(): string {
    return stringIn(this.body, 'name') ?? ''
  }

  /** 1 is a slash command. */
  get type(): number {
    return numberIn(this.body, 'type') ?? 1
  }

  get options(): readonly Json[] {
    return objectsIn(this.body, 'options')
  }

  /** Returns true if a member with the permissions `bits` sees it; a requirement of "0" limits it to administrators. */
  visibleWith(bits: bigint): boolean {
    const needed = this.#memberPermissions
    if (needed === undefined) return true
    return needed === 0n ? allows(bits, 'Administrator') : (bits & needed) === needed
  }

  /** Discord: Application Command Object. */
  get json(): Json {
    const { body } = this
    const needed = this.#memberPermissions
    return {
      nsfw: false,
      dm_permission: true,
      ...body,
      id: this.id,
      type: this.type,
      application_id: this.#applicationId,
      version: this.#version,
      description: body.description ?? '',
      name_localizations: body.name_localizations ?? null,
      description_localizations: body.description_localizations ?? null,
      default_member_permissions: needed === undefined ? null : String(needed),
      default_permission: true,
      contexts: body.contexts ?? null,
      integration_types: body.integration_types ?? [0],
      ...(this.#guildId === '' ? {} : { guild_id: this.#guildId }),
    }
  }

  get #memberPermissions(): bigint | undefined {
    const bits = this.body.default_member_permissions
    return bits === null || bits === undefined ? undefined : BigInt(String(bits))
  }
}

/** Discord: Application Commands, limits per scope. */
const MOST = 100

/** The commands of the application, global and per guild. */
export class CommandRegistry {
  readonly #applicationId: string
  readonly #ids: Snowflakes
  /** By guild; global commands under the empty id. */
  readonly #scopes = new Map<string, RegisteredCommand[]>()

  constructor(applicationId: string, ids: Snowflakes) {
    this.#applicationId = applicationId
    this.#ids = ids
  }

  /** The commands of `guildId`, or the global ones. */
  all(guildId = ''): readonly RegisteredCommand[] {
    return this.#scopes.get(guildId) ?? []
  }

  /** Throws `ApiError` for an unknown id. */
  get(id: string, guildId = ''): RegisteredCommand {
    const command = this.all(guildId).find(each => each.id === id)
    if (!command) throw ApiError.of(10063)
    return command
  }

  /** Finds the command for a typed name: the guild's own, otherwise the global one. */
  find(name: string, guildId: string): RegisteredCommand | undefined {
    return [...this.all(guildId), ...this.all()].find(command => command.name === name && command.type === 1)
  }

  /** Replaces all commands; those with an existing name keep their id. Throws `ApiError`. */
  replace(bodies: unknown, guildId = ''): readonly RegisteredCommand[] {
    if (!Array.isArray(bodies)) throw ApiError.of(50035)
    if (bodies.length > MOST) throw ApiError.of(30032)
    const commands = bodies.map(body => this.#made(checked(body), guildId))
    this.#scopes.set(guildId, commands)
    return commands
  }

  /** Adds a command, or replaces the one of the same name. Throws `ApiError`. */
  create(body: unknown, guildId = ''): { command: RegisteredCommand; isNew: boolean } {
    const command = this.#made(checked(body), guildId)
    const others = this.all(guildId).filter(({ id }) => id !== command.id)
    const isNew = others.length === this.all(guildId).length
    if (isNew && others.length >= MOST) throw ApiError.of(30032)
    this.#scopes.set(guildId, [...others, command])
    return { command, isNew }
  }

  /** Changes the fields in the body. Throws `ApiError`. */
  edit(id: string, change: Json, guildId = ''): RegisteredCommand {
    const before = this.get(id, guildId)
    const body = checked({ ...before.body, ...change })
    const after = new RegisteredCommand({ ...this.#options(guildId), id, body })
    this.#scopes.set(
      guildId,
      this.all(guildId).map(each => (each === before ? after : each)),
    )
    return after
  }

  remove(id: string, guildId = ''): void {
    const gone = this.get(id, guildId)
    this.#scopes.set(
      guildId,
      this.all(guildId).filter(each => each !== gone),
    )
  }

  #made(body: Json, guildId: string): RegisteredCommand {
    const before = this.all(guildId).find(
      ({ name, type }) => name === stringIn(body, 'name') && type === (body.type ?? 1),
    )
    return new RegisteredCommand({ ...this.#options(guildId), id: before?.id ?? this.#ids.next(), body })
  }

  #options(guildId: string): { applicationId: string; guildId: string; version: string } {
    return { applicationId: this.#applicationId, guildId, version: this.#ids.next() }
  }
}

/** Discord: Application Command Naming, limits. Throws `ApiError` without a name. */
function checked(body: unknown): Json {
  if (!isJson(body) || !stringIn(body, 'name')) throw ApiError.of(50035)
  return body
}
