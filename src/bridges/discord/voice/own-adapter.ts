import type { DiscordGatewayAdapterCreator, DiscordGatewayAdapterLibraryMethods } from '@discordjs/voice'
import type { Client, Guild } from 'discord.js'

/**
 * Our access to a guild's voice over the main gateway. A client has one per guild, and whoever asks last gets it: another
 * part of the program that connects takes it from us. From then on, nothing of ours is sent, so that closing our
 * connection leaves theirs alone.
 */
export class OwnAdapter {
  readonly create: DiscordGatewayAdapterCreator
  readonly #client: Client
  readonly #guildId: string
  #library: DiscordGatewayAdapterLibraryMethods | undefined

  constructor(client: Client, guild: Guild) {
    this.#client = client
    this.#guildId = guild.id
    this.create = library => {
      const adapter = guild.voiceAdapterCreator(library)
      this.#library = library
      return {
        sendPayload: payload => !this.replaced && adapter.sendPayload(payload),
        destroy: () => {
          if (!this.replaced) adapter.destroy()
          this.#library = undefined
        },
      }
    }
  }

  /** Another part of the program has the guild's voice. */
  get replaced(): boolean {
    return this.#client.voice.adapters.get(this.#guildId) !== this.#library
  }
}
