/** A channel of the guild, as far as interpreting in it goes. */
export interface Place {
  readonly id: string
  readonly kind: 'voice' | 'stage' | 'text' | 'thread' | 'other'
  /** What the bot may do there (Discord's bits). */
  readonly granted: bigint
  /** What the asker may do there. */
  readonly askersOwn: bigint
  /** Who is in it; nobody where it has no voice. */
  readonly memberIds: readonly string[]
  /** 0: none. */
  readonly userLimit: number
  /** Where the guild moves those who are away. */
  readonly away: boolean
}

/** Who asks, and where. */
export interface Asker {
  readonly id: string
  /** As the guild shows it, made harmless. */
  readonly name: string
  /** What their client is set to. */
  readonly locale: string
  /** In the channel where they ask (Discord's bits). */
  readonly permissions: bigint
  readonly roleIds: readonly string[]
  /** The voice channel they are in. */
  readonly voiceChannelId?: string
}

/** Where a command was given, and what can be looked up and said there. */
export interface Scene {
  readonly guildId: string
  /** What all in the guild are told things in. */
  readonly guildLocale: string
  /** The chat where it was typed. */
  readonly channelId: string
  readonly asker: Asker
  /** The role by which the bot has its permissions, made harmless. */
  readonly botRole: string
  /** A moderator silenced the bot for a while. */
  readonly botTimedOut: boolean
  place(channelId: string): Place | undefined
  /** As the guild shows it, made harmless. */
  nameOf(userId: string): string
  /** Posts for everybody who reads that channel; alerts nobody. Rejects when that does not work. */
  say(channelId: string, text: string): Promise<void>
}
