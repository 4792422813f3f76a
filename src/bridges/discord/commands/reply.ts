import { type ChatInputCommandInteraction, DiscordAPIError, MessageFlags } from 'discord.js'
import type { Logger } from '../../../common/log.ts'
import type { CommandCounters } from '../counters.ts'

/** Result of a command. */
export interface Answer {
  /** Visible only to the user who asked. Discord's Markdown, with all values escaped. */
  readonly text: string
  /** Attached to it: UTF-8. */
  readonly file?: { readonly name: string; readonly text: string }
  /** Replaces `text` later. Settles while Discord still accepts it (15 minutes), and never rejects. */
  readonly later?: Promise<string>
  /** Message for everyone, and the channel for it. */
  readonly announcement?: { readonly channelId: string; readonly text: string }
}

/** Maximum length of a message (Discord: Create Message). */
const LONGEST = 2_000

/** Returns `text`, cut at a line break if it is too long for Discord. */
export function fitting(text: string): string {
  if (text.length <= LONGEST) return text
  const cut = text.slice(0, LONGEST - 2)
  return `${cut.slice(0, Math.max(cut.lastIndexOf('\n'), LONGEST / 2))}\n…`
}

/** Turns command names in the text into clickable mentions, which Discord shows in the user's language. */
export function withCommands(text: string, commandId: string): string {
  return text.replace(/`\/(interpret(?: [a-z-]+){1,2})`/g, (_all, path: string) => `</${path}:${commandId}>`)
}

/** A channel mention; it alerts no one. */
export function mention(channelId: string): string {
  return `<#${channelId}>`
}

/** The reply methods that commands and buttons share. */
type Answerable = Pick<ChatInputCommandInteraction, 'deferReply' | 'reply' | 'editReply'>

/** Discord: JSON Error Codes. Unknown interaction, unknown webhook, already acknowledged, invalid webhook token. */
const GONE: readonly unknown[] = [10062, 10015, 40060, 50027]

/**
 * The reply to one interaction, visible only to the user who asked and without notifications. Discord expects a first
 * response within 3 s and accepts changes for 15 minutes. No method rejects.
 */
export class Reply {
  readonly #interaction: Answerable
  readonly #counters: CommandCounters
  readonly #log: Logger
  #begun: Promise<boolean> | undefined

  constructor(interaction: Answerable, { counters, log }: { counters: CommandCounters; log: Logger }) {
    this.#interaction = interaction
    this.#counters = counters
    this.#log = log
  }

  /** Shows that a reply is in preparation, unless one was sent. */
  async defer(): Promise<void> {
    this.#begun ??= this.#try(() => this.#interaction.deferReply({ flags: MessageFlags.Ephemeral }))
    await this.#begun
  }

  /** Sends or replaces the reply. */
  async say(text: string, file?: Answer['file']): Promise<void> {
    const message = {
      content: fitting(text),
      allowedMentions: { parse: [] },
      files: file && [{ name: file.name, attachment: Buffer.from(file.text) }],
    }
    if (!this.#begun) {
      this.#begun = this.#try(() => this.#interaction.reply({ ...message, flags: MessageFlags.Ephemeral }))
      await this.#begun
    } else if (await this.#begun) await this.#try(() => this.#interaction.editReply(message))
  }

  async #try(request: () => Promise<unknown>): Promise<boolean> {
    try {
      await request()
      return true
    } catch (error) {
      const code = error instanceof DiscordAPIError ? error.code : undefined
      if (GONE.includes(code)) {
        this.#log.debug({ code }, 'interaction expired')
      } else {
        this.#counters.failed++
        this.#log.warn({ code, reason: reasonOf(error) }, 'interaction reply failed')
      }
      return false
    }
  }
}

/** Without the request's address, which contains the interaction's token. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}
