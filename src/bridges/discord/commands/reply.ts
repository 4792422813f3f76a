import { type ChatInputCommandInteraction, DiscordAPIError, MessageFlags } from 'discord.js'
import type { Log } from '../../../core/log.ts'
import { fitting } from './answer.ts'
import type { CommandCounters } from './command-counters.ts'

/** The part of an interaction that answers it; commands and buttons have it. */
type Answerable = Pick<ChatInputCommandInteraction, 'deferReply' | 'reply' | 'editReply'>

/** Discord: JSON Error Codes. Unknown interaction, unknown webhook, already acknowledged, invalid webhook token. */
const GONE: readonly unknown[] = [10062, 10015, 40060, 50027]

/**
 * The answer to one interaction, which only the asker sees and which alerts nobody. Discord wants a first sign of life
 * within 3 s and takes changes for 15 minutes; an interaction that is gone is counted, and harms nothing: no method rejects.
 */
export class Reply {
  readonly #interaction: Answerable
  readonly #counters: CommandCounters
  readonly #log: Log
  #begun: Promise<boolean> | undefined

  constructor(interaction: Answerable, { counters, log }: { counters: CommandCounters; log: Log }) {
    this.#interaction = interaction
    this.#counters = counters
    this.#log = log
  }

  /** Shows that an answer is being worked on, unless there is one. */
  async defer(): Promise<void> {
    this.#begun ??= this.#try(() => this.#interaction.deferReply({ flags: MessageFlags.Ephemeral }))
    await this.#begun
  }

  /** The answer, or another one in its place. True when Discord took it. */
  async say(text: string): Promise<boolean> {
    const message = { content: fitting(text), allowedMentions: { parse: [] } }
    if (!this.#begun) {
      this.#begun = this.#try(() => this.#interaction.reply({ ...message, flags: MessageFlags.Ephemeral }))
      return this.#begun
    }
    return (await this.#begun) && this.#try(() => this.#interaction.editReply(message))
  }

  async #try(request: () => Promise<unknown>): Promise<boolean> {
    try {
      await request()
      return true
    } catch (error) {
      const code = error instanceof DiscordAPIError ? error.code : undefined
      if (GONE.includes(code)) {
        this.#counters.expired++
        this.#log.debug({ code }, 'an interaction was gone before it was answered')
      } else {
        this.#counters.failed++
        this.#log.warn({ code, reason: reasonOf(error) }, 'an interaction could not be answered')
      }
      return false
    }
  }
}

/** Without the address of the request, which holds the interaction's token. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}
