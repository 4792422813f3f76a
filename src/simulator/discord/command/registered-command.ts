import { type Json, numberIn, objectsIn, stringIn } from '../json.ts'
import { allows } from '../model/permissions.ts'

/** A registered command. */
export class RegisteredCommand {
  readonly id: string
  /** The body as sent; it has been checked. */
  readonly body: Json
  readonly #applicationId: string
  readonly #guildId: string
  readonly #version: string

  constructor(terms: { id: string; body: Json; applicationId: string; guildId: string; version: string }) {
    this.id = terms.id
    this.body = terms.body
    this.#applicationId = terms.applicationId
    this.#guildId = terms.guildId
    this.#version = terms.version
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

  /** Whether a member with the permissions `bits` sees it; a requirement of "0" limits it to administrators. */
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
