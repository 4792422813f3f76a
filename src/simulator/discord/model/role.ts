import type { Json } from '../json.ts'
import { bitsOf, type PermissionName } from './permissions.ts'

/** A set of permissions for members. */
export class Role {
  readonly id: string
  readonly name: string
  permissions: bigint
  readonly #position: number
  /** Set for the bot's own role, which its invitation created. */
  readonly #botId: string | undefined

  constructor(terms: { id: string; name: string; permissions: bigint; position: number; botId?: string }) {
    this.id = terms.id
    this.name = terms.name
    this.permissions = terms.permissions
    this.#position = terms.position
    this.#botId = terms.botId
  }

  /** Replaces the permissions; publish the change with `guild.setRole`. */
  grant(names: readonly PermissionName[]): void {
    this.permissions = bitsOf(names)
  }

  /** Discord: Role Object. */
  get json(): Json {
    return {
      id: this.id,
      name: this.name,
      permissions: String(this.permissions),
      position: this.#position,
      color: 0,
      colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
      hoist: false,
      icon: null,
      unicode_emoji: null,
      managed: this.#botId !== undefined,
      mentionable: false,
      flags: 0,
      ...(this.#botId === undefined ? {} : { tags: { bot_id: this.#botId } }),
    }
  }
}
