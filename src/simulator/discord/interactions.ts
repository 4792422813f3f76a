import type { Channel } from './channel.ts'
import type { CommandValue } from './command-values.ts'
import type { Member } from './member.ts'
import type { Message } from './message.ts'
import type { Choice, Reply } from './reply.ts'
import type { World } from './world.ts'

/** Commands, presses and what came of them. */
export class Interactions {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  command(
    _by: Member,
    path: string,
    _values: Readonly<Record<string, CommandValue>>,
    _where?: Channel,
  ): Promise<Reply> {
    throw new Error(`not built yet: ${path} ${this.#world.application.name}`)
  }

  autocomplete(
    _by: Member,
    path: string,
    _what: { name: string; typed: string; others: Readonly<Record<string, CommandValue>> },
    _where?: Channel,
  ): Promise<readonly Choice[]> {
    throw new Error(`not built yet: ${path}`)
  }

  press(_by: Member, _message: Message, customId: string, _values: readonly string[]): Promise<Reply> {
    throw new Error(`not built yet: ${customId}`)
  }
}
