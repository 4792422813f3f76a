import type { Json } from './json.ts'
import type { World } from './world.ts'

/** The commands that the application registered, everywhere and in single guilds. */
export class CommandRegistry {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** Those of `guildId`, or the global ones. */
  all(guildId?: string): readonly Json[] {
    return guildId === this.#world.application.id ? [] : []
  }
}
