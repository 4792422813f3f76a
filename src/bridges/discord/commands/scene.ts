/** A channel of the guild, as far as interpreting needs it. */
export interface Place {
  readonly id: string
  readonly kind: 'voice' | 'stage' | 'text' | 'thread' | 'other'
  /** The bot's permissions in it (Discord's bits). */
  readonly granted: bigint
  /** The asking user's permissions in it. */
  readonly askersOwn: bigint
  /** Users in it; empty without voice. */
  readonly memberIds: readonly string[]
  /** 0: none. */
  readonly userLimit: number
  /** AFK channel of the guild. */
  readonly away: boolean
}

/** The asking user. */
export interface Asker {
  readonly id: string
  /** Name in the guild, escaped. */
  readonly name: string
  /** Locale of the user's client. */
  readonly locale: string
  /** Permissions in the channel of the command (Discord's bits). */
  readonly permissions: bigint
  readonly roleIds: readonly string[]
  /** The voice channel that the user is in. */
  readonly voiceChannelId?: string
}

/** The place of a command, with the look-ups and messages available there. */
export interface Scene {
  readonly guildId: string
  /** Locale of messages to everyone in the guild. */
  readonly guildLocale: string
  /** The chat where the command was typed. */
  readonly channelId: string
  readonly asker: Asker
  /** The role that holds the bot's permissions, escaped. */
  readonly botRole: string
  /** A moderator timed out the bot. */
  readonly botTimedOut: boolean
  place(channelId: string): Place | undefined
  /** Name in the guild, escaped. */
  nameOf(userId: string): string
  /** Posts a message for everyone in that channel, without notifications. Rejects on failure. */
  say(channelId: string, text: string): Promise<void>
}
